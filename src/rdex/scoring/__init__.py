"""Trials in, tables out: U-score, indicators, statistical tests; no plotting.

Reads arrays or a `store`; knows nothing of engines. Imports `store` and `common`.
"""

from rdex.scoring.comparison import Comparison, a12, a12_interval, compare, holm, rank_sum
from rdex.scoring.pairwise import PairwiseScore, pairwise_score
from rdex.scoring.target import TargetScore, target_score

__all__ = [
    "Comparison",
    "PairwiseScore",
    "TargetScore",
    "a12",
    "a12_interval",
    "compare",
    "holm",
    "pairwise_score",
    "rank_sum",
    "target_score",
]
