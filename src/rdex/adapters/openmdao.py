"""`RdexDriver`: the algorithms of rdex as a driver of OpenMDAO."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rdex.adapters.arguments import given
from rdex.adapters.openmdao_model import BuiltModel, Model
from rdex.api.minimize import minimize
from rdex.common.extras import require

if TYPE_CHECKING:
    from rdex.run.result import Result

_core = require("openmdao.core.driver", "openmdao")


class RdexDriver(_core.Driver):  # type: ignore[misc, name-defined]
    """A driver that searches globally, with constraints, discrete variables and failed analyses.

    Options
    -------
    maxfev : int
        Runs of the model, default 20000 per design variable; part of the algorithm.
    algorithm : str or Settings
        As in `rdex.minimize`.
    seed : int
        The same seed gives the same run.
    eq_tol, ineq_tol : float
        Tolerances of constraints, in driver scaling.
    workers : int
        Worker processes, each with its own copy of the model from `build`. No MPI is involved.
        Recorders then see the last run of the model only.
    build : callable
        ``build() -> Problem``, set up; needed with several workers.
    disp : bool
        Show progress on standard error.

    Attributes
    ----------
    opt_settings : dict
        Further arguments of `rdex.minimize`: maxtime, target, checkpoint, evaluations, callback, …
    best : Result
        What `rdex.minimize` returned, in driver scaling.

    Notes
    -----
    An `AnalysisError` is a failed evaluation: the search avoids that region. Any other exception
    ends the run. The model is left at the best point.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for feature in (
            "optimization", "inequality_constraints", "equality_constraints",
            "two_sided_constraints", "integer_design_vars",
        ):  # fmt: skip
            self.supports[feature] = True
        for feature in ("multiple_objectives", "gradients", "distributed_design_vars"):
            self.supports[feature] = False
        self.supports._read_only = True
        self.opt_settings: dict[str, Any] = {}
        self.best: Result | None = None

    def _declare_options(self) -> None:
        """Options by name, as OpenMDAO keeps them."""
        declare = self.options.declare
        declare("maxfev", default=None, desc="Budget of runs of the model")
        declare("algorithm", default=None, desc="Name of the algorithm, or Settings")
        declare("seed", default=None, desc="The same seed gives the same run")
        declare("eq_tol", default=None, desc="Tolerance of equalities, in driver scaling")
        declare("ineq_tol", default=None, desc="Tolerance of inequalities, in driver scaling")
        declare("workers", default=1, types=int, desc="Worker processes; more than 1 needs build")
        declare("build", default=None, recordable=False, desc="build() gives a Problem, set up")
        declare("disp", default=False, types=bool, desc="Show progress")

    def _get_name(self) -> str:
        return "rdex"

    def run(self) -> bool:
        """Search; True if no feasible design was found."""
        self.result.reset()
        self._check_for_missing_objective()
        self._check_for_invalid_desvar_values()
        model = Model(self)
        self._check_objective()
        self.best = self._search(model)
        model.set_point(self.best.x)
        model.run()
        return not self.best.success

    def _search(self, model: Model) -> Result:
        """Run `rdex.minimize` on the model."""
        options = self.options
        function = None
        if options["workers"] != 1:
            if options["build"] is None:
                raise ValueError(
                    "several workers need options['build']: a function that makes the problem and "
                    "sets it up, for each of them to have its own"
                )
            function = BuiltModel(options["build"])
        arguments = {
            "rng": options["seed"],
            "x0": np.clip(model.point(), model.lower, model.upper),
            "on_error": "raise",
            "progress": options["disp"],
            "workers": options["workers"],
            **given(**{name: options[name] for name in
                       ("maxfev", "algorithm", "eq_tol", "ineq_tol")}),
            **self.opt_settings,
        }  # fmt: skip
        return minimize(model.problem(function), **arguments)

    def _check_objective(self) -> None:
        """One number is what is minimised."""
        sizes = [int(np.size(value)) for value in self.get_objective_values().values()]
        if sizes != [1]:
            raise RuntimeError(f"RdexDriver needs one objective of size 1, got sizes {sizes}")
