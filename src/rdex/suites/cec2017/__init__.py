"""The 28 constrained problems of CEC 2017, as the competitions of 2024 to 2026 use them.

`problem` hands one out; `describe` says what each is. Both editions are offered by name: the
organisers changed C09, C15 and C24 in September 2024. Values equal those of the organisers'
evaluators (tests/suites/test_cec2017_golden.py).
"""

from rdex.suites.cec2017.definitions import (
    DIMENSIONS,
    EDITIONS,
    NUMBERS,
    Definition,
    describe,
    names,
)
from rdex.suites.cec2017.suite import problem

__all__ = ["DIMENSIONS", "EDITIONS", "NUMBERS", "Definition", "describe", "names", "problem"]
