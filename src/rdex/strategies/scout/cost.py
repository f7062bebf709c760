"""What the model-based search costs, as a formula: decisions by a clock could not be repeated."""

from __future__ import annotations

from rdex.strategies.scout.modelling import GLOBAL_POINTS, local_size


def expected_seconds(n_points: int, d: int, n_functions: int) -> float:
    """Seconds per evaluation on one idle core, within a factor of about 2.

    Parameters
    ----------
    n_points : int
        Points known.
    d : int
        Variables.
    n_functions : int
        f and the constraints.
    """
    n = min(n_points, local_size(d), GLOBAL_POINTS)
    factorising = 1e-3 + 4e-10 * n**3
    evaluating = 60 * (30e-6 + 1.2e-9 * n * (d + n_functions))
    stepping = 30 * (10e-6 + 6e-9 * (d + 1) ** 2 * (d + n_functions) / 2)
    return factorising + evaluating + stepping
