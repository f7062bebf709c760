"""Parallel: every worker busy.

Simulations take different times. With `updating="async"` no worker waits for the slowest one. The
figure shows who worked when.
"""

import time

import matplotlib.pyplot as plt

import rdex


def simulate(x):
    """A simulation of 10 to 90 ms, depending on the design."""
    time.sleep(0.01 + 0.02 * abs(x[0]))
    return (x**2).sum(), [1 - x[0] * x[1]]


def solve():
    """Four workers, results as they come."""
    problem = rdex.Problem.from_function(simulate, [(-4, 4)] * 2, n_ineq=1)
    return rdex.minimize(problem, workers=4, updating="async", maxfev=160, rng=1)


def draw(result):
    """One bar per evaluation, one row per worker."""
    table = result.evaluations
    figure, axes = plt.subplots(figsize=(6.4, 2.6), layout="constrained")
    begin = table["at"] - table["seconds"]
    rows = {worker: row for row, worker in enumerate(sorted(table["worker"].unique()))}
    axes.barh(
        table["worker"].map(rows), table["seconds"], left=begin, height=0.8,
        color="steelblue", edgecolor="white", linewidth=0.4,
    )  # fmt: skip
    axes.set_yticks(range(len(rows)), [f"worker {row + 1}" for row in rows.values()])
    axes.set_xlabel("seconds")
    axes.set_title(
        f"{result.nfev} evaluations, workers {result.workers_busy:.0%} busy", fontsize=10
    )
    return figure


if __name__ == "__main__":
    answer = solve()
    print(answer)
    draw(answer).savefig("workers.png")
