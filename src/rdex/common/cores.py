"""How many cores this process may use."""

from __future__ import annotations

import os
from pathlib import Path

#: The share of a container (cgroup v2): "quota period", or "max period".
QUOTA = Path("/sys/fs/cgroup/cpu.max")


def usable_cores() -> int:
    """Cores of the machine, as far as affinity and the quota of a container allow; at least 1."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    try:
        quota, period = QUOTA.read_text().split()
        return max(1, min(cores, int(quota) // int(period)))
    except (OSError, ValueError):  # no such file, or "max"
        return cores
