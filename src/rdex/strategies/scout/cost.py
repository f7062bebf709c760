"""What the model-based search costs, as a formula: decisions by a clock could not be repeated."""

from __future__ import annotations

from rdex.strategies.scout.modelling import local_size
from rdex.strategies.scout.subproblem import n_iterations, step_work


def expected_seconds(n_points: int, d: int, n_functions: int) -> float:
    """Seconds of CPU time per evaluation.

    Fitted to `benchmarks/models.py` on a machine of two cores that was busy (load 10): there it is
    within a factor of 2.5, mostly too low. On an idle core it has not been checked.

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
    factorising = 2.5e-3 + 1.2e-9 * n**3
    evaluating = 150 * (30e-6 + 5e-9 * n * (d + n_functions))
    n_sides = n_functions - 1
    stepping = 1.5 * n_iterations(d, n_sides) * (30e-6 + 3e-9 * step_work(d, n_sides))
    return factorising + evaluating + stepping
