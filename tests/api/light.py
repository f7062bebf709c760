"""Functions that worker processes of the tests import: nothing here takes long to load."""

import os
import time

import numpy as np

BOX = [(-5.0, 5.0)] * 2


def square(x):
    return float(x @ x)


def ring(x):
    return x[0] ** 2 + x[1] ** 2


def tilted(x):
    return float(x[0] + np.sin(3 * x[1]) + 0.1 * (x @ x))


def shifted(x):
    return tilted(x) + 0.25


def as_before(x):
    return tilted(x), [float(x[0]) - 3.0]


def tighter(x):
    return tilted(x), [float(x[0]) - 2.99]


def bowl(x):
    """f and one constraint."""
    return float(x @ x), [1.0 - x[0]]


def oval(x):
    return x[0] ** 2 + 2 * x[1] ** 2


def one_call(x):
    """(f, G, H) of a small simulator."""
    return tilted(x), [1.0 - ring(x)], [x[0] + x[1] - 0.5]


def uneven(x):
    """The same, some of its points slow."""
    time.sleep(0.03 if int(x[0] * 1e4) % 5 == 0 else 0.001)
    return one_call(x)


def flaky(x):
    """The same, but it crashes, raises and hangs now and then, by the point."""
    kind = int(abs(x[0]) * 1e5) % 20
    if kind == 0:
        os._exit(5)
    if kind == 1:
        raise ArithmeticError("diverged")
    if kind == 2:
        time.sleep(300)
    return one_call(x)


def forbidden(x):
    raise AssertionError("evaluated although it is in the file")
