"""Tension spring: where is the feasible region?

Three variables, four constraints. The feasible region is a thin crescent, and the best spring
lies at its tip.
"""

import matplotlib.pyplot as plt
import numpy as np

import rdex


def spring(x):
    """Weight, and four constraints that must not exceed zero; works on arrays."""
    wire, coil, turns = x
    ratio = coil / wire
    return (turns + 2) * coil * wire**2, [
        1 - ratio**3 * turns / (71785 * wire),
        (4 * ratio**2 - ratio) / (12566 * (ratio - 1) * wire**2) + 1 / (5108 * wire**2) - 1,
        1 - 140.45 * wire / (coil**2 * turns),
        (coil + wire) / 1.5 - 1,
    ]


def solve():
    """The lightest spring."""
    problem = rdex.Problem.from_function(
        spring,
        [(0.05, 0.2), (0.25, 1.3), (2, 15)],
        n_ineq=4,
        variable_names=["wire", "coil", "turns"],
        constraint_names=["deflection", "shear stress", "frequency", "diameter"],
    )
    return rdex.minimize(problem, maxfev=10_000, rng=1)


def draw(result):
    """The feasible region at the best number of turns."""
    wire, coil = np.meshgrid(np.linspace(0.05, 0.1, 300), np.linspace(0.25, 1.0, 300))
    weight, limits = spring((wire, coil, result.x[2]))
    figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    axes.contour(wire, coil, weight, 12, colors="lightgray")
    axes.contourf(wire, coil, np.max(limits, axis=0), [-9, 0], colors=["palegreen"])
    axes.plot(result.x[0], result.x[1], "r*", ms=12)
    axes.set_xlabel("wire diameter")
    axes.set_ylabel("coil diameter")
    axes.set_title(
        f"feasible at {result.x[2]:.1f} turns; best weight {result.fun:.6f}", fontsize=10
    )
    return figure


if __name__ == "__main__":
    answer = solve()
    print(answer)
    draw(answer).savefig("tension_spring.png")
