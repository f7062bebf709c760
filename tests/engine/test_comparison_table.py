"""The truth table of the ε-comparison: NaN, infinities, ties and both sides of ε."""

import itertools
import math

import part_kernels as parts
import pytest
from runs import quiet

pytestmark = quiet

EPS = 0.25
OBJECTIVES = [-1.0, 0.0, 0.0, math.inf, -math.inf, math.nan]
VIOLATIONS = [0.0, EPS, 0.5, 2.0, math.inf, math.nan]
RAW = [*itertools.product(OBJECTIVES, VIOLATIONS)]


def seen(f, phi):
    """As the search sees the point; a NaN among constraints arrives as φ = inf."""
    return parts.settled(f, math.inf if math.isnan(phi) else phi)


MEMBERS = [seen(f, phi) for f, phi in RAW]
PAIRS = [*itertools.product(range(len(RAW)), repeat=2)]
IS_FAILED = [
    not math.isfinite(phi) or math.isinf(f) or (math.isnan(f) and phi == 0.0) for f, phi in RAW
]


def before(a, b, eps=EPS):
    return bool(parts.precedes(*MEMBERS[a], a, *MEMBERS[b], b, eps))


@pytest.mark.parametrize(("f", "phi", "expected"), [
    (-1.0, 0.0, (-1.0, 0.0)),
    (3.0, 0.5, (3.0, 0.5)),
    (math.nan, 0.5, (math.inf, 0.5)),  # unknown f of an infeasible point: no failure
    (math.nan, 0.0, (math.inf, math.inf)),
    (math.inf, 0.0, (math.inf, math.inf)),
    (-math.inf, 0.0, (math.inf, math.inf)),
    (math.inf, 0.5, (math.inf, math.inf)),
    (-math.inf, 0.5, (math.inf, math.inf)),
    (1.0, math.inf, (math.inf, math.inf)),
    (math.nan, math.inf, (math.inf, math.inf)),
])  # fmt: skip
def test_what_the_search_sees(f, phi, expected):
    assert parts.settled(f, phi) == expected


def test_nothing_the_search_sees_is_nan_or_below_everything():
    for f, phi in MEMBERS:
        assert not math.isnan(f) and not math.isnan(phi)
        assert f > -math.inf and phi >= 0.0


@pytest.mark.parametrize("eps", [0.0, EPS, 1.0])
def test_the_order_is_total(eps):
    for a, b in PAIRS:
        assert before(a, b, eps) + before(b, a, eps) == (a != b)


@pytest.mark.parametrize("eps", [0.0, EPS, 1.0])
def test_the_order_is_transitive(eps):
    table = [[before(a, b, eps) for b in range(len(RAW))] for a in range(len(RAW))]
    for a, b, c in itertools.product(range(len(RAW)), repeat=3):
        if table[a][b] and table[b][c]:
            assert table[a][c]


def test_a_failed_point_stands_behind_every_other():
    for a, b in PAIRS:
        if IS_FAILED[a] and not IS_FAILED[b]:
            assert before(b, a)


def test_the_order_in_words():
    for a, b in PAIRS:
        (f_a, phi_a), (f_b, phi_b) = MEMBERS[a], MEMBERS[b]
        if phi_a <= EPS < phi_b:
            assert before(a, b)
        elif max(phi_a, phi_b) <= EPS and f_a < f_b:
            assert before(a, b)
        elif min(phi_a, phi_b) > EPS and phi_a < phi_b:
            assert before(a, b)
        elif (f_a, phi_a) == (f_b, phi_b) and a < b:
            assert before(a, b)


def test_success_of_a_trial_in_words():
    for u, x in PAIRS:
        (f_u, phi_u), (f_x, phi_x) = MEMBERS[u], MEMBERS[x]
        success, gain = parts.improvement(f_u, phi_u, f_x, phi_x, EPS)
        soft_u, soft_x = (0.0 if phi <= EPS else phi for phi in (phi_u, phi_x))
        by_f = (phi_u <= EPS or soft_u == soft_x) and f_u <= f_x
        expected = not IS_FAILED[u] and (by_f or soft_u < soft_x)
        assert success == expected
        assert math.isfinite(gain) and gain >= 0.0
        if success and math.isfinite(f_x) and by_f:
            assert gain == f_x - f_u
        elif success and not by_f and math.isfinite(phi_x):
            assert gain == soft_x - soft_u
        else:
            assert gain == 0.0


def test_a_failed_trial_never_succeeds_and_a_failed_target_always_loses():
    for u, x in PAIRS:
        success, gain = parts.improvement(*MEMBERS[u], *MEMBERS[x], EPS)
        if IS_FAILED[u]:
            assert (success, gain) == (False, 0.0)
        elif IS_FAILED[x]:
            assert (success, gain) == (True, 0.0)


def test_no_two_points_both_beat_each_other_by_a_gain():
    for a, b in PAIRS:
        won, gain = parts.improvement(*MEMBERS[a], *MEMBERS[b], EPS)
        won_back, _ = parts.improvement(*MEMBERS[b], *MEMBERS[a], EPS)
        if won and gain > 0.0:
            assert not won_back
