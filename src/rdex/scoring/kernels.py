"""Pairs of trials: who ends better, and who gets there first.

Compiled because every pair needs a place in a trace: walking each trace once for all the values it
is compared at costs O(trials^2 + trials * checkpoints) for a problem.
"""

from numba import types

from rdex.jit.compiling import kernel, part
from rdex.jit.signatures import INTEGERS, MATRIX

POINTS = types.int8[:, ::1]


@part()
def reaches(f, v, goal_f, goal_v):
    """Whether (f, v) is at least as good as the goal, feasibility first."""
    if goal_v > 0.0:
        return v <= goal_v
    return v == 0.0 and f <= goal_f


@kernel(types.void(MATRIX, MATRIX, INTEGERS, INTEGERS, POINTS, POINTS))
def half_points(f, v, order, own, accuracy, speed):
    """Fill accuracy and speed (n, n) with the half points row trials earn against column trials.

    f, v: (n, checkpoints) traces; order: (n,) trials from worst to best end; own: (n,) scratch.
    A won pair is 2, a shared one 1. A trial against itself shares, so that resampled copies of a
    trial meet as equals.
    """
    n = f.shape[0]
    last = f.shape[1] - 1
    for place in range(n):
        i = order[place]
        k = 0
        for below in range(place):
            j = order[below]
            goal_f = f[j, last]
            goal_v = v[j, last]
            # Goals only improve along `order`, so the walk along the trace never turns back.
            while not reaches(f[i, k], v[i, k], goal_f, goal_v):
                k += 1
            won = 2
            if reaches(goal_f, goal_v, f[i, last], v[i, last]):
                won = 1
            accuracy[i, j] = won
            accuracy[j, i] = 2 - won
            faster = 1
            if k < own[j]:
                faster = 2
            elif k > own[j]:
                faster = 0
            speed[i, j] = faster
            speed[j, i] = 2 - faster
        while not reaches(f[i, k], v[i, k], f[i, last], v[i, last]):
            k += 1
        own[i] = k
        accuracy[i, i] = 1
        speed[i, i] = 1
