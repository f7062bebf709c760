"""Named variables as coordinates: there and back again, always legal."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rdex.adapters.variables import Choice, Number, Variables

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
VARIABLES = Variables(KINDS)
ALLOWED = {
    "thickness": [0.1 + k * 0.3 for k in range(4)],
    "plates": [2, 5, 8, 11],
    "on": [False, True],
    "steel": ["S235", None, "S460"],
    "fixed": ["only"],
}


@given(st.lists(st.floats(0, 1), min_size=VARIABLES.lower.size, max_size=VARIABLES.lower.size))
def test_every_point_stands_for_legal_values_that_lead_back(shares):
    x = VARIABLES.lower + np.array(shares) * (VARIABLES.upper - VARIABLES.lower)
    x[VARIABLES.integrality] = np.round(x[VARIABLES.integrality])
    values = VARIABLES.values(x)
    assert list(values) == list(KINDS)
    for name, value in values.items():
        kind = KINDS[name]
        if isinstance(kind, Number):
            assert kind.low <= value <= kind.high + 1e-12
            assert isinstance(value, int) == kind.is_integer
        if name in ALLOWED:
            assert value in ALLOWED[name]
    point = VARIABLES.point(values)
    assert (point >= VARIABLES.lower).all() and (point <= VARIABLES.upper).all()
    again = VARIABLES.values(point)
    assert all(again[name] == value for name, value in values.items())


def test_the_box():
    assert VARIABLES.names[:3] == ("length", "teeth", "layers")
    assert [n for n in VARIABLES.names if n.startswith("steel")] == [
        "steel:S235", "steel:None", "steel:S460",
    ]  # fmt: skip
    assert VARIABLES.bounds[3] == (0.0, 3.0) and VARIABLES.integrality[3]
    logarithmic = [VARIABLES.names[j] for j in np.flatnonzero(VARIABLES.log_scale)]
    assert logarithmic == ["layers", "rate"]
    assert not (VARIABLES.integrality & VARIABLES.log_scale).any()


def test_every_option_of_three_is_as_likely_as_the_others():
    draws = np.random.default_rng(1).uniform(size=(3000, 3))
    counts = [sum(Choice("abc").value(x) == letter for x in draws) for letter in "abc"]
    assert min(counts) > 900
