"""A user's Python functions as the evaluations of a `Problem`, and how they take a design.

Every function gets points of its own, so one that changes x in place changes nothing for the
others. Copies cost 0.2 µs per constraint; rows that cannot be written would cost less, but C
extensions refuse them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rdex.problem.checks import FLOAT, as_float, as_floats
from rdex.problem.variables import CATEGORIES, Floats, Variables

if TYPE_CHECKING:
    from rdex.problem.constraints import Source

#: How a function takes a design.
ARRAY, DICT, KEYWORDS = CALLS = ("array", "dict", "keywords")


def as_number(value: Any, label: str = "the objective") -> float:
    """A real number from what a function returned, an array of one element included."""
    if isinstance(value, float):  # NumPy's float64 too
        return float(value)
    if isinstance(value, np.ndarray) and value.size == 1:
        return float(as_floats(label, value, "return").item())
    if isinstance(value, np.ndarray):
        raise ValueError(f"{label} must return one number, got an array of shape {value.shape}")
    if isinstance(value, tuple | list):
        raise ValueError(
            f"{label} must return one number, got a {type(value).__name__}; objective and "
            "constraints of one call are for Problem.from_function"
        )
    return as_float(label, value, "return")


def one_value(value: Any, label: str) -> float:
    """The value of a constraint that had one when it was read; a sequence of one will do."""
    array = as_floats(label, value, "return")
    if array.size != 1:
        raise ValueError(f"{label}: expected 1 value, got {array.size}")
    return float(array.item())


class WithArguments:
    """x -> function(x, *args)."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.function = function
        self.args = args

    def __call__(self, x: Floats) -> Any:
        return self.function(x, *self.args)


class SeparateFunctions:
    """f from one function, constraints from others; all of them evaluated at a point."""

    def __init__(self, fun: Callable[[Floats], Any], sources: list[Source]):
        self.fun = fun
        self.sources = sources
        self.n_ineq = sum(source.ineq[1].size for source in sources)
        self.n_eq = sum(source.eq[1].size for source in sources)
        # A single value with one bound is the usual case: entry = sign * (value - shift).
        self._single = [
            (k, s.function, float(s.ineq[1][0]), float(s.ineq[2][0]), s.label)
            for k, s in enumerate(sources)
            if s.is_single
        ]
        self._is_simple = len(self._single) == len(sources)

    def __call__(self, x: Floats, g: Floats, h: Floats) -> float:
        """Write the constraints and return f."""
        if self._is_simple:
            for k, function, sign, shift, label in self._single:
                value = function(x.copy())
                number = float(value) if isinstance(value, float) else one_value(value, label)
                g[k] = sign * (number - shift)
        else:
            self._fill(x, g, h)
        value = self.fun(x)
        return float(value) if isinstance(value, float) else as_number(value)

    def _fill(self, x: Floats, g: Floats, h: Floats) -> None:
        """Write the constraints where some have several values or bounds."""
        i = j = 0
        for source in self.sources:
            raw = source.values(x)
            rows, signs, shifts = source.ineq
            g[i : i + rows.size] = signs * (raw[rows] - shifts)
            i += rows.size
            rows, signs, shifts = source.eq
            h[j : j + rows.size] = signs * (raw[rows] - shifts)
            j += rows.size


class OneFunction:
    """f, G and H from one call."""

    def __init__(self, fun: Callable[[Floats], Any], n_ineq: int, n_eq: int):
        self.fun = fun
        self.n_ineq = n_ineq
        self.n_eq = n_eq

    def __call__(self, x: Floats, g: Floats, h: Floats) -> float:
        """Write the constraints and return f."""
        f, given_g, given_h = split_values(self.fun(x), self.n_ineq, self.n_eq)
        fill(g, given_g, "G")
        fill(h, given_h, "H")
        return as_number(f)


def split_values(values: Any, n_ineq: int, n_eq: int) -> tuple[Any, Any, Any]:
    """(f, G, H) from what a function returned; trailing parts without entries may be left out."""
    parts = isinstance(values, tuple) or (isinstance(values, list) and n_ineq + n_eq > 0)
    given = tuple(values) if parts else (values,)
    least = 3 if n_eq else (2 if n_ineq else 1)
    if not least <= len(given) <= 3:
        expected = "(f, G, H)" if n_eq else ("(f, G)" if n_ineq else "f")
        raise ValueError(f"the function must return {expected}, got {len(given)} value(s)")
    f, g, h = given + ((),) * (3 - len(given))
    return f, g, h


