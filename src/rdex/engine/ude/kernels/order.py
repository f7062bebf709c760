"""Feasibility first: smaller φ, then smaller f. Equal members are ordered by row, so that the order
is total and reproducible. No NaN reaches these functions (`settle`)."""

from rdex.engine.kernels.order import is_nearer
from rdex.jit.compiling import part


@part()
def precedes(f, phi, a, b):
    """Whether row a stands before row b."""
    if phi[a] != phi[b]:
        return phi[a] < phi[b]
    if f[a] != f[b]:
        return f[a] < f[b]
    return a < b


@part()
def is_better(f, phi, a, b):
    """Whether row a is strictly better than row b."""
    return is_nearer(f[a], phi[a], f[b], phi[b])


@part()
def wins(f, phi, u, x, eps):
    """The ε-comparison: whether trial row u beats target row x; a tie is a loss."""
    if (phi[u] <= eps and phi[x] <= eps) or phi[u] == phi[x]:
        return f[u] < f[x]
    return phi[u] < phi[x]


@part(inline=False)
def merge(f, phi, order, start, middle, stop, scratch):
    """Two neighbouring sorted runs become one."""
    for k in range(start, middle):
        scratch[k] = order[k]
    left = start
    right = middle
    k = start
    while left < middle:
        if right < stop and precedes(f, phi, order[right], scratch[left]):
            order[k] = order[right]
            right += 1
        else:
            order[k] = scratch[left]
            left += 1
        k += 1


@part(inline=False)
def _run_end(f, phi, order, start, stop):
    """End of the sorted run that begins at `start`."""
    k = start + 1
    while k < stop and precedes(f, phi, order[k - 1], order[k]):
        k += 1
    return k


@part(inline=False)
def sort(f, phi, order, start, stop, scratch):
    """Sort order[start:stop]; linear in time where few runs are out of order."""
    merged = True
    while merged:
        merged = False
        done = start
        while done < stop:
            middle = _run_end(f, phi, order, done, stop)
            if middle == stop:
                break
            end = _run_end(f, phi, order, middle, stop)
            merge(f, phi, order, done, middle, end, scratch)
            merged = True
            done = end
