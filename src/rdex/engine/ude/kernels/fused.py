"""The loop for compiled objectives, as `rdex.engine.kernels.fused`."""

from numba import types

from rdex.engine.kernels.drivers import advance
from rdex.engine.kernels.layout import Steps
from rdex.engine.kernels.state_types import TASK_TYPE
from rdex.engine.ude.kernels.state_types import STATE_TYPE
from rdex.engine.ude.kernels.steps import can_ask, tell_row
from rdex.engine.ude.kernels.variation import ask_row
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
    """`drivers.advance`, one row at a time: the run is the same for every `batch`."""
    steps = Steps(can_ask, ask_row, tell_row)
    return advance(objective, task, state, stop_at, stop_at_generation, 1, steps)
