"""Trust regions: what happens next to bounds."""

from collections import Counter

import numpy as np
from strategy_runs import make_problem

from rdex import minimize
from rdex.strategies.scout import trust_region


def test_points_that_only_spread_come_to_an_end_at_bounds(monkeypatch):
    """In a corner bounds cut the points that should spread what is known: more change nothing."""
    judge = trust_region.judge_step
    counts = Counter()

    def counting(state, region, problem, solution, rows):
        counts[region.centre, region.delta] += solution is None
        judge(state, region, problem, solution, rows)

    monkeypatch.setattr(trust_region, "judge_step", counting)
    d = 10

    def corner(x):
        sizes = 1.0 + np.arange(d)
        f = float((sizes * x**0.6).sum() + np.prod(1.0 + x))
        return f, [2.0 - sizes[:4] @ x[:4] - x[4] * x[5], 0.3 - x[6] * (1.0 + x[7])], []

    problem = make_problem([0.0] * d, [1.0] * d, corner, n_ineq=2)
    result = minimize(problem, algorithm="scout", maxfev=250, rng=1)
    assert result.feasible and 0 < max(counts.values()) <= d
