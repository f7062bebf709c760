"""An OpenMDAO model as one function: design variables in, objective and constraints out."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rdex.common.extras import require
from rdex.problem.constraints import Stated
from rdex.problem.problem import Floats, Problem

_driver = require("openmdao.core.driver", "openmdao")
_errors = require("openmdao.core.analysis_error", "openmdao")


class Place(NamedTuple):
    """One entry of a constraint that is compared with a bound, in driver scaling."""

    name: str
    entry: int
    stated: Stated
    label: str


class Model:
    """The design variables, objective and constraints of a driver whose problem is set up.

    All values are in driver scaling, as the driver's user has declared it.

    Parameters
    ----------
    driver : openmdao.api.Driver
    """

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        self.model = driver._problem().model
        self.slices: dict[str, slice] = {}
        self.lower, self.upper, self.whole = self._read_design_variables()
        self.ineq, self.eq = self._read_constraints()
        self._outputs = self.model._outputs.asarray(copy=True)

    # --- what there is --------------------------------------------------------------------------
    def _read_design_variables(self) -> tuple[Floats, Floats, Any]:
        """Bounds and flags of all entries, one variable after the other."""
        driver = self.driver
        values = driver.get_design_var_values()
        bounds = driver._autoscaler.get_bounds_scaling("design_var")
        lows, highs, whole, n = [], [], [], 0
        for name, meta in driver._designvars.items():
            size = int(np.size(values[name]))
            is_discrete = name in driver._designvars_discrete
            given = (meta["lower"], meta["upper"]) if is_discrete else (
                bounds[name].lower, bounds[name].upper
            )  # fmt: skip
            for end in given:
                if end is None or not np.isfinite(end).all() or np.abs(end).max() >= 1e30:
                    raise ValueError(
                        f"design variable {name!r} needs finite lower= and upper=, "
                        f"got lower={meta['lower']}, upper={meta['upper']}"
                    )
            ends = [np.broadcast_to(np.asarray(end, dtype=np.float64), size) for end in given]
            lows.append(np.minimum(*ends))  # a negative scaler turns the bounds around
            highs.append(np.maximum(*ends))
            whole.append(np.full(size, is_discrete))
            self.slices[name] = slice(n, n + size)
            n += size
        if not lows:
            raise ValueError("the model has no design variables: add_design_var declares them")
        return np.concatenate(lows), np.concatenate(highs), np.concatenate(whole)

    def _read_constraints(self) -> tuple[list[Place], list[Place]]:
        """Entries with a bound: inequalities, one per side, and equalities."""
        ineq: list[Place] = []
        eq: list[Place] = []
        bounds = self.driver._autoscaler.get_bounds_scaling("constraint")
        values = self.driver.get_constraint_values()
        for name, meta in self.driver._cons.items():
            size = int(np.size(values[name]))
            turned = np.broadcast_to(np.asarray(meta["total_scaler"] or 1.0) < 0, size)
            low, high = (ends_of(end, size) for end in (bounds[name].lower, bounds[name].upper))
            equal = ends_of(bounds[name].equals, size)
            for k in range(size):
                label = name if size == 1 else f"{name}[{k}]"
                sides = [(low[k], ">="), (high[k], "<=")]
                if turned[k]:
                    sides = [(low[k], "<="), (high[k], ">=")]
                sides = [side for side in sides if np.isfinite(side[0]) and abs(side[0]) < 1e30]
                if np.isfinite(equal[k]) or (len(sides) == 2 and low[k] == high[k]):
                    value = equal[k] if np.isfinite(equal[k]) else low[k]
                    eq.append(Place(name, k, Stated("=", float(value)), label))
                    continue
                for bound, sense in sides:
                    side = {"<=": " (upper)", ">=": " (lower)"}[sense] if len(sides) == 2 else ""
                    ineq.append(Place(name, k, Stated(sense, float(bound)), label + side))
        return ineq, eq

    # --- one evaluation -------------------------------------------------------------------------
    def point(self) -> Floats:
        """The present design variables."""
        values = self.driver.get_design_var_values()
        return np.concatenate([np.ravel(values[name]) for name in self.slices]).astype(float)

    def set_point(self, x: Floats) -> None:
        """Write design variables into the model."""
        driver = self.driver
        vector = driver._vectors["design_var"]
        continuous = []
        for name, place in self.slices.items():
            if name in driver._designvars_discrete:
                driver._set_design_var(name, np.round(x[place]).astype(int))
            else:
                vector[name] = x[place]
                continuous.append(name)
        vector.driver_scaling = True
        driver._set_design_vars(desvar_names=continuous, driver_scaling=True)

    def run(self) -> bool:
        """Run the model, recorded; False where the analysis failed."""
        driver = self.driver
        with _driver.RecordingDebugging(driver._get_name(), driver.iter_count, driver) as record:
            driver.iter_count += 1
            try:
                driver._run_solve_nonlinear()
                succeeded = True
            except _errors.AnalysisError:
                self.model._clear_iprint()
                # A solver starts where the last one ended: not from the ruins of this one.
                self.model._outputs.set_val(self._outputs)
                succeeded = False
            record.abs = record.rel = 0.0
        return succeeded

    def __call__(self, x: Floats) -> tuple[float, Floats, Floats]:
        """(f, G, H); NaN where the analysis failed."""
        self.set_point(x)
        if not self.run():
            return np.nan, np.full(len(self.ineq), np.nan), np.full(len(self.eq), np.nan)
        (objective,) = self.driver.get_objective_values().values()
        values = self.driver.get_constraint_values()
        g, h = (
            np.array([p.stated.entry(float(np.ravel(values[p.name])[p.entry])) for p in places])
            for places in (self.ineq, self.eq)
        )
        return float(np.ravel(objective)[0]), g, h

    def problem(self, function: Any = None) -> Problem:
        """The model as a `Problem` evaluated by `function`, by default here."""
        names = [
            name if place.stop - place.start == 1 else f"{name}[{k}]"
            for name, place in self.slices.items()
            for k in range(place.stop - place.start)
        ]
        return Problem.from_function(
            function or self,
            list(zip(self.lower, self.upper, strict=True)),
            n_ineq=len(self.ineq),
            n_eq=len(self.eq),
            name=self.driver._problem()._name or "model",
            integrality=self.whole,
            variable_names=names,
            constraint_names=[place.label for place in (*self.ineq, *self.eq)],
            stated=[place.stated for place in (*self.ineq, *self.eq)],
        )


def ends_of(bound: Any, size: int) -> Floats:
    """A bound per entry; NaN where there is none."""
    return np.broadcast_to(np.asarray(np.nan if bound is None else bound, dtype=np.float64), size)


class BuiltModel:
    """A model that every worker process builds for itself when it is first called.

    Parameters
    ----------
    build : callable
        ``build() -> openmdao.api.Problem``, set up, with the same variables everywhere.
    """

    def __init__(self, build: Callable[[], Any]) -> None:
        self.build = build
        self._model: Model | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"build": self.build, "_model": None}

    def __call__(self, x: Floats) -> tuple[float, Floats, Floats]:
        """(f, G, H) of this process's own copy."""
        if self._model is None:
            os.environ["OPENMDAO_REPORTS"] = "0"  # each would write its files over the others'
            problem = self.build()
            problem.final_setup()
            self._problem = problem  # the driver knows it weakly
            self._model = Model(problem.driver)
        return self._model(x)
