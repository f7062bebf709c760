"""Types of the state, for the signatures of kernels."""

from numba import from_dtype, types

from rdex.engine.kernels.layout import (
    PENDING,
    RUN,
    SETTINGS,
    SLOT,
    Best,
    Members,
    Ranks,
    Scratch,
    State,
    Task,
    Trace,
)
from rdex.jit.signatures import INTEGERS, MATRIX, VECTOR, WORDS


def records_of(dtype):
    """Type of an array of records."""
    return types.Array(from_dtype(dtype), 1, "C")


def point_type(state_type):
    """What is bound for one point at a time: state, g, h and the next point."""
    return types.Tuple((state_type, VECTOR, VECTOR, VECTOR))


def batch_type(state_type):
    """What is bound for batches: state, f, g, h and the next points, with room for the largest."""
    return types.Tuple((state_type, VECTOR, MATRIX, MATRIX, MATRIX))


def group_type(group, *kinds):
    """Type of a NamedTuple of arrays of these types; numba has another name for equal ones."""
    if len(set(kinds)) == 1:
        return types.NamedUniTuple(kinds[0], len(kinds), group)
    return types.NamedTuple(kinds, group)


MEMBERS_TYPE = group_type(Members, MATRIX, VECTOR, VECTOR)
BEST_TYPE = group_type(Best, VECTOR, VECTOR, VECTOR)
TRACE_TYPE = group_type(Trace, VECTOR, VECTOR, MATRIX)
TASK_TYPE = group_type(Task, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR)
STATE_TYPE = group_type(
    State,
    records_of(SETTINGS),
    records_of(RUN),
    WORDS,
    MATRIX,
    MATRIX,
    MEMBERS_TYPE,
    group_type(Ranks, INTEGERS, INTEGERS),
    records_of(PENDING),
    records_of(SLOT),
    MATRIX,
    BEST_TYPE,
    TRACE_TYPE,
    MATRIX,
    group_type(Scratch, INTEGERS, VECTOR, INTEGERS),
)
