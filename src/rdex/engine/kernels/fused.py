"""The loop for compiled objectives: ask, evaluate, tell without returning to Python.

The explicit signature takes the problem as a first-class function, so that all problems share one
compiled loop, found in the cache by every later process.
"""

from numba import types

from rdex.engine.kernels.drivers import advance
from rdex.engine.kernels.layout import Steps
from rdex.engine.kernels.state_types import STATE_TYPE, TASK_TYPE
from rdex.engine.kernels.steps import can_ask, tell_row
from rdex.engine.kernels.variation import ask_row
from rdex.jit.compiling import kernel
from rdex.jit.signatures import OBJECTIVE


@kernel(
    types.boolean(
        types.FunctionType(OBJECTIVE),
        TASK_TYPE,
        STATE_TYPE,
        types.int64,
        types.boolean,
        types.int64,
    )
)
def run_compiled(objective, task, state, stop_at, stop_at_generation, batch):
    """`drivers.advance`."""
    steps = Steps(can_ask, ask_row, tell_row)
    return advance(objective, task, state, stop_at, stop_at_generation, batch, steps)
