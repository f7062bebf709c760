"""Compile everything ahead of time, on all cores."""

from __future__ import annotations

import time
from collections.abc import Callable


def warm_up(say: Callable[[str], None]) -> tuple[float, str]:
    """Compile every kernel of the package; seconds taken and the cache folder.

    Kernels of one method share most of their parts: the first of them is compiled before the
    others, which find the parts in the cache.
    """
    from rdex.common.folders import cache_folder
    from rdex.jit.compile_ahead import compile_apart

    start = time.perf_counter()
    first, others = stages()
    n_all, n_done = len(first) + len(others), 0
    for stage in (first, others):
        for done in compile_apart(stage):
            n_done += 1
            say(f"{n_done} of {n_all}: {done[0].removeprefix('rdex.').split(':')[0]}")
    return time.perf_counter() - start, str(cache_folder())


def stages() -> tuple[list[list[str]], list[list[str]]]:
    """What is compiled first and after that, one process for each list of names."""
    from rdex.jit.places import all_places

    first: list[list[str]] = []
    modules: dict[str, list[str]] = {}
    for place in all_places():
        if place.endswith(".steps:tell_ask"):
            first.append([place])
        else:
            modules.setdefault(place.partition(":")[0], []).append(place)
    for module, places in modules.items():
        if module.startswith("rdex.suites."):
            first.append(places)
    return first, [places for places in modules.values() if places not in first]
