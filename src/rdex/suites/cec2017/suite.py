"""`problem`: one of the 28 as a `Problem`."""

import os

import numpy as np

from rdex.problem import Problem
from rdex.problem.compiled_function import KernelFunction
from rdex.suites.cec2017.definitions import DEFINITIONS, DIMENSIONS, EDITIONS, EQ_TOL
from rdex.suites.cec2017.instance import load_instance
from rdex.suites.cec2017.optima import known_optimum

#: What the organisers redefined in September 2024.
CHANGED_IN_2024 = (9, 15, 24)

SOURCE = (
    "G. Wu, R. Mallipeddi, P. N. Suganthan: Problem definitions and evaluation criteria for the "
    "CEC 2017 competition on constrained real-parameter optimization, 2017"
)


def problem(
    number: int,
    dim: int,
    edition: str = "2017",
    instance: int | str = 1,
    data: str | os.PathLike[str] | None = None,
) -> Problem:
    """Problem `number` of CEC 2017 in `dim` variables.

    Parameters
    ----------
    number : int
        1 to 28.
    dim : int
        10, 30, 50 or 100.
    edition : {"2017", "2024"}
        The organisers changed C09, C15 and C24 in September 2024; the entries of the RDEx paper
        ran on ``"2017"``.
    instance : int or "official"
        A whole number k >= 1 generates instance k: always the same shift and rotations, no files
        needed. The default is 1, because it works everywhere. ``"official"`` takes the
        organisers' data; published results refer to it. The id and ``info`` say which it is.
    data : path, optional
        Folder or zip of the official data. Otherwise the environment variable RDEX_CEC2017_DATA
        names it, or the user's cache has it, or it is downloaded there.

    Returns
    -------
    Problem
        With an id such as ``cec2017/C07/d30/2017/official``. `optimum` is set where it is proved
        for equality constraints met to 1e-4 (see `rdex.suites.cec2017.optima`); it can lie below
        the values that competitions report.

    Raises
    ------
    ValueError
        For an unknown number, dimension, edition or instance, and for altered data.
    FileNotFoundError
        Where the official data cannot be had.

    Examples
    --------
    >>> c01 = problem(1, 10)
    >>> c01.id, c01.n_ineq, c01.n_eq, c01.optimum
    ('cec2017/C01/d10/2017/1', 1, 0, 0.0)
    >>> F, G, H = c01.evaluate(c01.optimum_x[None])
    >>> F.tolist(), G.tolist()
    ([0.0], [[-90000.0]])
    """
    number = _checked_choice("number", number, range(1, 29))
    dim = _checked_choice("dim", dim, DIMENSIONS)
    if edition not in EDITIONS:
        raise ValueError(f'edition must be "2017" or "2024", got {edition!r}')
    definition = DEFINITIONS[number]
    loaded = load_instance(number, dim, instance, data)
    optimum = known_optimum(number, edition, loaded)
    info = {
        "suite": "cec2017",
        "edition": edition,
        "instance": str(instance),
        "formula": definition.formula,
        "is_rotated": definition.is_rotated,
        "eq_tol": EQ_TOL,
        "source": SOURCE,
    }
    if definition.has_feasible_point is False:
        info["remark"] = "no point is feasible"
    return Problem(
        lower=np.full(dim, -definition.bound),
        upper=np.full(dim, definition.bound),
        n_ineq=definition.n_ineq,
        n_eq=definition.n_eq,
        compile=KernelFunction(place_of(number, edition), loaded.flat(), 2 * dim),
        name=definition.name,
        id=f"cec2017/{definition.name}/d{dim}/{edition}/{instance}",
        optimum=optimum.value,
        optimum_x=optimum.x,
        info=info,
    )


def place_of(number: int, edition: str) -> str:
    """The kernel of a problem; both editions share it where they agree."""
    module = "direct" if number <= 11 or number == 20 else "paired"
    changed = "_of_2024" if edition == "2024" and number in CHANGED_IN_2024 else ""
    return f"rdex.suites.cec2017.kernels.{module}:c{number:02d}{changed}"


def _checked_choice(label: str, value: int, choices: range | tuple[int, ...]) -> int:
    """The value as an int, or a ValueError listing what it may be."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value not in choices:
        if isinstance(choices, range):
            allowed = f"a whole number from {choices[0]} to {choices[-1]}"
        else:
            allowed = "one of " + ", ".join(map(str, choices))
        raise ValueError(f"{label} must be {allowed}, got {value!r}")
    return int(value)
