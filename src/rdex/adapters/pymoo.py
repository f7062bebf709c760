"""pymoo: our algorithms as one of its `Algorithm`s, and its problems as ours."""

from __future__ import annotations

from typing import Any

import numpy as np

from rdex.adapters.arguments import given
from rdex.api.optimizer import Optimizer
from rdex.common.extras import require
from rdex.problem.problem import Floats, Problem
from rdex.problem.variables import Variables

_algorithm = require("pymoo.core.algorithm", "pymoo")
_individual = require("pymoo.core.individual", "pymoo")
_population = require("pymoo.core.population", "pymoo")
_variable = require("pymoo.core.variable", "pymoo")
_display = require("pymoo.util.display.single", "pymoo")
_optimum = require("pymoo.util.optimum", "pymoo")
_termination = require("pymoo.core.termination", "pymoo")
_max_eval = require("pymoo.termination.max_eval", "pymoo")


def specification(variable: Any) -> dict[str, Any]:
    """A variable of pymoo's mixed problems as one of `rdex.Variables`."""
    if isinstance(variable, _variable.Choice):
        return {"categories": list(variable.options)}
    if isinstance(variable, _variable.Binary):
        return {"categories": [False, True]}
    if isinstance(variable, _variable.Real | _variable.Integer):
        kind = "integer" if isinstance(variable, _variable.Integer) else "bounds"
        return {kind: variable.bounds}
    raise ValueError(f"expected Real, Integer, Binary or Choice, got {type(variable).__name__}")


class Coordinates:
    """Points of the search as pymoo writes them: rows, or dicts where variables have names.

    Parameters
    ----------
    problem : pymoo.core.problem.Problem
        With bounds for every variable.
    """

    def __init__(self, problem: Any) -> None:
        self.variables: Variables | None = None
        if isinstance(getattr(problem, "vars", None), dict):
            self.variables = Variables({n: specification(v) for n, v in problem.vars.items()})
            self.bounds: Any = self.variables
            self.integrality = None
            return
        if not problem.has_bounds():
            raise ValueError(f"{problem.name()} has no bounds xl and xu, which the search needs")
        self.bounds = list(zip(problem.xl.tolist(), problem.xu.tolist(), strict=True))
        is_whole = problem.vtype in (int, bool, np.int64, np.bool_)
        self.integrality = np.full(len(self.bounds), is_whole)

    def theirs(self, rows: Floats) -> Any:
        """Points as pymoo evaluates them."""
        if self.variables is None:
            return rows
        return listed([self.variables.design(self.variables.encoded(row)) for row in rows])


def listed(designs: list[dict[str, Any]]) -> Any:
    """Designs as an array of objects, as pymoo wants them."""
    points = np.empty(len(designs), dtype=object)
    points[:] = designs
    return points


