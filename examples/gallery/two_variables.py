"""Two variables, one equality: the example of the README, with every point it evaluates.

Models learn f and the constraint from the first points. Most later points lie on the line
x1 + x2 = 1, next to the best one.
"""

import matplotlib.pyplot as plt
import numpy as np

import rdex

points = []  # in the order of evaluation


def distance(x):
    """The squared distance from the origin."""
    points.append(x.copy())
    return x[0] ** 2 + x[1] ** 2


def solve():
    """The nearest point of the line."""
    points.clear()
    return rdex.minimize(
        distance,
        bounds=[(-5, 5), (-5, 5)],
        constraints={"fun": lambda x: x[0] + x[1], "lb": 1, "ub": 1},
        maxfev=100,
        rng=1,
    )


def draw(result):
    """f as contours, the equality as a line, the points by their order."""
    figure, axes = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
    grid = np.linspace(-5, 5, 100)
    x, y = np.meshgrid(grid, grid)
    axes.contour(x, y, x**2 + y**2, levels=[0.5, 2, 5, 10, 20, 35], colors="0.8", linewidths=1)
    axes.plot([-4, 5], [5, -4], c="firebrick", lw=1.5, label="x1 + x2 = 1")
    order = np.arange(1, len(points) + 1)
    shown = axes.scatter(*np.transpose(points), c=order, cmap="viridis", s=14, zorder=3)
    axes.plot(*result.x, "*", c="crimson", ms=14, mec="white", zorder=4, label="best")
    axes.set(xlabel="x1", ylabel="x2", aspect="equal", title=f"f = {result.fun:.4f}")
    axes.legend(loc="upper left", bbox_to_anchor=(-0.75, 1))
    figure.colorbar(shown, label="evaluation", ax=axes)
    return figure


if __name__ == "__main__":
    answer = solve()
    print(answer)
    draw(answer).savefig("two_variables.png")
