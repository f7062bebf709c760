"""The loop for compiled objectives: ask, evaluate, tell without returning to Python.

The explicit signature takes the problem as a first-class function, so that all problems share one
compiled loop, found in the cache by every later process.
"""

from numba import types

from rdex.engine.kernels.layout import ASKED, MAPPED, N0, TOLD
from rdex.engine.kernels.steps import decode, is_goal_reached
from rdex.engine.ude.kernels.layout import STATE_TYPE
from rdex.engine.ude.kernels.steps import ask_row, tell_row
from rdex.jit.compiling import kernel
from rdex.jit.signatures import OBJECTIVE, VECTOR


@kernel(
    types.boolean(
        types.FunctionType(OBJECTIVE), VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, STATE_TYPE,
        types.int64, types.boolean, types.int64,
    )
)  # fmt: skip
def run_compiled(objective, data, work, point, g, h, state, stop_at, stop_at_generation,
                 batch):  # fmt: skip
    """Ask, evaluate, tell until `stop_at` evaluations are done, the goal is reached, or a
    generation has ended if `stop_at_generation`. Returns whether one had.

    One row at a time: `batch` is there for the engine's sake, the run is the same for all.
    """
    count = state.count
    capacity = state.info.shape[0]
    first = 3 * int(state.param[N0])
    while count[TOLD] < stop_at and not is_goal_reached(state.param, state.value):
        if count[ASKED] == count[TOLD]:
            ask_row(state, count[ASKED] % capacity)
        k = count[TOLD] % capacity
        decode(state.x, first + k, state.box, count[MAPPED], point)
        f = objective(point, data, work, g, h)
        if tell_row(state, k, f, g, h) and stop_at_generation:
            return True
    return False
