"""Sequential quadratic programming that asks for values instead of calling a function.

`sqp_steps` is a generator: it yields the point where it wants values or slopes and is sent them, so
whoever drives it decides how and where they are computed: from a model, or by evaluations that go
out to workers. The method is SciPy's SLSQP. Its compiled core works by requests already, but has no
public name; where that core is missing or behaves in another way, SciPy's public function does the
same in a thread of its own, a few hundred times slower per step.
"""

from __future__ import annotations

import functools
import queue
import threading
from collections.abc import Callable, Generator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Request(NamedTuple):
    """What the solver needs next: slopes at z, or values at z. Slopes are asked where values were
    asked last."""

    z: Floats
    needs_slopes: bool


class Values(NamedTuple):
    """f and the constraints c >= 0 (m,) at a point."""

    f: float
    c: Floats


class Slopes(NamedTuple):
    """Gradient of f (n,) and Jacobian of the constraints (m, n) at a point."""

    f: Floats
    c: Floats


class Ending(NamedTuple):
    """Where a search ended; has_converged: the solver's own tests were met."""

    z: Floats
    has_converged: bool
    multipliers: Floats


Steps = Generator[Request, Any, Ending]


def sqp_steps(
    z: Floats,
    lower: Floats,
    upper: Floats,
    first: tuple[Values, Slopes],
    accuracy: float = 1e-12,
    iterations: int = 100,
) -> Steps:
    """Minimise f subject to c >= 0 and bounds, from z.

    Parameters
    ----------
    z, lower, upper : (n,) array
        Start and finite bounds.
    first : (Values, Slopes)
        At the start.
    accuracy : float
        Changes of f and violations below it count as none.
    iterations : int
        The most steps.

    Yields
    ------
    Request
        Answered by `Values` or, if `needs_slopes`, by `Slopes`. Values must be finite.

    Returns
    -------
    Ending
        With a multiplier >= 0 for each constraint.

    Examples
    --------
    >>> def values(z):
    ...     return Values(float(z @ z), np.array([z[0] + z[1] - 1.0]))
    >>> def slopes(z):
    ...     return Slopes(2.0 * z, np.array([[1.0, 1.0]]))
    >>> start = np.array([0.9, 0.3])
    >>> steps = sqp_steps(start, np.zeros(2), np.ones(2), (values(start), slopes(start)))
    >>> solve(steps, values, slopes).z.round(6).tolist()
    [0.5, 0.5]
    """
    step = core()
    if step is None:
        return _threaded_steps(z, lower, upper, first, accuracy, iterations)
    return _requests(step, z, lower, upper, first, accuracy, iterations)


def solve(
    steps: Steps, values: Callable[[Floats], Values], slopes: Callable[[Floats], Slopes]
) -> Ending:
    """Drive the generator by two functions."""
    answer: Any = None
    try:
        while True:
            request = steps.send(answer)
            answer = (slopes if request.needs_slopes else values)(request.z)
    except StopIteration as end:
        ending: Ending = end.value
        return ending


# --- SciPy's core, which has no public name ---------------------------------------------------
def _requests(
    step: Any,
    z: Floats,
    lower: Floats,
    upper: Floats,
    first: tuple[Values, Slopes],
    accuracy: float,
    iterations: int,
) -> Steps:
    """The loop of requests around one compiled function."""
    values, slopes = first
    n, m = z.size, values.c.size
    state = {
        **dict.fromkeys(("alpha", "f0", "gs", "h1", "h2", "h3", "h4", "t", "t0"), 0.0),
        **dict.fromkeys(("exact", "inconsistent", "reset", "iter", "line", "meq", "mode"), 0),
        "acc": accuracy, "tol": 10.0 * accuracy, "itermax": iterations, "m": m, "n": n,
    }  # fmt: skip
    x, f = z.copy(), float(values.f)
    gradient = np.array(slopes.f, dtype=np.float64)
    jacobian = np.zeros((max(1, m), n), order="F")
    constraints = np.zeros(max(1, m))
    constraints[:m], jacobian[:m] = values.c, slopes.c
    multipliers = np.zeros(m + 2 * n + 2)
    # The largest workspace of the method, and some more: there are no equalities here.
    room = n * (n + 1) // 2 + 3 * m * n + 9 * m + 8 * n * n + 35 * n + 28 + 2 * n * (n + 1)
    work, indices = np.zeros(room), np.zeros(m + 2 * n + 2, dtype=np.int32)
    while True:
        step(state, f, gradient, jacobian, constraints, x, multipliers, lower, upper, work, indices)
        mode = state["mode"]
        if abs(mode) != 1:
            return Ending(np.clip(x, lower, upper), mode == 0, multipliers[:m].copy())
        # np.clip takes three times as long, and this is once per value
        answer = yield Request(np.minimum(np.maximum(x, lower), upper), mode == -1)
        if mode == 1:
            f, constraints[:m] = float(answer.f), answer.c
        else:
            gradient[:], jacobian[:m] = answer.f, answer.c


