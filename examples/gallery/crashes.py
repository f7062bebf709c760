"""A simulator that crashes.

A quarter of the box crashes: the "mesh" cannot be made there. Failed evaluations count as worst,
and the search goes on. The file of evaluations says where it failed.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import rdex


def simulate(x):
    """A valley along a curve; no mesh in the upper left corner."""
    if x[0] + 0.6 < x[1]:
        raise RuntimeError("mesh generation failed")
    return (1 - x[0]) ** 2 + 30 * (x[1] - x[0] ** 2) ** 2, [0.3 - x[1]]


def solve():
    """The best design that can be simulated."""
    problem = rdex.Problem.from_function(simulate, [(-1.5, 1.5)] * 2, n_ineq=1)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "run.csv")
        return rdex.minimize(problem, x0=[1.0, 0.0], maxfev=600, evaluations=log, rng=1)


def draw(result):
    """Every evaluation: fine, or crashed."""
    table = result.evaluations
    names = result.variable_names
    figure, axes = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
    for status, colour, marker in (("raised", "tab:red", "x"), ("ok", "tab:blue", "o")):
        rows = table[table.status == status]
        label = f"{len(rows)} {'crashed' if status == 'raised' else 'fine'}"
        axes.scatter(rows[names[0]], rows[names[1]], s=9, c=colour, marker=marker, label=label)
    axes.plot(*result.x, "k*", ms=13)
    axes.axhline(0.3, ls="--", c="gray")
    axes.legend(loc="lower left", fontsize=8)
    axes.set_title(f"best {result.fun:.4g} with {result.n_failed} crashes", fontsize=10)
    return figure


if __name__ == "__main__":
    answer = solve()
    print(answer)
    draw(answer).savefig("crashes.png")
