"""G01 to G24, the constrained problems of the CEC 2006 special session.

J. J. Liang et al.: Problem Definitions and Evaluation Criteria for the CEC 2006 Special Session
on Constrained Real-Parameter Optimization, Nanyang Technological University, 2006. Equalities
count as met where |h| <= 1e-4. A run is successful where its point is feasible and f is within
1e-4 of the best known value (`rdex.suites.success`); G20 has no known feasible point and takes
no part in success rates.
"""

from __future__ import annotations

import operator

import numpy as np

from rdex.problem import Problem
from rdex.problem.compiled_function import KernelFunction
from rdex.suites.g2006.table import ROWS

__all__ = ["NUMBERS", "problem"]

#: The problems there are.
NUMBERS = tuple(ROWS)

SOURCE = (
    "J. J. Liang, T. P. Runarsson, E. Mezura-Montes, M. Clerc, P. N. Suganthan, C. A. Coello "
    "Coello, K. Deb: Problem Definitions and Evaluation Criteria for the CEC 2006 Special Session "
    "on Constrained Real-Parameter Optimization, 2006"
)


def problem(number: int) -> Problem:
    """G01 to G24 by number; compiled when first evaluated.

    Raises
    ------
    ValueError
        Where there is no problem of that number.

    Examples
    --------
    >>> g04 = problem(4)
    >>> g04.name, g04.dim, g04.n_ineq, g04.optimum
    ('G04', 5, 6, -30665.53867178332)
    """
    try:
        row = ROWS[operator.index(number)]
    except (KeyError, TypeError):
        raise ValueError(f"g2006: expected a number from 1 to 24, got {number!r}") from None
    name = f"G{number:02d}"
    half = "g01_to_g12" if number <= 12 else "g13_to_g24"
    info: dict[str, object] = {
        "suite": "g2006",
        "source": SOURCE,
        "eq_tol": 1e-4,
        "success": "absolute",
    }
    if row.remark:
        info["remark"] = row.remark
    return Problem(
        lower=np.array(row.lower),
        upper=np.array(row.upper),
        n_ineq=row.n_ineq,
        n_eq=row.n_eq,
        compile=KernelFunction(
            f"{__name__}.kernels.{half}:{name.lower()}", np.array(row.data, dtype=np.float64)
        ),
        name=name,
        id=f"g2006/{name}",
        optimum=row.optimum,
        optimum_x=None if row.optimum_x is None else np.array(row.optimum_x),
        info=info,
    )