class PymooFunction:
    """(F, G, H) of rows, or of one design, from one call of a pymoo problem."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem

    def __call__(self, points: Any) -> tuple[Floats, Floats, Floats]:
        """Points as pymoo has them in, values out."""
        out = self.problem.evaluate(
            points, return_values_of=["F", "G", "H"], return_as_dictionary=True
        )
        return out["F"][:, 0], out["G"], out["H"]

    def one(self, x: Any) -> tuple[float, Floats, Floats]:
        """The same for one row, or for values by name."""
        f, g, h = self(listed([x]) if isinstance(x, dict) else x[None, :])
        return float(f[0]), g[0], h[0]


def check_objectives(theirs: Any) -> None:
    """One objective is what a search takes."""
    if theirs.n_obj != 1:
        raise ValueError(f"{theirs.name()}: expected one objective, got {theirs.n_obj}")


def problem_from(theirs: Any, **facts: Any) -> Problem:
    """A pymoo problem as a `Problem`; see `Problem.from_pymoo`."""
    check_objectives(theirs)
    coordinates = Coordinates(theirs)
    function = PymooFunction(theirs)
    facts.setdefault("name", theirs.name())
    if coordinates.integrality is not None and coordinates.integrality.any():
        facts.setdefault("integrality", coordinates.integrality)
    # One by one where pymoo does so too: a point that fails then takes no other with it.
    is_single = theirs.elementwise or coordinates.variables is not None
    return Problem.from_function(
        function.one if is_single else function,
        coordinates.bounds,
        n_ineq=theirs.n_ieq_constr,
        n_eq=theirs.n_eq_constr,
        vectorized=False if is_single else "rows",
        **facts,
    )


class Rdex(_algorithm.Algorithm):  # type: ignore[misc, name-defined]
    """An algorithm of rdex for `pymoo.optimize.minimize`, ask/tell included.

    Parameters
    ----------
    maxfev : int, optional
        Budget, which is part of the algorithm. Default: that of a termination ``("n_eval", n)``,
        else 20000 per variable. The run ends with the budget, or sooner with the termination.
    algorithm : str or Settings, optional
        As in `rdex.minimize`.
    batch : int, optional
        Points per iteration; default what `rdex.Optimizer` gives.
    **options
        Further arguments: those of `rdex.Optimizer` (x0, eq_tol, …), and those of pymoo's
        `Algorithm` (callback, termination, seed, …).

    Examples
    --------
    >>> from pymoo.optimize import minimize
    >>> from pymoo.problems import get_problem
    >>> from rdex.adapters.pymoo import Rdex
    >>> result = minimize(get_problem("g1"), Rdex(), ("n_eval", 200), seed=1)
    >>> round(float(result.F[0]), 3)
    -15.0
    """

    termination: Any
    opt: Any

    def __init__(
        self,
        maxfev: int | None = None,
        algorithm: Any = None,
        batch: int | None = None,
        **options: Any,
    ) -> None:
        names = ("rng", "eq_tol", "ineq_tol", "constraint_scale", "x0", "init", "log_scale",
                 "target", "checkpoints", "settings")  # fmt: skip
        self._options = {name: options.pop(name) for name in names if name in options}
        self._options.update(given(algorithm=algorithm))
        options.setdefault("output", _display.SingleObjectiveOutput())
        # The default of pymoo ends a run after 30 iterations without progress: few points here.
        options.setdefault("termination", _termination.NoTermination())
        super().__init__(**options)
        self.maxfev = maxfev
        self.batch = batch
        self.optimizer: Optimizer | None = None

    def _setup(self, problem: Any, **_: Any) -> None:
        """Begin a search of this problem."""
        check_objectives(problem)
        self._coordinates = Coordinates(problem)
        tolerances = _individual.Individual.default_config()  # what pymoo calls feasible
        options = {
            "rng": self.seed,
            "eq_tol": tolerances["cv_eq"]["eps"],
            "ineq_tol": tolerances["cv_ieq"]["eps"],
            **self._options,
        }
        budget = self.maxfev
        if budget is None and isinstance(
            self.termination, _max_eval.MaximumFunctionCallTermination
        ):
            budget = int(self.termination.n_max_evals)
        self.optimizer = Optimizer(
            self._coordinates.bounds,
            problem.n_ieq_constr,
            problem.n_eq_constr,
            integrality=self._coordinates.integrality,
            **given(maxfev=budget),
            **options,
        )
        self.termination = WithBudget(self.termination, self.optimizer)

    def _initialize_infill(self) -> Any:
        return self._infill()

    def _infill(self) -> Any:
        """The next points, as individuals."""
        assert self.optimizer is not None
        self._asked = self.optimizer.ask_trials(self.batch)
        rows = np.array([trial.x for trial in self._asked])
        return _population.Population.new(X=self._coordinates.theirs(rows))

    def _initialize_advance(self, infills: Any = None, **_: Any) -> None:
        self._advance(infills)

    def _advance(self, infills: Any = None, **_: Any) -> None:
        """Tell the search what came of them."""
        assert self.optimizer is not None
        values = infills.get("F", "G", "H")
        for trial, f, g, h in zip(self._asked, *values, strict=True):
            self.optimizer.tell_trial(trial.id, float(f[0]), g, h)
        self.pop = infills

    def _set_optimum(self) -> None:
        """The best of all that was evaluated, feasibility first."""
        known = self.pop
        if self.opt is not None:
            known = _population.Population.merge(self.opt, known)
        finite = known[np.isfinite(known.get("F")[:, 0] + known.get("CV")[:, 0])]
        self.opt = _optimum.filter_optimum(finite if len(finite) else known, least_infeasible=True)


class WithBudget(_termination.Termination):  # type: ignore[misc, name-defined]
    """Another termination, and the end of the search's own budget."""

    def __init__(self, inner: Any, optimizer: Optimizer) -> None:
        super().__init__()
        self.inner = inner
        self.optimizer = optimizer

    def _update(self, algorithm: Any) -> float:
        """The share that is used, 1 at the end."""
        if self.optimizer.stop is not None:
            return 1.0
        return float(self.inner.update(algorithm))
