"""Cluster: the same call with Dask.

A Dask client takes the place of the number of workers. Here the cluster is this machine;
elsewhere it is the address of a scheduler. The result is the same, bit for bit.
"""

import matplotlib.pyplot as plt

import rdex


def simulate(x):
    """Two circles overlap in a lens; the best point is in its corner."""
    outside = [(x[0] - 1) ** 2 + x[1] ** 2 - 2, (x[0] + 1) ** 2 + x[1] ** 2 - 2]
    return -x[1] + 0.2 * x[0], outside


def solve(workers=None):
    """On a cluster of two threads, unless workers are given."""
    from distributed import Client

    problem = rdex.Problem.from_function(simulate, [(-2, 2)] * 2, n_ineq=2)
    if workers is not None:
        return rdex.minimize(problem, workers=workers, updating="deferred", maxfev=300, rng=1)
    with Client(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as client:
        return rdex.minimize(problem, workers=client, maxfev=300, rng=1)


def draw(result):
    """The lens, and the answer."""
    figure, axes = plt.subplots(figsize=(3.6, 3.4), layout="constrained")
    for centre in (-1, 1):
        axes.add_patch(plt.Circle((centre, 0), 2**0.5, fc="steelblue", alpha=0.35))
    axes.plot(*result.x, "r*", ms=13)
    axes.set_aspect("equal")
    axes.set_xlim(-2.6, 2.6)
    axes.set_ylim(-1.7, 1.7)
    axes.set_title(f"f = {result.fun:.4f} on Dask", fontsize=10)
    return figure


if __name__ == "__main__":
    answer = solve()
    print(answer)
    print("the same without a cluster:", (solve(workers=1).x == answer.x).all())
    draw(answer).savefig("cluster.png")
