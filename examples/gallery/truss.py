"""Ten-bar truss: how thick is every bar?

A structure of the engineering suite: ten sections, limits on ten stresses and eight
displacements, the lightest truss. Most of the material goes into five bars.
"""

import matplotlib.pyplot as plt

import rdex
import rdex.suites

NODES = [(720, 360), (720, 0), (360, 360), (360, 0), (0, 360), (0, 0)]
BARS = [(4, 2), (2, 0), (5, 3), (3, 1), (2, 3), (0, 1), (4, 3), (5, 2), (2, 1), (3, 0)]


def solve():
    """The lightest truss."""
    return rdex.minimize(rdex.suites.get("engineering/ten-bar-truss"), maxfev=20_000, rng=1)


def draw(result):
    """The truss, with line widths by section."""
    figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    for (start, end), section in zip(BARS, result.x, strict=True):
        (x1, y1), (x2, y2) = NODES[start], NODES[end]
        axes.plot([x1, x2], [y1, y2], c="steelblue", lw=0.5 + section / 3, solid_capstyle="round")
    for x, y in NODES:
        axes.plot(x, y, "o", c="black", ms=6)
    for x in (360, 720):
        axes.annotate("", (x, -90), (x, -5), arrowprops={"arrowstyle": "->", "color": "tab:red"})
    axes.plot([0, 0], [-40, 400], c="gray", lw=4)
    axes.set_aspect("equal")
    axes.set_ylim(-110, 410)
    axes.axis("off")
    axes.set_title(f"weight {result.fun:.0f} lb, loads in red", fontsize=10)
    return figure


if __name__ == "__main__":
    answer = solve()
    print(answer)
    draw(answer).savefig("truss.png")
