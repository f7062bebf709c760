"""Infeasible: two constraints in conflict.

The bracket must be stiff and light, and cannot be both. The answer is the point with the smallest
violation. `result.conflict()` names the constraints that cannot hold together, and how far each
would have to give way.
"""

import matplotlib.pyplot as plt
import numpy as np

import rdex


def bracket(x):
    """Cost; stiffness at least 40, mass at most 6, width below height; works on arrays."""
    width, height = x
    stiffness, mass = width * height**3 / 10, 2 * width * height
    return 3 * width + height, [40 - stiffness, mass - 6, width - height]


def solve():
    """The compromise."""
    problem = rdex.Problem.from_function(
        bracket,
        [(0.5, 4), (0.5, 6)],
        n_ineq=3,
        variable_names=["width", "height"],
        constraint_names=["stiffness", "mass", "shape"],
        stated=[(">=", 40), ("<=", 6), ("<=", 0)],
    )
    return rdex.minimize(problem, maxfev=2000, rng=1)


def draw(result):
    """Where each constraint holds."""
    width, height = np.meshgrid(np.linspace(0.5, 4, 200), np.linspace(0.5, 6, 200))
    stiffness, mass, _ = bracket((width, height))[1]
    figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    axes.contourf(width, height, stiffness, [-1e9, 0], colors=["lightsteelblue"])
    axes.contourf(width, height, mass, [-1e9, 0], colors=["moccasin"])
    axes.annotate("stiff enough", (3.0, 5.6))
    axes.annotate("light enough", (0.6, 1.2))
    axes.plot(*result.x, "r*", ms=12)
    axes.set_xlim(0.3, 4)
    axes.set_ylim(0.3, 6.3)
    axes.set_xlabel("width")
    axes.set_ylabel("height")
    conflict = " and ".join(result.conflict().names)
    axes.set_title(f"conflict: {conflict}; the star violates least", fontsize=10)
    return figure


if __name__ == "__main__":
    answer = solve()
    print(answer)
    print(answer.conflict())
    draw(answer).savefig("infeasible.png")
