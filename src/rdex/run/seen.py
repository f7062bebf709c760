"""What a checkpoint says to readers who do not run anything: the best point and how it was reached.

The arrays of a checkpoint belong to the search and change with it; this does not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rdex.recorder import history_of

#: Records of the best so far in a checkpoint.
MOST_RECORDS = 200


def seen_facts(standing: Any) -> dict[str, Any]:
    """Best point, failures and history as JSON values; empty before the first evaluation."""
    if standing.nfev == 0:
        return {}
    best, history = standing.best, history_of(standing)
    n = len(history.nfev)
    at = np.unique(np.linspace(0, max(n - 1, 0), min(n, MOST_RECORDS)).astype(int))
    return {
        "x": best.x.tolist(),
        "f": float(best.f),
        "G": best.g.tolist(),
        "H": best.h.tolist(),
        "n_failed": int(standing.n_failed),
        "trace": {
            "nfev": history.nfev[at].tolist(),
            "f": history.f[at].tolist(),
            "cv": history.cv[at].tolist(),
        },
    }
