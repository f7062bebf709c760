"""Pools that are closed, and functions beside the tests that worker processes can import."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))


@pytest.fixture
def pool_of():
    """Makes pools of processes from functions."""
    from rdex.workers.point_task import PointTask
    from rdex.workers.pool import make_pool

    pools = []

    def make(function, n=2, n_ineq=1, **limits):
        pools.append(make_pool(PointTask(function, n_ineq, 0), n, **limits))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()
