"""The numbers behind a problem: its shift and matrices, generated or the organisers' own."""

import os
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rdex.suites.cec2017.definitions import DEFINITIONS
from rdex.suites.cec2017.official import read_numbers, source_of

Floats = NDArray[np.float64]

#: How many shifts a problem has; dimension d uses the first d.
N_SHIFT = 100


class Instance(NamedTuple):
    """Shift (d,) and matrices (d, d) of one problem, read-only; z = matrix @ (x - shift)."""

    shift: Floats
    matrices: tuple[Floats, ...]

    def flat(self) -> Floats:
        """What the compiled functions read: the shift, then each matrix transposed."""
        return np.concatenate([self.shift, *(matrix.T.ravel() for matrix in self.matrices)])


def load_instance(
    number: int, dim: int, instance: int | str, data: str | os.PathLike[str] | None
) -> Instance:
    """The named instance of a problem; a ValueError for a name that means nothing."""
    if isinstance(instance, str) and instance == "official":
        return official_instance(number, dim, data)
    is_whole = isinstance(instance, int | np.integer) and not isinstance(instance, bool)
    if not is_whole or int(instance) < 1:
        raise ValueError(f'instance must be "official" or a whole number >= 1, got {instance!r}')
    if data is not None:
        raise ValueError(f'data= is read only with instance="official", got instance={instance!r}')
    return generated_instance(number, dim, int(instance))


@lru_cache(maxsize=128)
def generated_instance(number: int, dim: int, k: int) -> Instance:
    """Instance k: shifts in the inner half of the box, orthogonal matrices.

    The matrices are rounded to 12 digits so that linear-algebra libraries agree on them; an entry
    that falls on a rounding edge can still differ by 1e-12 between two of them.
    """
    definition = DEFINITIONS[number]
    rng = np.random.default_rng([2017, k, number])
    shift = rng.uniform(-0.5, 0.5, N_SHIFT) * definition.bound
    rng = np.random.default_rng([2017, k, number, dim])
    matrices = []
    for _ in range(definition.n_matrices):
        q, r = np.linalg.qr(rng.standard_normal((dim, dim)))
        matrices.append(np.round(q * np.sign(np.diag(r)), 12))
    return _read_only(shift[:dim], matrices)


def official_instance(
    number: int, dim: int, data: str | os.PathLike[str] | None = None
) -> Instance:
    """The organisers' instance, from wherever `source_of` finds its files."""
    shift_file, *matrix_files = official_files(number, dim)
    source = source_of([shift_file, *matrix_files], data)
    shift = read_numbers(source, shift_file, N_SHIFT)[:dim]
    matrices = [read_numbers(source, name, dim * dim).reshape(dim, dim) for name in matrix_files]
    return _read_only(shift, matrices)


def official_files(number: int, dim: int) -> list[str]:
    """Names of the shift file and the matrix files of a problem."""
    prefixes = {0: [], 1: [f"M_{number}"], 2: [f"M1_{number}", f"M2_{number}"]}
    matrices = prefixes[DEFINITIONS[number].n_matrices]
    return [f"shift_data_{number}.txt", *(f"{prefix}_D{dim}.txt" for prefix in matrices)]


def _read_only(shift: Floats, matrices: list[Floats]) -> Instance:
    """An Instance that its cached users cannot change under each other."""
    for array in (shift, *matrices):
        array.setflags(write=False)
    return Instance(shift, tuple(matrices))
