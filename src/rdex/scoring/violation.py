"""The three forms in which programs write a violation.

- ``mean``: φ, the mean over all constraints of max(g, 0) and of |h| above the tolerance.
- ``sum``: the same without the division; the competitions' LCV.
- ``signed``: the plain sum of raw g, and of h with |h| inside the tolerance set to zero. The
  released RDEx program writes this and the paper's Final-CV table holds it. Slack in one constraint
  pays for violation in another, so a signed sum <= 0 is not feasibility.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rdex.scoring.arrays import Floats

FORMS = ("mean", "sum", "signed")


def checked_form(form: str) -> str:
    """`form`, or a ValueError naming the three there are."""
    if form not in FORMS:
        raise ValueError(f"form of violation must be one of {', '.join(FORMS)}, got {form!r}")
    return form


def violation_from_constraints(
    G: ArrayLike, H: ArrayLike, form: str = "mean", eq_tol: ArrayLike = 1e-4
) -> Floats:
    """Violation in the given form from constraint values, constraints along the last axis.

    Examples
    --------
    C07 of CEC 2017 has h2 = -h1, so that its signed sum is always zero:

    >>> H = [[5.0, -5.0]]
    >>> G = np.empty((1, 0))
    >>> [float(violation_from_constraints(G, H, form)[0]) for form in FORMS]
    [5.0, 10.0, 0.0]
    """
    checked_form(form)
    g, h = np.asarray(G, dtype=np.float64), np.asarray(H, dtype=np.float64)
    if g.shape[:-1] != h.shape[:-1]:
        raise ValueError(
            f"G and H must agree in all axes but the last, got {g.shape} and {h.shape}"
        )
    beyond = np.where(np.abs(h) <= eq_tol, 0.0, h)
    if form == "signed":
        return g.sum(axis=-1) + beyond.sum(axis=-1)
    total = np.maximum(g, 0.0).sum(axis=-1) + np.abs(beyond).sum(axis=-1)
    count = g.shape[-1] + h.shape[-1]
    return total / count if form == "mean" and count else total
