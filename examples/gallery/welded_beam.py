"""Welded beam: which constraints limit the design?

A problem of the engineering suite: four sizes, seven constraints, the cheapest beam. The figure
shows how much of each limit the answer uses.
"""

import matplotlib.pyplot as plt

import rdex
import rdex.suites


def solve():
    """The cheapest beam."""
    return rdex.minimize(rdex.suites.get("engineering/welded-beam"), maxfev=6000, rng=1)


def draw(result):
    """Distance of every constraint from its limit, in units of its typical size."""
    figure, axes = plt.subplots(figsize=(6.4, 3), layout="constrained")
    names = [state.name for state in result.violations]
    slack = [-value / scale for value, scale in zip(result.G, result.constraint_scale, strict=True)]
    colours = ["tab:red" if each < 1e-3 else "tab:blue" for each in slack]
    axes.barh(names, [max(each, 0.02) for each in slack], color=colours)
    axes.invert_yaxis()
    axes.set_xlabel("distance from the limit (red: active)")
    axes.set_title(f"welded beam, cost {result.fun:.4f}", fontsize=10)
    return figure


if __name__ == "__main__":
    answer = solve()
    print(answer)
    draw(answer).savefig("welded_beam.png")
