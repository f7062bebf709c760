"""Fields of made-up trials, and stores of them."""

import numpy as np

from rdex.scoring import Trials, store_trials

HOSTILE = "<script>alert(1)</script>"
AWKWARD = r"_%&$#{}~^\ [*|"


def made_up(algorithms=("A", "B", "C"), p=4, n=5, k=60, maxfev=6000, seed=0):
    """Traces that fall at different speeds; the last problem is never feasible."""
    rng = np.random.default_rng(seed)
    m = len(algorithms)
    t = np.linspace(0, 1, k)
    speed = rng.uniform(2, 9, (m, 1, 1, 1)) * rng.uniform(0.7, 1.3, (m, p, n, 1))
    f = 100 * np.exp(-speed * t) + rng.uniform(0, 1, (m, p, n, 1)) - np.arange(p)[:, None, None]
    start = rng.uniform(-0.1, 0.5, (m, p, n, 1))
    v = np.maximum(0.0, 3 * (start - t))
    v[:, -1] = 1 + np.maximum(v[:, -1], 0.5)
    return Trials.from_arrays(
        f, v, maxfev=maxfev, algorithms=algorithms,
        problems=[f"C{j + 1:02d}" for j in range(p)], n_constraints=2,
    )  # fmt: skip


def stored(folder, trials):
    """The trials as a store on problems of cec2017."""
    store_trials(trials, folder, dim=10, instance="official", source="made up")
    return folder
