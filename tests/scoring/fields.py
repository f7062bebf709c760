"""Random small fields of trials, rich in ties, infeasible ends and infinities."""

import numpy as np
from hypothesis import strategies as st

VALUES = st.sampled_from([-np.inf, -2.0, -1.0, 0.0, 0.5, 1.0, 3.0, np.inf])
VIOLATIONS = st.sampled_from([0.0, 0.0, 0.0, 0.5, 2.0, np.inf])


def best_so_far(f, v):
    """Traces in which every checkpoint holds the best point so far, feasibility first."""
    f, v = np.array(f, dtype=float), np.array(v, dtype=float)
    for k in range(1, f.shape[-1]):
        worse = (v[..., k] > v[..., k - 1]) | (
            (v[..., k] == v[..., k - 1]) & (f[..., k] > f[..., k - 1])
        )
        f[..., k] = np.where(worse, f[..., k - 1], f[..., k])
        v[..., k] = np.where(worse, v[..., k - 1], v[..., k])
    return f, v


@st.composite
def fields(draw, algorithms=None):
    """(f, v) of shape (algorithm, problem, run, checkpoint)."""
    m = algorithms or draw(st.integers(1, 4))
    shape = m, draw(st.integers(1, 3)), draw(st.integers(1, 4)), draw(st.integers(1, 4))
    size = int(np.prod(shape))
    f = draw(st.lists(VALUES, min_size=size, max_size=size))
    v = draw(st.lists(VIOLATIONS, min_size=size, max_size=size))
    return best_so_far(np.reshape(f, shape), np.reshape(v, shape))


def pad(f, v, algorithm, problem, runs):
    """Copies with the given runs made padding."""
    f, v = f.copy(), v.copy()
    f[algorithm, problem, runs], v[algorithm, problem, runs] = np.nan, np.nan
    return f, v


def as_lists(f, v, problem):
    """The trials of a problem as the reference twin takes them, algorithms one after another."""
    return [
        [(float(a), float(b)) for a, b in zip(f[i, problem, r], v[i, problem, r], strict=True)]
        for i in range(f.shape[0])
        for r in range(f.shape[2])
    ]
