"""Types of the state of UDE, for the signatures of its kernels."""

from numba import types

from rdex.engine.kernels.layout import PENDING
from rdex.engine.kernels.state_types import (
    BEST_TYPE,
    MEMBERS_TYPE,
    TRACE_TYPE,
    group_type,
    records_of,
)
from rdex.engine.ude.kernels.layout import (
    UDE_RUN,
    UDE_SETTINGS,
    Learnt,
    UdeRanks,
    UdeScratch,
    UdeState,
)
from rdex.jit.signatures import INTEGERS, MATRIX, VECTOR, WORDS

STATE_TYPE = group_type(
    UdeState,
    records_of(UDE_SETTINGS),
    records_of(UDE_RUN),
    WORDS,
    MATRIX,
    MATRIX,
    MEMBERS_TYPE,
    group_type(UdeRanks, INTEGERS, INTEGERS, INTEGERS),
    records_of(PENDING),
    group_type(Learnt, MATRIX, INTEGERS, types.int64[:, ::1], MATRIX),
    MATRIX,
    BEST_TYPE,
    TRACE_TYPE,
    MATRIX,
    group_type(UdeScratch, INTEGERS, VECTOR, INTEGERS, VECTOR),
)
