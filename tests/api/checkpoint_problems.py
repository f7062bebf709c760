"""The runs that other processes make for test_checkpoint: function, bounds and options.

Each names its algorithm: the tests go on with them in a process where another one is the default.
"""

import time

from problems import BOX, LENS, tilted


def python(slow):
    def fun(x):
        if slow:
            time.sleep(0.01)
        return tilted(x)

    return fun


def immediate(slow):
    return python(slow), BOX, {**LENS, "maxfev": 400, "rng": 3, "algorithm": "rdex-csop"}


def deferred(slow):
    fun, bounds, options = immediate(slow)
    return fun, bounds, {**options, "updating": "deferred"}


def auto(slow):
    fun, bounds, options = immediate(slow)
    return fun, bounds, {**options, "maxfev": 90, "algorithm": "auto"}


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

    options = {"maxfev": 400, "rng": 3, "algorithm": "rdex-csop"}
    return fun, BOX, {"constraints": {"type": "ineq", "fun": constraint}, **options}


KINDS = {"immediate": immediate, "deferred": deferred, "auto": auto, "compiled": compiled}
