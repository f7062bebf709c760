"""Compile everything ahead of time."""

from __future__ import annotations

import time


def warm_up() -> tuple[float, str]:
    """Compile or load every kernel of the package; seconds taken and the cache folder."""
    from rdex.common.folders import cache_folder

    start = time.perf_counter()
    import rdex.engine.kernels.asktell
    import rdex.engine.kernels.fused
    import rdex.engine.ude.kernels.asktell
    import rdex.engine.ude.kernels.fused
    import rdex.evaluation.kernels
    import rdex.problem.kernels
    import rdex.recorder.kernels
    import rdex.scoring.kernels  # noqa: F401
    from rdex.suites import registry

    for suite in ("g2006", "engineering"):
        for name in registry.ids(suite):
            _ = registry.get(name).compiled
    for number in range(1, 29):
        for edition in ("2017", "2024") if number in (9, 15, 24) else ("2017",):
            _ = registry.get(f"cec2017/C{number:02d}/d10/{edition}/1").compiled
    return time.perf_counter() - start, str(cache_folder())
