"""What a report on a campaign says in sentences: the verdict, warnings, and what columns mean."""

from __future__ import annotations

import numpy as np

from rdex.report.contents import Contents
from rdex.scoring import smallest_p

#: Heading of a leaderboard -> what stands in the column.
COMMON = {
    "rank": "by total; 1 is best",
    "total": "over all problems; larger is better",
    "per_problem": "total / number of problems",
    "rank_sum": "of the ranks on all problems",
    "rank_mean": "rank on a problem, on average",
    "total_low": "95 % limit of the total",
    "total_high": "95 % limit of the total",
    "rank_low": "95 % limit of the rank",
    "rank_high": "95 % limit of the rank",
}
TARGET_COLUMNS = COMMON | {
    "total": "ranks of all runs summed, less the smallest sum possible",
    "uncorrected": "the sum itself; its three parts follow",
    "speed": "from runs that reached the target",
    "accuracy": "from feasible runs that did not",
    "constraint": "from runs that ended infeasible",
}
PAIRWISE_COLUMNS = COMMON | {
    "total": "accuracy + speed",
    "accuracy": "points for better ends in pairs of runs",
    "speed": "points for being there sooner",
}


def verdict(contents: Contents) -> list[str]:
    """What came of the campaign, in a few sentences, the main one first."""
    if len(contents.algorithms) == 1:
        return [feasible_sentence(contents, contents.algorithms[0])]
    board = contents.target.tables["leaderboard"]
    names, totals = board.column("algorithm"), board.column("total")
    second = f"{names[1]} follows with {totals[1]:.0f}"
    parts = [f"{names[0]} leads with a U-score of {totals[0]:.0f}; {second}."]
    reference = contents.target.reference
    compared = contents.target.comparisons["final_quality"]
    tested = []
    for row, other in enumerate(compared.competitors):
        won, tied, lost = compared.win_tie_loss_holm[row]
        name = contents.algorithms[other]
        tested.append(f"{name}: better on {won}, not different on {tied}, worse on {lost}")
    shown = "; ".join(tested[:4]) + (f"; and {len(tested) - 4} more" if len(tested) > 4 else "")
    parts.append(
        f"Final quality of {reference} against {shown} (problems, after Holm's correction)."
    )
    return [*parts, feasible_sentence(contents, reference)]


def feasible_sentence(contents: Contents, name: str) -> str:
    """How often an algorithm ends feasible, and where it never does."""
    a = contents.algorithms.index(name)
    v = contents.trials.deciding_v[a, :, :, -1]
    present = ~np.isnan(v)
    feasible = (v == 0) & present
    is_never = present.any(axis=1) & ~feasible.any(axis=1)
    never = [contents.problems[j] for j in np.flatnonzero(is_never)]
    share = feasible.sum() / max(present.sum(), 1)
    sentence = f"{share:.0%} of the {present.sum()} runs of {name} end feasible"
    if never:
        shown = ", ".join(never[:6]) + (f" and {len(never) - 6} more" if len(never) > 6 else "")
        sentence += f"; none on {shown}"
    return sentence.replace("%", " %") + "."


def small_sample_warnings(contents: Contents, alpha: float = 0.05) -> list[str]:
    """Where there are too few runs for the tests to find anything."""
    if len(contents.algorithms) < 2:
        return []
    counts = contents.trials.counts
    n = int(counts[counts > 0].min())
    smallest, p = smallest_p(n, n), len(contents.problems)
    if smallest >= alpha:
        return [
            f"Too few runs: with {n} runs per algorithm the rank-sum test cannot give less than "
            f"p = {smallest:.2g}, so nothing can be significant at the level {alpha:g}. Make at "
            f"least {runs_needed(alpha)} runs."
        ]
    if smallest * p >= alpha:
        return [
            f"Few runs: with {n} runs per algorithm the smallest p is {smallest:.2g}, which Holm's "
            f"correction over {p} problems raises to {min(smallest * p, 1.0):.2g}. A difference on "
            f"one problem alone cannot be significant after it; {runs_needed(alpha / p)} runs can."
        ]
    return []


def runs_needed(alpha: float) -> int:
    """Runs per algorithm from which the test can fall below a level."""
    n = 2
    while smallest_p(n, n) >= alpha and n < 100:
        n += 1
    return n