@functools.cache
def core() -> Any:
    """SciPy's compiled step, if it is there and solves a small problem rightly; else None."""
    try:
        from scipy.optimize._slsqplib import slsqp
    except ImportError:
        return None
    return slsqp if is_right(slsqp) else None


def is_right(step: Any) -> bool:
    """Whether a step function solves: minimise z0² + z1² with z0 + z1 >= 1 in the unit square."""

    def values(z: Floats) -> Values:
        return Values(float(z @ z), np.array([z.sum() - 1.0]))

    def slopes(z: Floats) -> Slopes:
        return Slopes(2.0 * z, np.ones((1, 2)))

    start = np.array([0.9, 0.3])
    first = values(start), slopes(start)
    try:
        steps = _requests(step, start, np.zeros(2), np.ones(2), first, 1e-12, 50)
        ending = solve(steps, values, slopes)
    except Exception:  # another signature, another meaning: whatever a new release does
        return False
    return bool(ending.has_converged and np.allclose(ending.z, 0.5, atol=1e-6))


# --- the public function, in a thread ------------------------------------------------------------
class _Stop(Exception):
    """Nobody wants the rest of a search."""


def _threaded_steps(
    z: Floats,
    lower: Floats,
    upper: Floats,
    first: tuple[Values, Slopes],
    accuracy: float,
    iterations: int,
) -> Steps:
    """The same search by `scipy.optimize.minimize`, which calls functions, turned inside out."""
    from scipy.optimize import minimize

    asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
    known: dict[tuple[bytes, bool], Any] = {
        (z.tobytes(), False): first[0],
        (z.tobytes(), True): first[1],
    }

    def at(x: Floats, needs_slopes: bool) -> Any:
        point = np.clip(x, lower, upper)
        key = (point.tobytes(), needs_slopes)
        if key not in known:
            asked.put(Request(point, needs_slopes))
            answer = answers.get()
            if answer is None:
                raise _Stop
            known[key] = answer
        return known[key]

    def run() -> None:
        try:
            has_constraints = first[0].c.size > 0
            constraints = [
                {"type": "ineq", "fun": lambda x: at(x, False).c, "jac": lambda x: at(x, True).c}
            ]
            found = minimize(
                lambda x: at(x, False).f, z, jac=lambda x: at(x, True).f, method="SLSQP",
                bounds=list(zip(lower, upper, strict=True)),
                constraints=constraints if has_constraints else [],
                options={"ftol": accuracy, "maxiter": iterations},
            )  # fmt: skip
            multipliers = np.asarray(found.get("multipliers", np.zeros(first[0].c.size)))
            asked.put(Ending(np.clip(found.x, lower, upper), found.status == 0, multipliers))
        except _Stop:
            return
        except Exception as error:  # raised again where the generator is driven
            asked.put(error)

    thread = threading.Thread(target=run, daemon=True, name="rdex-slsqp")
    thread.start()
    try:
        while True:
            item = asked.get()
            if isinstance(item, Ending):
                return item
            if isinstance(item, Exception):
                raise item
            answers.put((yield item))
    finally:
        answers.put(None)
        thread.join()
