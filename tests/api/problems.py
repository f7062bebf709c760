"""Small problems for tests of `minimize`, as plain functions that other processes can import."""

import numpy as np
from light import BOX, one_call, ring, square, tilted
from scipy.optimize import LinearConstraint, NonlinearConstraint

from rdex import Problem

__all__ = ["BOX", "LENS", "TOY", "one_call", "ring", "same_run", "simulator", "square", "tilted"]

#: The toy of the documentation: f* = 0.4999 with |h| <= 1e-4.
TOY = {"constraints": LinearConstraint([[1, 1]], 1, 1)}


#: Outside the unit circle, left of a line.
LENS = {
    "constraints": [
        NonlinearConstraint(ring, 1.0, np.inf),
        {"type": "ineq", "fun": lambda x: 2.0 - x[0] + 0.5 * x[1]},
    ]
}


def same_run(a, b):
    """Whether two results are of the same run, bit for bit."""
    return (
        a.nfev == b.nfev
        and a.nit == b.nit
        and a.fun == b.fun
        and np.array_equal(a.x, b.x)
        and np.array_equal(a.population, b.population)
        and np.array_equal(a.population_energies, b.population_energies)
        and all(
            np.array_equal(getattr(a.history, name), getattr(b.history, name), equal_nan=True)
            for name in ("nfev", "f", "cv", "eps", "n", "success_rate", "rho", "memory_CR")
        )
    )


def simulator(**facts):
    return Problem.from_function(one_call, BOX, n_ineq=1, n_eq=1, name="simulator", **facts)
