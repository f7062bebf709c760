"""What a point is worth: its violation φ, whether it failed, and the ε-score of
Eq. (csop_rankscore) as an order, kept sorted while members change.

Members with φ <= ε come first, ordered by f; then the others, ordered by φ. Equal values are
ordered by row, so the order is total and reproducible. The paper writes the order as one number,
f_max + 1 + φ; only the order matters, and two keys do not lose digits. No NaN reaches the order
(`settle`).
"""

import math

import numpy as np
from numba import types

from rdex.jit.compiling import kernel, part
from rdex.jit.moving import move
from rdex.jit.signatures import VECTOR

_0 = np.uint64(0)
_1 = np.uint64(1)


@part()
def violation(g, h, limit, weights, excess):
    """φ of Eq. (csop_penalty): the mean violation of all constraints; +inf if one is not finite.

    limit: (rows, m_g + m_h), inequalities first: row 0 holds the tolerances, row `weights` the
    factors that violations are multiplied by.
    An equality counts with its whole |h| once that is above its tolerance; with excess = 1.0 only
    with what is above it, as the paper writes. No constraints: 0.
    """
    n_ineq = g.size
    total = 0.0
    for i in range(n_ineq):
        if not math.isfinite(g[i]):
            return math.inf
        if g[i] > limit[0, i]:
            total += g[i] * limit[weights, i]
    for j in range(h.size):
        size = abs(h[j])
        if not math.isfinite(size):
            return math.inf
        k = n_ineq + j
        if size > limit[0, k]:
            total += (size - excess * limit[0, k]) * limit[weights, k]
    m = n_ineq + h.size
    if m == 0:
        return 0.0
    return total / m


@kernel(types.float64(VECTOR, VECTOR, types.float64[:, ::1], types.int64, types.float64))
def violation_of(g, h, limit, weights, excess):
    """`violation` for callers outside compiled code."""
    return violation(g, h, limit, weights, excess)


@part()
def settle(f, phi):
    """(f, φ) as the search may see them: no NaN, and a failed point is (+inf, +inf).

    f may be unknown (NaN) where φ > 0: the point is infeasible anyway and is ordered by φ, with
    f = +inf standing for "unknown".
    """
    if phi == math.inf or (phi == 0.0 and not math.isfinite(f)):
        return math.inf, math.inf
    if math.isfinite(f):
        return f, phi
    if math.isnan(f):
        return math.inf, phi
    return math.inf, math.inf


@part()
def precedes(f_a, phi_a, a, f_b, phi_b, b, eps):
    """Whether member a stands before member b."""
    inside = phi_a <= eps
    if inside != (phi_b <= eps):
        return inside
    if inside:
        if f_a != f_b:
            return f_a < f_b
    elif phi_a != phi_b:
        return phi_a < phi_b
    return a < b


@part()
def is_nearer(f_a, phi_a, f_b, phi_b):
    """Whether a is strictly better than b, feasibility first: lower φ, then lower f."""
    return phi_a < phi_b or (phi_a == phi_b and f_a < f_b)


@part(inline=False)
def _run_end(values, order, start, stop):
    """End of the ascending run that begins at `start`."""
    k = start + 1
    while k < stop:
        a = order[k - 1]
        b = order[k]
        if values[b] < values[a] or (values[b] == values[a] and b < a):
            break
        k += 1
    return k


@part(inline=False)
def _merge(values, order, start, middle, stop, scratch):
    """Two neighbouring ascending runs become one."""
    for k in range(start, middle):
        scratch[k] = order[k]
    left = start
    right = middle
    k = start
    while left < middle:
        a = scratch[left]
        if right < stop:
            b = order[right]
            if values[b] < values[a] or (values[b] == values[a] and b < a):
                order[k] = b
                right += 1
                k += 1
                continue
        order[k] = a
        left += 1
        k += 1


@part(inline=False)
def sort_by(values, order, start, stop, scratch):
    """Sort order[start:stop] by (values, row); linear in time where few runs are out of order."""
    while True:
        sorted_up_to = start
        merged = False
        while sorted_up_to < stop:
            middle = _run_end(values, order, sorted_up_to, stop)
            if middle == stop:
                break
            end = _run_end(values, order, middle, stop)
            _merge(values, order, sorted_up_to, middle, end, scratch)
            merged = True
            sorted_up_to = end
        if not merged:
            return


