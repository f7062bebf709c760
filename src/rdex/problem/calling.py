"""How the user's function takes a design: as an array, as a dict, or as keyword arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rdex.problem.variables import CATEGORIES, Floats, Variables

ARRAY, DICT, KEYWORDS = CALLS = ("array", "dict", "keywords")


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
    """

    def __init__(
        self, function: Callable[..., Any], variables: Variables, call: str, layout: Any = False
    ) -> None:
        self.function = function
        self.variables = variables
        self.call = call
        self.layout = layout

    def __call__(self, x: Floats, *args: Any) -> Any:
        if self.call == ARRAY:
            return self.function(self._numbers(x), *args)
        if self.layout:
            values = self.variables.columns(x.T if self.layout == "rows" else x)
        else:
            values = self.variables.design(x)
        if self.call == DICT:
            return self.function(values, *args)
        return self.function(*args, **values)

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

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function as searches may call it."""
        if self.is_plain or self.variables is None:
            return function
        return Presented(function, self.variables, self.call, self.layout)

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
