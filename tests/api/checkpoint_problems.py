"""The runs that other processes make for test_checkpoint: function, bounds and options."""

import time

from problems import BOX, LENS, tilted


def python(slow):
    def fun(x):
        if slow:
            time.sleep(0.01)
        return tilted(x)

    return fun


def immediate(slow):
    return python(slow), BOX, {**LENS, "maxfev": 400, "rng": 3}


def deferred(slow):
    return python(slow), BOX, {**LENS, "maxfev": 400, "rng": 3, "updating": "deferred"}


def compiled(slow):
    import numba

    rounds = 2_000_000 if slow else 0

    @numba.njit
    def fun(x):
        waste = 0.0
        for k in range(rounds):
            waste += (k % 7) * 1e-9
        return (x[0] - 1.0) ** 2 + 3.0 * (x[1] + 1.0) ** 2 + 0.0 * waste

    @numba.njit
    def constraint(x):
        return x[0] + x[1] - 1.0

    return fun, BOX, {"constraints": {"type": "ineq", "fun": constraint}, "maxfev": 400, "rng": 3}


KINDS = {"immediate": immediate, "deferred": deferred, "compiled": compiled}
