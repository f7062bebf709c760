"""`scipy_method`: rdex as a method of `scipy.optimize.minimize`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rdex.api.minimize import minimize
from rdex.problem.checks import read_bounds

if TYPE_CHECKING:
    from rdex.run.result import Result


def scipy_method(
    fun: Callable[..., Any],
    x0: Any,
    args: Any = (),
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    callback: Callable[..., Any] | None = None,
    disp: bool = False,
    **options: Any,
) -> Result:
    """Search globally: ``scipy.optimize.minimize(fun, x0, method=rdex.scipy_method, bounds=...)``.

    SciPy calls this function; you pass it as `method`.

    Parameters
    ----------
    fun, x0, args, bounds, constraints, callback : as in `scipy.optimize.minimize`
        Bounds are needed and finite. `x0` is moved into them and joins the initial population.
        Both forms of callback work; returning True or raising StopIteration ends the run.
    jac, hess, hessp : ignored
        The search uses no derivatives.
    disp : bool
        Show progress on standard error.
    **options
        Arguments of `rdex.minimize`: maxfev, algorithm, rng, eq_tol, workers, … The `tol` of
        `scipy.optimize.minimize` is that of `rdex.minimize`.

    Returns
    -------
    Result
        A `scipy.optimize.OptimizeResult`; `success` means feasible.

    Examples
    --------
    >>> import rdex
    >>> from scipy.optimize import LinearConstraint, minimize
    >>> result = minimize(
    ...     lambda x: x @ x, [3.0, 3.0], method=rdex.scipy_method, bounds=[(-5, 5)] * 2,
    ...     constraints=LinearConstraint([[1, 1]], 1, 1), options={"maxfev": 200, "rng": 1})
    >>> result.success, round(result.fun, 3)
    (True, 0.5)
    """
    if bounds is None:
        raise ValueError("method=rdex.scipy_method needs bounds=, finite for every variable")
    lower, upper, _ = read_bounds(bounds)
    if np.shape(x0) != lower.shape:
        raise ValueError(f"x0 must have shape {lower.shape}, as bounds have, got {np.shape(x0)}")
    options.setdefault("progress", bool(disp))
    return minimize(
        fun,
        list(zip(lower, upper, strict=True)),
        args,
        x0=np.clip(np.asarray(x0, dtype=np.float64), lower, upper),
        constraints=constraints,
        callback=None if callback is None else in_one_form(callback),
        **options,
    )


def in_one_form(callback: Callable[..., Any]) -> Callable[[Any], Any]:
    """SciPy's callbacks take `intermediate_result` by that name, or else the point."""
    try:
        names = set(inspect.signature(callback).parameters)
    except (TypeError, ValueError):  # built-in functions, such as list.append
        names = set()
    if names == {"intermediate_result"}:
        return lambda result: callback(intermediate_result=result)
    return lambda result: callback(np.copy(result.x))