def fill(target: Floats, values: Any, label: str) -> None:
    """Copy constraint values, or say that their number is wrong."""
    array = as_floats(label, () if values is None else values).reshape(-1)
    if array.size != target.size:
        raise ValueError(f"expected {target.size} values of {label}, got {array.size}")
    target[:] = array


class VectorisedFunctions:
    """Rows in, (F, G, H) out, from functions that take many points at once.

    Layout True is SciPy's: points (d, n), objective (n,), constraints (m, n). Layout "rows" has
    points (n, d), objective (n,), constraints (n, m).
    """

    def __init__(self, fun: Callable[[Floats], Any], sources: list[Source], layout: Any):
        self.fun = fun
        self.sources = sources
        self.layout = layout
        self._in_rows = layout == "rows"
        self.n_ineq = sum(source.ineq[1].size for source in sources)
        self.n_eq = sum(source.eq[1].size for source in sources)
        # A single value with one bound is the usual case, and needs no matrices of raw values:
        # entry = value - shift, or shift - value if `is_lower`; a bound above of 0 needs neither.
        # The shift is an array because ufuncs take twice the time for a bare number.
        self._single = [
            (k, s.function, np.array(s.ineq[2][0]), bool(s.ineq[1][0] < 0), s)
            for k, s in enumerate(sources)
            if s.is_single
        ]
        self._is_simple = len(self._single) == len(sources)

    def __call__(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """F (n,), G (n, m_g), H (n, m_h), contiguous."""
        n = len(x)
        f, g, h = np.empty(n), np.empty((n, self.n_ineq)), np.empty((n, self.n_eq))
        self.fill(x, f, g, h)
        return f, g, h

    def fill(self, x: Floats, f: Floats, g: Floats, h: Floats) -> None:
        """Write F, G and H at the rows of x, which the objective may change."""
        in_rows, shape = self._in_rows, f.shape
        if not self._is_simple:
            self._fill_constraints(x, g, h)
        else:
            for k, function, shift, is_lower, source in self._single:
                values = function(x.copy() if in_rows else x.copy().T)
                if type(values) is not np.ndarray or values.dtype is not FLOAT:
                    values = as_floats(source.label, values, "return")
                if values.shape != shape:
                    values = source.checked_column(values, len(x), self.layout)
                if is_lower:
                    np.subtract(shift, values, g[:, k])
                elif shift:
                    np.subtract(values, shift, g[:, k])
                else:
                    g[:, k] = values
        sent = x if in_rows else x.T
        values = self.fun(sent)
        if type(values) is not np.ndarray or values.dtype is not FLOAT:
            values = as_floats("the objective", values, "return")
        if values.shape != shape:
            raise ValueError(
                f"vectorized={self.layout!r}: for points of shape {sent.shape} the objective must "
                f"return shape {shape}, got {values.shape}"
            )
        f[...] = values

    def _fill_constraints(self, x: Floats, g: Floats, h: Floats) -> None:
        """Write the constraints where some have several values or bounds."""
        i = j = 0
        for source in self.sources:
            raw = source.value_rows(x, self.layout)
            i = entered(g, i, raw, source.ineq)
            j = entered(h, j, raw, source.eq)


def entered(target: Floats, at: int, raw: Floats, parts: tuple[Any, Floats, Floats]) -> int:
    """Write sign · (value - shift) of the picked columns from column `at` on; the next column."""
    rows, signs, shifts = parts
    if rows.size == 1:  # the usual case, without temporary arrays
        column = target[:, at]
        # NumPy 2.4's `negative` is wrong where rows are 64 bytes apart and `out` is given.
        if signs[0] < 0:
            np.subtract(shifts[0], raw[:, rows[0]], out=column)
        else:
            np.subtract(raw[:, rows[0]], shifts[0], out=column)
    elif rows.size:
        target[:, at : at + rows.size] = signs * (raw[:, rows] - shifts)
    return at + int(rows.size)


class VectorisedFunction:
    """Rows in, (F, G, H) out, from one function that takes many points at once."""

    def __init__(self, fun: Callable[[Floats], Any], n_ineq: int, n_eq: int, layout: Any):
        self.fun = fun
        self.n_ineq = n_ineq
        self.n_eq = n_eq
        self.layout = layout

    def __call__(self, x: Floats) -> tuple[Any, Any, Any]:
        """F (n,), G (n, m_g), H (n, m_h), in rows whatever the layout."""
        in_rows = self.layout == "rows"
        values = self.fun(x if in_rows else x.T)
        f, g, h = split_values(values, self.n_ineq, self.n_eq)
        parts = [as_floats(label, part) if len(part) else None
                 for label, part in (("G", g), ("H", h))]  # fmt: skip
        if in_rows:
            return f, *parts
        return f, *(None if part is None else part.T for part in parts)


def is_jitted(function: Any) -> bool:
    """Whether a function was compiled by `numba.njit`; answered without importing numba."""
    return hasattr(function, "py_func") and hasattr(function, "signatures")


class Presented:
    """A user's function, called with values instead of the codes that searches see.

    Parameters
    ----------
    function : callable
    variables : Variables
    call : "array", "dict" or "keywords"
    layout : False, True or "rows"
        As `vectorized`: the points are one (d,), columns (d, n) or rows (n, d). A dict of many
        points holds an array per variable.
    args : tuple
        Further arguments of the function.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        variables: Variables,
        call: str,
        layout: Any = False,
        args: tuple[Any, ...] = (),
    ) -> None:
        self.function = function
        self.variables = variables
        self.call = call
        self.layout = layout
        self.args = args

    def __call__(self, x: Floats) -> Any:
        if self.call == ARRAY:
            return self.function(self._numbers(x), *self.args)
        if self.layout:
            values = self.variables.columns(x.T if self.layout == "rows" else x)
        else:
            values = self.variables.design(x)
        if self.call == DICT:
            return self.function(values, *self.args)
        return self.function(*self.args, **values)

    def _numbers(self, x: Floats) -> Floats:
        """The points with numbers in the place of codes."""
        if self.layout is True:
            return self.variables.decoded(x.T).T
        return self.variables.decoded(x)


class Presenting:
    """Makes `Presented` functions of one problem, or leaves functions as they are."""

    def __init__(self, variables: Variables | None, call: str | None, layout: Any = False) -> None:
        self.variables = variables
        self.layout = layout
        self.call = checked_call(variables, call)

    @property
    def is_plain(self) -> bool:
        """Whether functions take the points of the searches."""
        lists = self.variables is not None and self.variables.has_lists
        return self.call == ARRAY and not lists

    def __call__(
        self, function: Callable[..., Any], args: tuple[Any, ...] = ()
    ) -> Callable[[Floats], Any]:
        """The function, with its further arguments, as searches may call it."""
        if self.is_plain or self.variables is None:
            return WithArguments(function, args) if args else function
        return Presented(function, self.variables, self.call, self.layout, args)

    def numbers(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same for a function of arrays, such as a matrix, whatever `call` says."""
        if self.variables is None or not self.variables.has_lists:
            return function
        check_numbers(self.variables, "a LinearConstraint")
        return Presented(function, self.variables, ARRAY, self.layout)


def checked_call(variables: Variables | None, call: str | None) -> str:
    """One of the three; dicts by default where variables are named."""
    if call is None:
        call = DICT if variables is not None and variables.is_named else ARRAY
    if call not in CALLS:
        raise ValueError(f"call must be one of {', '.join(CALLS)}, got {call!r}")
    if call != ARRAY and variables is None:
        raise ValueError(f'call="{call}" needs named variables: give bounds as a mapping')
    if call == KEYWORDS and variables is not None:
        wrong = [name for name in variables if not name.isidentifier()]
        if wrong:
            raise ValueError(f'call="keywords": {wrong[0]!r} cannot be a keyword; use "dict"')
    if call == ARRAY and variables is not None:
        check_numbers(variables, 'call="array"')
    return call


def check_numbers(variables: Variables, what: str) -> None:
    """All lists hold numbers, or a ValueError."""
    for name, variable in variables.items():
        if variable.values and variable.numbers is None:
            kind = "category" if variable.kind == CATEGORIES else "choice"
            raise ValueError(f'{what} takes numbers, but {name} is a {kind}; use call="dict"')
