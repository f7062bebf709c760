"""Evaluations on a Dask cluster; with the same batch= the answer is the same for any number of
workers.

Replace the local cluster by the address of yours: Client("scheduler:8786").
"""

import math
import time

from distributed import Client, LocalCluster

import rdex


def simulation(x):
    """Stands for something slow: f, and constraints <= 0."""
    time.sleep(0.001)
    return x[0] ** 2 + x[1] ** 2, [1 - x[0] * x[1], math.sin(x[0]) - 0.99]


if __name__ == "__main__":
    problem = rdex.Problem.from_function(simulation, [(-4, 4)] * 2, n_ineq=2, name="simulation")
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    )
    with cluster, Client(cluster) as client:
        result = rdex.minimize(problem, workers=client, batch=4, maxfev=120, rng=1)
    alone = rdex.minimize(problem, batch=4, maxfev=120, rng=1)
    print(result)
    print("\nthe same run without workers:", (alone.x == result.x).all())
