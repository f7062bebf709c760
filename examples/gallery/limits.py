"""Sensitivity: what would weaker limits save?

`result.sensitivity()` gives the price of every active constraint: what f would fall by if the limit
were a little weaker. The figure shows what the cheapest welded beam would save if each limit gave
way by 1 %: of the limit, or of the box where the limit is 0.
"""

import dataclasses

import matplotlib.pyplot as plt

import rdex
import rdex.suites

#: Limits as an engineer states them: the suite has the differences.
STATED = (("<=", 13600), ("<=", 30000), ("<=", 0), ("<=", 5), (">=", 0.125), ("<=", 0.25),
          (">=", 6000))  # fmt: skip


def solve():
    """The cheapest beam."""
    beam = rdex.suites.get("engineering/welded-beam")
    return rdex.minimize(dataclasses.replace(beam, stated=STATED), maxfev=2000, rng=1)


def draw(result):
    """What 1 % of each limit saves, in percent of the cost."""
    answer = result.sensitivity()
    limits = [*answer.prices, *answer.bounds]
    names = [f"{each.name}, by {each.amount:.3g}" for each in limits] + answer.free
    saves = [each.percent for each in limits] + [0.0] * len(answer.free)
    errors = [each.uncertainty / each.saves * each.percent for each in limits]
    figure, axes = plt.subplots(figsize=(7.2, 3), layout="constrained")
    axes.barh(names, saves, xerr=errors + [0.0] * len(answer.free), color="tab:blue")
    axes.invert_yaxis()
    axes.set_xlabel("relaxed by so much, it saves so many % of the cost")
    axes.set_title("what limits the welded beam", fontsize=10)
    return figure


if __name__ == "__main__":
    answer = solve()
    print(answer.sensitivity())
    draw(answer).savefig("limits.png")
