"""Hanging chain: two equality constraints.

Eight links hang between two hooks. The chain takes the shape of least potential energy. Two
equalities say that it ends at the second hook. A local search refines the answer, since
everything is smooth.
"""

import matplotlib.pyplot as plt
import numpy as np

import rdex

LINKS, SPAN, DROP = 8, 5.0, -1.0


def positions(angles):
    """Ends of the links, from the first hook on."""
    x, y = np.cumsum(np.cos(angles)), np.cumsum(np.sin(angles))
    return np.concatenate([[0], x]), np.concatenate([[0], y])


def chain(angles):
    """Potential energy, no inequalities, and two equalities."""
    x, y = positions(angles)
    return (y[:-1] + y[1:]).sum() / 2, [], [x[-1] - SPAN, y[-1] - DROP]


def solve():
    """The chain at rest."""
    problem = rdex.Problem.from_function(
        chain, [(-1.6, 1.6)] * LINKS, n_ineq=0, n_eq=2, constraint_names=["span", "drop"]
    )
    return rdex.minimize(problem, algorithm="rdex-csop+local", maxfev=10_000, rng=1)


def draw(result):
    """The chain between its hooks."""
    figure, axes = plt.subplots(figsize=(6.4, 3), layout="constrained")
    x, y = positions(result.x)
    axes.plot(x, y, "o-", c="steelblue", lw=3, ms=6)
    axes.plot([0, SPAN], [0, DROP], "ks", ms=9)
    axes.set_aspect("equal")
    axes.set_title(f"energy {result.fun:.4f}", fontsize=10)
    return figure


if __name__ == "__main__":
    answer = solve()
    print(answer)
    draw(answer).savefig("chain.png")
