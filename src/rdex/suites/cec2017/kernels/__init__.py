"""The 28 functions as compiled single-point evaluations, each compiled when first asked for.

Every function has the one signature f = function(x, data, work, g, h): it writes g and h, returns
f and allocates nothing. `data` holds the shift (d) and then the transposed matrices (d·d each);
`work` has 2d places. The modules keep the entry points as plain functions, because decorating one
with a signature compiles it: asking for C07 must not compile the other 27.
"""

from functools import cache

from rdex.jit.compiling import kernel, ready
from rdex.jit.signatures import OBJECTIVE
from rdex.suites.cec2017.kernels.direct import (
    c01,
    c02,
    c03,
    c04,
    c05,
    c06,
    c07,
    c08,
    c09,
    c09_of_2024,
    c10,
    c11,
    c20,
)
from rdex.suites.cec2017.kernels.paired import (
    c12,
    c13,
    c14,
    c15,
    c15_of_2024,
    c16,
    c17,
    c18,
    c19,
    c21,
    c22,
    c23,
    c24,
    c24_of_2024,
    c25,
    c26,
    c27,
    c28,
)

EDITION_2017 = (
    *(c01, c02, c03, c04, c05, c06, c07, c08, c09, c10, c11, c12, c13, c14),
    *(c15, c16, c17, c18, c19, c20, c21, c22, c23, c24, c25, c26, c27, c28),
)

#: What the organisers redefined in September 2024.
CHANGED_IN_2024 = {9: c09_of_2024, 15: c15_of_2024, 24: c24_of_2024}


def entry_point(number, edition):
    """The plain function of a problem; both editions share it where they agree."""
    if edition == "2024" and number in CHANGED_IN_2024:
        return CHANGED_IN_2024[number]
    return EDITION_2017[number - 1]


@cache
def compile_once(function):
    """The compiled form of an entry point, from the cache on disk where it is there."""
    return ready(kernel(OBJECTIVE)(function))


def compiled(number, edition):
    """The compiled function of problem `number` in `edition`."""
    return compile_once(entry_point(number, edition))


def work_length(dim):
    """How many places of scratch space the functions need: the point, and y = x - o beside it."""
    return 2 * dim
