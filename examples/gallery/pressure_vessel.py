"""Pressure vessel: integer plates and real sizes.

The shell and the head are made of plates of 1/16 inch, so two variables are integers. The figure
shows the vessel to scale.
"""

import math

import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

import rdex

PLATE = 1 / 16  # inch


def vessel(design):
    """Cost, and three constraints that must not exceed zero."""
    shell, head = PLATE * design["shell plates"], PLATE * design["head plates"]
    radius, length = design["radius"], design["length"]
    cost = (
        0.6224 * shell * radius * length
        + 1.7781 * head * radius**2
        + 3.1661 * shell**2 * length
        + 19.84 * shell**2 * radius
    )
    volume = math.pi * radius**2 * length + 4 / 3 * math.pi * radius**3
    return cost, [0.0193 * radius - shell, 0.00954 * radius - head, 1_296_000 - volume]


def solve():
    """The cheapest vessel."""
    problem = rdex.Problem.from_function(
        vessel,
        {
            "shell plates": {"integer": (1, 99)},
            "head plates": {"integer": (1, 99)},
            "radius": (10, 200),
            "length": (10, 200),
        },
        n_ineq=3,
        constraint_names=["shell", "head", "volume"],
    )
    return rdex.minimize(problem, maxfev=12_000, rng=1)


def draw(result):
    """The vessel from the side."""
    best = result.design
    radius, length = best["radius"], best["length"]
    figure, axes = plt.subplots(figsize=(6.4, 2.8), layout="constrained")
    outline = FancyBboxPatch(
        (-radius, -radius), length + 2 * radius, 2 * radius, fc="lightsteelblue", ec="navy", lw=2,
        boxstyle=f"round,pad=0,rounding_size={radius}",
    )  # fmt: skip
    axes.add_patch(outline)
    axes.axvline(0, ls=":", c="gray")
    axes.axvline(length, ls=":", c="gray")
    axes.set_aspect("equal")
    axes.set_xlim(-1.2 * radius, length + 1.2 * radius)
    axes.set_ylim(-1.25 * radius, 1.25 * radius)
    plates = f"{best['shell plates']} and {best['head plates']} plates"
    axes.set_title(f"{plates}, radius {radius:.1f} in, cost {result.fun:.0f}", fontsize=10)
    return figure


if __name__ == "__main__":
    answer = solve()
    print(answer)
    draw(answer).savefig("pressure_vessel.png")