@part(inline=False)
def rank_members(f, phi, order, start, stop, eps, scratch):
    """Sort order[start:stop] by ε-score."""
    inside = start
    outside = 0
    for k in range(start, stop):
        i = order[k]
        if phi[i] <= eps:
            order[inside] = i
            inside += 1
        else:
            scratch[outside] = i
            outside += 1
    for k in range(outside):
        order[inside + k] = scratch[k]
    sort_by(f, order, start, inside, scratch)
    sort_by(phi, order, inside, stop, scratch)


@part(inline=False)
def merge_ranked(f, phi, order, middle, stop, eps, scratch):
    """Two neighbouring parts, order[:middle] and order[middle:stop], each sorted by ε-score,
    become one."""
    for k in range(middle):
        scratch[k] = order[k]
    left = 0
    right = middle
    k = 0
    while left < middle:
        a = scratch[left]
        if right < stop:
            b = order[right]
            if precedes(f[b], phi[b], b, f[a], phi[a], a, eps):
                order[k] = b
                right += 1
                k += 1
                continue
        order[k] = a
        left += 1
        k += 1


@part()
def _position(values, order, low, high, value, i):
    """First place in order[low:high], sorted by (values, row), where (value, i) may stand.

    The number of steps depends on high − low alone, and none of them branches on a value: a branch
    nobody can predict costs more than the step.
    """
    at = np.uint64(low)
    size = np.uint64(high - low)
    while size > _1:
        half = size >> _1
        k = order[at + half - _1]
        other = values[np.uint64(k)]
        at += half if (other < value) | ((other == value) & (k < i)) else _0
        size -= half
    if size == _1:
        k = order[at]
        other = values[np.uint64(k)]
        at += _1 if (other < value) | ((other == value) & (k < i)) else _0
    return at


@part()
def _positions(values, order, low, high, first, second, i):
    """`_position` of two values at once: two searches side by side take hardly longer than one,
    because each of them waits for memory most of the time."""
    at = np.uint64(low)
    to = np.uint64(low)
    size = np.uint64(high - low)
    while size > _1:
        half = size >> _1
        k = order[at + half - _1]
        m = order[to + half - _1]
        other = values[np.uint64(k)]
        another = values[np.uint64(m)]
        at += half if (other < first) | ((other == first) & (k < i)) else _0
        to += half if (another < second) | ((another == second) & (m < i)) else _0
        size -= half
    if size == _1:
        k = order[at]
        m = order[to]
        other = values[np.uint64(k)]
        another = values[np.uint64(m)]
        at += _1 if (other < first) | ((other == first) & (k < i)) else _0
        to += _1 if (another < second) | ((another == second) & (m < i)) else _0
    return at, to


@part()
def reposition(f, phi, order, inside, n, i, row, eps):
    """Give row i the f and φ of `row` and put it where they belong in order[:n], of which the
    first `inside` have φ <= ε. Returns the new `inside`."""
    f_new = f[row]
    phi_new = phi[row]
    was_inside = phi[i] <= eps
    is_inside = phi_new <= eps
    if was_inside & is_inside:
        old, new = _positions(f, order, 0, inside, f[i], f_new, i)
    elif was_inside:
        old = _position(f, order, 0, inside, f[i], i)
        new = _position(phi, order, inside, n, phi_new, i)
    elif is_inside:
        old = _position(phi, order, inside, n, phi[i], i)
        new = _position(f, order, 0, inside, f_new, i)
    else:
        old, new = _positions(phi, order, inside, n, phi[i], phi_new, i)
    # What lies between moves one place: down where row i leaves before it, else up.
    down = _1 if new > old else _0
    new -= down
    first = min(old, new)
    move(order, first + _1 - down, first + down, max(old, new) - first)
    order[new] = i
    f[i] = f_new
    phi[i] = phi_new
    return inside + is_inside - was_inside


@part(inline=False)
def order_statistic(levels, n, k):
    """The element at zero-based position k of the n numbers, which are rearranged."""
    low = 0
    high = n - 1
    while low < high:
        pivot = levels[(low + high) // 2]
        left = low
        right = high
        while left <= right:
            while levels[left] < pivot:
                left += 1
            while levels[right] > pivot:
                right -= 1
            if left <= right:
                levels[left], levels[right] = levels[right], levels[left]
                left += 1
                right -= 1
        if k <= right:
            high = right
        elif k >= left:
            low = left
        else:
            return levels[k]
    return levels[k]
