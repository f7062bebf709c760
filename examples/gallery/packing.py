"""Circle packing: maximise something.

Five equal circles in a unit square, as large as possible. To maximise the radius, minimise its
negative. Ten constraints keep the circles apart.
"""

import itertools

import matplotlib.pyplot as plt
import numpy as np

import rdex

COUNT = 5
PAIRS = np.array(list(itertools.combinations(range(COUNT), 2)))


def packing(x):
    """Negative radius, and overlaps that must not exceed zero."""
    radius, centres = x[0], radius_to_centres(x)
    first, second = centres[PAIRS[:, 0]], centres[PAIRS[:, 1]]
    return -radius, 2 * radius - np.hypot(*(first - second).T)


def radius_to_centres(x):
    """Centres that keep every circle inside: positions between r and 1 - r."""
    return x[0] + (1 - 2 * x[0]) * x[1:].reshape(COUNT, 2)


def solve():
    """The largest circles."""
    bounds = [(0.05, 0.4)] + [(0, 1)] * (2 * COUNT)
    problem = rdex.Problem.from_function(packing, bounds, n_ineq=len(PAIRS))
    return rdex.minimize(problem, algorithm="rdex-csop+local", maxfev=10_000, rng=1)


def draw(result):
    """The circles in the square."""
    figure, axes = plt.subplots(figsize=(3.4, 3.5), layout="constrained")
    for x, y in radius_to_centres(result.x):
        axes.add_patch(plt.Circle((x, y), result.x[0], fc="lightsteelblue", ec="navy"))
    axes.set_aspect("equal")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_title(f"radius {-result.fun:.5f}", fontsize=10)
    return figure


if __name__ == "__main__":
    answer = solve()
    print(answer)
    draw(answer).savefig("packing.png")
