"""How much is fuzzed: seconds by default, at length with RDEX_FUZZ=1; and what it came to."""

import os
from collections import Counter

from hypothesis import HealthCheck, settings

import rdex

IS_LONG = bool(os.environ.get("RDEX_FUZZ"))

#: Fuzzed calls and corrupted files so far, for the summary at the end.
DONE: Counter[str] = Counter()


def fuzzed(few, many):
    """`few` examples by default, `many` at length; the same ones every time."""
    return settings(
        max_examples=many if IS_LONG else few,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )


def minimize(*arguments, **options):
    """`rdex.minimize`, by default with the fastest algorithm: many calls count here."""
    return rdex.minimize(*arguments, **{"algorithm": "rdex-csop", **options})
