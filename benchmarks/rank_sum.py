"""The rank-sum test of two sets of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scipy import stats


def rank_sum(ours: Sequence[Any], theirs: Sequence[Any]) -> tuple[float, bool]:
    """p of the test on values that can be sorted, and whether ours have the lower ranks."""
    places = {value: k for k, value in enumerate(sorted({*ours, *theirs}))}
    if len(places) == 1:
        return 1.0, False
    a, b = ([places[value] for value in values] for values in (ours, theirs))
    return float(stats.mannwhitneyu(a, b).pvalue), sum(a) < sum(b)
