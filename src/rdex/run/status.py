"""Why a run stopped: one code and one sentence for each reason."""

from enum import IntEnum


class Status(IntEnum):
    """Why a run stopped."""

    RUNNING = -1
    BUDGET = 0
    TARGET = 1
    STAGNATION = 2
    TIME = 3
    CALLBACK = 4
    INTERRUPTED = 5
    FAILED = 6
    FINISHED = 7


MESSAGES = {
    Status.RUNNING: "The run has not ended.",
    Status.BUDGET: "Evaluation budget exhausted.",
    Status.TARGET: "A feasible point at or below the target was found.",
    Status.STAGNATION: "The population has converged to within tol.",
    Status.TIME: "The time limit was reached.",
    Status.CALLBACK: "The callback asked to stop.",
    Status.INTERRUPTED: "The run was interrupted.",
    Status.FAILED: "All initial evaluations gave NaN or infinite values: check the function.",
    Status.FINISHED: "The search ended before its budget.",
}
