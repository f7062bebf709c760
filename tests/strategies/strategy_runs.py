"""How tests drive strategies: by hand, with functions of one point."""

import numpy as np

from rdex.evaluation.judging import Judge
from rdex.problem.problem import Problem
from rdex.problem.space import Space
from rdex.strategies.archive import Archive, Sample
from rdex.strategies.strategy import Context


def make_problem(lower, upper, function, n_ineq=0, n_eq=0, **facts):
    """A problem whose function of one point gives (f, g, h)."""
    return Problem.from_function(function, list(zip(lower, upper, strict=True)),
                                 n_ineq=n_ineq, n_eq=n_eq, **facts)  # fmt: skip


def make_context(problem, maxfev=1000, logarithmic=None, eq_tol=1e-4, ineq_tol=0.0):
    space, judge = Space(problem, logarithmic), Judge(problem, eq_tol, ineq_tol)
    return Context(space, judge, Archive(space, judge), maxfev)


def sample_at(problem, x):
    f, g, h = problem.evaluate(np.array(x, dtype=float)[None, :])
    return Sample(np.array(x, dtype=float), float(f[0]), g[0], h[0])


def drive(search, problem, fails=lambda x: False):
    """Run a search of batches to its end: what it returned, and the batches."""
    batches = []
    samples = None
    try:
        while True:
            points = next(search) if samples is None else search.send(samples)
            batches.append(points)
            samples = [sample_at(problem, x) for x in points]
            samples = [
                Sample(s.x, np.nan, s.g * np.nan, s.h * np.nan) if fails(s.x) else s
                for s in samples
            ]
    except StopIteration as end:
        return end.value, batches
