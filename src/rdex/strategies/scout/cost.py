"""What the model-based search costs, as a formula: decisions by a clock could not be repeated."""

from __future__ import annotations

from rdex.strategies.scout.modelling import local_size
from rdex.strategies.scout.subproblem import n_iterations, step_work


def expected_seconds(n_points: int, d: int, n_functions: int) -> float:
    """Seconds of CPU time per evaluation.

    Fitted to `benchmarks/models.py` on a machine with two busy cores (load 5), to the smallest of
    a few runs per size: there, and with one idle core,
    it is within a factor of 1.8.

    Parameters
    ----------
    n_points : int
        Points known.
    d : int
        Variables.
    n_functions : int
        f and the constraints.
    """
    n = min(n_points, local_size(d))
    factorising = 3e-3 + 1.3e-10 * n**3
    evaluating = 1.35e-6 * n * (d + n_functions)
    n_sides = n_functions - 1
    stepping = n_iterations(d, n_sides) * (160e-6 + 0.6e-9 * step_work(d, n_sides))
    return factorising + evaluating + stepping
