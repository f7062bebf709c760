"""Named variables as coordinates: there and back again, always legal."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rdex.adapters.variables import Choice, Named, Number

KINDS = {
    "length": Number(0.5, 4.0),
    "teeth": Number(12, 60, is_integer=True),
    "layers": Number(1, 512, is_integer=True, is_log=True),
    "thickness": Number(0.1, 1.0, step=0.3),
    "plates": Number(2, 11, is_integer=True, step=3),
    "rate": Number(1e-5, 1e-1, is_log=True),
    "on": Choice([False, True]),
    "steel": Choice(["S235", None, "S460"]),
    "fixed": Choice(["only"]),
}
NAMED = Named(KINDS)
ALLOWED = {
    "thickness": [0.1 + k * 0.3 for k in range(4)],
    "plates": [2, 5, 8, 11],
    "on": [False, True],
    "steel": ["S235", None, "S460"],
    "fixed": ["only"],
}


@given(st.lists(st.floats(0, 1), min_size=len(KINDS), max_size=len(KINDS)))
def test_every_point_stands_for_legal_values_that_lead_back(shares):
    x = NAMED.legal(NAMED.lower + np.array(shares) * (NAMED.upper - NAMED.lower))
    values = NAMED.values(x)
    assert list(values) == list(KINDS)
    for name, value in values.items():
        kind = KINDS[name]
        if isinstance(kind, Number):
            assert kind.low <= value <= kind.high + 1e-12
            assert isinstance(value, int) == kind.is_integer
        if name in ALLOWED:
            assert value in ALLOWED[name]
    point = NAMED.point(values)
    assert (point >= NAMED.lower).all() and (point <= NAMED.upper).all()
    again = NAMED.values(point)
    assert all(again[name] == value for name, value in values.items())


def test_what_a_search_sees():
    variables = NAMED.variables
    assert variables.names == tuple(KINDS)
    assert (variables["thickness"].low, variables["thickness"].high) == (0.0, 3.0)
    logarithmic = [name for name, v in variables.items() if v.log]
    assert logarithmic == ["layers", "rate"]
    assert [n for n, v in variables.items() if v.kind == "categories"] == ["on", "steel", "fixed"]
    assert not (variables.whole & variables.logarithmic).any()


def test_options_may_be_anything():
    """Also what `rdex.Variables` refuses in a list: equal and infinite values."""
    odd = Named({"c": Choice([1, True, float("inf"), None])})
    assert [odd.values(np.array([k]))["c"] for k in range(4)] == [1, True, float("inf"), None]
    assert odd.point({"c": None}).tolist() == [3.0]
