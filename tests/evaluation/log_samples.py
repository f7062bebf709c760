"""A small problem and some evaluations of it, of every kind."""

import math

import numpy as np

from rdex import Problem
from rdex.evaluation.log import Entry, EvaluationLog
from rdex.workers.point_task import Outcome, failed

PROBLEM = Problem(
    [0, 0], [9, 9], n_ineq=1, n_eq=1, point=lambda x, g, h: 0.0,
    variable_names=("width, mm", "f"), constraint_names=("stress", "balance"),
)  # fmt: skip
RUN = {"maxfev": 100, "rng": [1, 2]}


def entry(k):
    """Some evaluation, each of its own kind."""
    x = np.array([k / 3.0, 1e-300 * k])
    outcomes = [
        Outcome(0.1 * k, np.array([-1.0 / 3.0]), np.array([5e-324]), None, "ok", 0.25, "node:12"),
        Outcome(math.nan, np.array([2.0]), np.array([math.nan]), None, "skipped"),
        failed(
            1, 1, 'Traceback\n  "quoted", and\nValueError: no, "never"', "raised", 1.5, "node:3"
        ),
        Outcome(-math.inf, np.array([math.inf]), np.array([-0.0])),
    ]
    return Entry(7 * k, x, outcomes[k % 4], 0.5 * k)


def written(path, n):
    """A log with the first `n` of them, closed."""
    log = EvaluationLog(PROBLEM, path, RUN)
    for k in range(n):
        log.append(entry(k))
    log.close()
    return log


def same(a, b):
    """Whether two evaluations are the same, apart from times."""
    return (
        a.number == b.number
        and a.x.tobytes() == b.x.tobytes()
        and np.array_equal(
            [a.outcome.f, *a.outcome.g, *a.outcome.h],
            [b.outcome.f, *b.outcome.g, *b.outcome.h], equal_nan=True,
        )
        and a.outcome.status == b.outcome.status
    )  # fmt: skip


def read_back(path, n):
    """Whether a file holds exactly the first `n` evaluations."""
    log = EvaluationLog(PROBLEM, path, RUN)
    log.close()
    return len(log.entries) == n and all(same(log.entries[k], entry(k)) for k in range(n))
