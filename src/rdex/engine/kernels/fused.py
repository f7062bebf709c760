"""The loop for compiled objectives: ask, evaluate, tell without returning to Python.

The explicit signature takes the problem as a first-class function, so that all problems share one
compiled loop, found in the cache by every later process.
"""

from numba import types

from rdex.engine.kernels.layout import ASKED, MAPPED, N0, STATE_TYPE, TOLD, N
from rdex.engine.kernels.steps import (
    batch_of_size,
    can_ask,
    decode,
    is_goal_reached,
    row_after,
    tell_row,
)
from rdex.engine.kernels.variation import ask_row
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

    `batch` rows are drawn from one state before the first is evaluated; 0 stands for
    `default_batch` of the present size.
    """
    count = state.count
    capacity = state.info.shape[0]
    first = 3 * int(state.param[N0])
    k = count[TOLD] % capacity
    while count[TOLD] < stop_at and not is_goal_reached(state.param, state.value):
        if count[ASKED] == count[TOLD]:
            row = k
            for _ in range(batch if batch > 0 else batch_of_size(count[N])):
                if not can_ask(state.param, count, state.value, False):
                    break
                ask_row(state, row)
                row = row_after(row, capacity)
        decode(state.x, first + k, state.box, count[MAPPED], point)
        f = objective(point, data, work, g, h)
        if tell_row(state, k, f, g, h) and stop_at_generation:
            return True
        k = row_after(k, capacity)
    return False
