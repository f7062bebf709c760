"""`Record`: everything a finished run has to say, as plain arrays and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rdex.problem.problem import Floats

if TYPE_CHECKING:
    from rdex.engine.engine import Engine


class Record(NamedTuple):
    """A finished run.

    Attributes
    ----------
    f, v : (K,) array
        Best so far, feasibility first, at checkpoints 1..K: checkpoint k stands for
        ceil(k * maxfev / K) evaluations. v is the mean violation φ; feasible means v = 0.
    f0, v0 : float
        The same after initialisation, that is after `initial_nfev` evaluations.
    x, G, H : arrays
        The best point, its inequality and equality constraint values.
    nfev : int
        Evaluations made.
    initial_nfev : int
        Evaluations of the initialisation.
    first_feasible : int or None
        Evaluations at the first feasible point.
    n_failed : int
        Evaluations whose values were not usable.
    n_outside : int
        Those among them at points outside the box, or with fractions for integer variables.
    """

    f: Floats
    v: Floats
    f0: float
    v0: float
    x: Floats
    G: Floats
    H: Floats
    nfev: int
    initial_nfev: int
    first_feasible: int | None
    n_failed: int
    n_outside: int = 0


def record_of(engine: Engine) -> Record:
    """The record of a run of the engine that has reached its budget."""
    if not engine.is_finished:
        raise ValueError(
            f"expected a finished run, got one at {engine.nfev} of {engine.maxfev} evaluations"
        )
    best, (f, v) = engine.best, engine.trace()
    return Record(
        f=f[1:],
        v=v[1:],
        f0=float(f[0]),
        v0=float(v[0]),
        x=best.x,
        G=best.g,
        H=best.h,
        nfev=engine.nfev,
        initial_nfev=min(engine.n0, engine.maxfev),
        first_feasible=engine.first_feasible,
        n_failed=engine.n_failed,
    )
