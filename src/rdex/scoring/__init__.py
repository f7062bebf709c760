"""Trials in, tables out: U-score, indicators, statistical tests; no plotting.

Reads arrays or a `store`; knows nothing of engines. Imports `store` and `common`.
"""

from rdex.scoring.attainment import Attainment, attainment, reached_by_cost, spread_targets
from rdex.scoring.comparison import (
    Comparison,
    a12,
    a12_interval,
    compare,
    holm,
    rank_sum,
    smallest_p,
)
from rdex.scoring.competition import export_results, import_results
from rdex.scoring.friedman import Friedman, critical_difference, friedman
from rdex.scoring.from_store import (
    outside_notes,
    store_trials,
    trials_from_store,
    trials_from_stores,
)
from rdex.scoring.indicators import Complexity, Indicators, complexity, indicators
from rdex.scoring.pairwise import PairwiseScore, pairwise_score
from rdex.scoring.paper import PAPER_TABLES, paper_table
from rdex.scoring.resampling import Bootstrap, LeaveOneOut, bootstrap, leave_one_out
from rdex.scoring.rounding import round_significant
from rdex.scoring.summary import (
    Summary,
    attainment_table,
    leaderboard,
    score_trials,
    stability_table,
    summary,
)
from rdex.scoring.table import Table
from rdex.scoring.target import STRATA, TargetScore, target_score
from rdex.scoring.trials import Run, Trials, join
from rdex.scoring.violation import FORMS, violation_from_constraints

__all__ = [
    "FORMS",
    "PAPER_TABLES",
    "STRATA",
    "Attainment",
    "Bootstrap",
    "Comparison",
    "Complexity",
    "Friedman",
    "Indicators",
    "LeaveOneOut",
    "PairwiseScore",
    "Run",
    "Summary",
    "Table",
    "TargetScore",
    "Trials",
    "a12",
    "a12_interval",
    "attainment",
    "attainment_table",
    "bootstrap",
    "compare",
    "complexity",
    "critical_difference",
    "export_results",
    "friedman",
    "holm",
    "import_results",
    "indicators",
    "join",
    "leaderboard",
    "leave_one_out",
    "outside_notes",
    "pairwise_score",
    "paper_table",
    "rank_sum",
    "reached_by_cost",
    "round_significant",
    "score_trials",
    "smallest_p",
    "spread_targets",
    "stability_table",
    "store_trials",
    "summary",
    "target_score",
    "trials_from_store",
    "trials_from_stores",
    "violation_from_constraints",
]
