"""A user's numba functions as the compiled form of a problem.

Compiled code checks no index, so the wrappers check how many values a function returned before
they read them. A function that changes x in place changes nothing for the others: x is put back.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from rdex.problem.constraints import Source
from rdex.problem.problem import CompiledFunction

#: So many evaluations of an objective make joining its functions worth it: that takes about half a
#: second, as long as 100 000 calls from Python. Further runs are likely to follow.
WORTH_JOINING = 5000

#: Evaluations that runs wanted of a jitted objective so far.
_wanted: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

#: Compiled code can raise constant text only.
WRONG_NUMBER = "a constraint returned another number of values than at the centre of the box"
WRONG_G = "the function must return n_ineq values of G, got another number"
UNDECLARED = "the function returned constraints beyond n_ineq and n_eq"
WRONG_H = "the function must return n_eq values of H, got another number"


class Part(NamedTuple):
    """A source of constraint values: a jitted function, or the bytes of a matrix."""

    function: Any
    matrix: bytes
    size: int
    is_number: bool


def compile_functions(fun: Any, sources: list[Source], dim: int) -> CompiledFunction:
    """One compiled function from a jitted objective and jitted or linear constraints.

    Raw constraint values are gathered in `work`, with a copy of x behind them; `data` says which
    become which entry of g and h.
    """
    parts = tuple(_part_of(source) for source in sources)
    n_values = sum(source.size for source in sources)
    return CompiledFunction(_joined(fun, parts, dim), entry_table(sources), n_values + dim)


def _part_of(source: Source) -> Part:
    """What decides the code that gathers a source's values."""
    matrix = getattr(source.function, "matrix", None)
    if matrix is not None:
        return Part(None, matrix.tobytes(), source.size, False)
    return Part(source.function, b"", source.size, source.is_number)


def is_called_alone(fun: Any, evaluations: int) -> bool:
    """Whether a run of so many evaluations calls its functions one by one, with the same bits.

    numba hands down how to divide by zero to what it compiles on the way: inside the joined
    function an objective gives infinity, called from Python first it would raise. So it is compiled
    here by a function like the joined one. With Intel's vector library rounding may depend on what
    is inlined where.
    """
    _wanted[fun] = _wanted.get(fun, 0) + evaluations
    if _wanted[fun] >= WORTH_JOINING:
        return False
    import numba

    from rdex.jit.signatures import VECTOR

    if numba.config.USING_SVML:
        return False
    if (VECTOR,) not in fun.signatures:
        numba.njit(numba.float64(VECTOR), error_model="numpy")(lambda x: fun(x))
    return True


@functools.lru_cache(maxsize=64)
def _joined(fun: Any, parts: tuple[Part, ...], dim: int) -> Any:
    """Objective and constraints as one function; kept, so that further runs need not compile.

    `dim` is a constant in the compiled code, which halves the time of a copy of x.
    """
    import numba

    from rdex.jit.signatures import OBJECTIVE

    gather = _nothing(numba)
    n_values = sum(part.size for part in parts)
    offset = 0
    for part in parts:
        n_changed = 0 if part.function is None else dim
        gather = _gathered(numba, gather, _filler(numba, part), (offset, n_values, n_changed))
        offset += part.size

    def objective(x, data, work, g, h):  # type: ignore[no-untyped-def]
        for j in range(dim):
            work[n_values + j] = x[j]
        gather(x, work)
        k = 0
        for i in range(g.size):
            g[i] = data[k + 1] * (work[int(data[k])] - data[k + 2])
            k += 3
        for j in range(h.size):
            h[j] = data[k + 1] * (work[int(data[k])] - data[k + 2])
            k += 3
        return fun(x)

    return numba.njit(OBJECTIVE, error_model="numpy")(objective)


def compile_one_function(fun: Any, n_ineq: int, n_eq: int) -> CompiledFunction:
    """The compiled form of a jitted ``fun(x) -> (f, G, H)``; G and H are arrays or tuples."""
    import numba

    from rdex.jit.signatures import OBJECTIVE

    check_rest = _rest_check(numba, fun, n_ineq, n_eq)

    # One function per case: a part without entries may be absent, or have no type in numba.
    def plain(x, data, work, g, h):  # type: ignore[no-untyped-def]
        return fun(x)

    def inequalities(x, data, work, g, h):  # type: ignore[no-untyped-def]
        values = fun(x)
        if len(values[1]) != n_ineq:
            raise ValueError(WRONG_G)
        for i in range(n_ineq):
            g[i] = values[1][i]
        check_rest(values)
        return values[0]

    def equalities(x, data, work, g, h):  # type: ignore[no-untyped-def]
        values = fun(x)
        if len(values[2]) != n_eq:
            raise ValueError(WRONG_H)
        for j in range(n_eq):
            h[j] = values[2][j]
        check_rest(values)
        return values[0]

    def both(x, data, work, g, h):  # type: ignore[no-untyped-def]
        values = fun(x)
        if len(values[1]) != n_ineq:
            raise ValueError(WRONG_G)
        for i in range(n_ineq):
            g[i] = values[1][i]
        if len(values[2]) != n_eq:
            raise ValueError(WRONG_H)
        for j in range(n_eq):
            h[j] = values[2][j]
        return values[0]

    objective = (both if n_eq else inequalities) if n_ineq else (equalities if n_eq else plain)
    compiled = numba.njit(OBJECTIVE, error_model="numpy")(objective)
    return CompiledFunction(compiled, np.empty(0), 1)


def _rest_check(numba: Any, fun: Any, n_ineq: int, n_eq: int) -> Any:
    """A function that raises where constraints come back that were not declared."""
    parts = _returned_parts(fun)
    sequences = (numba.types.BaseTuple, numba.types.Array, numba.types.Sequence)
    check = numba.njit(lambda values: None)
    for k, n in ((1, n_ineq), (2, n_eq)):
        if n == 0 and k < len(parts) and isinstance(parts[k], sequences):
            check = _empty_check(numba, check, k)
    return check


def _empty_check(numba: Any, before: Any, k: int) -> Any:
    """What `before` checks, and that part `k` is empty."""

    def check(values):  # type: ignore[no-untyped-def]
        before(values)
        if len(values[k]) != 0:
            raise ValueError(UNDECLARED)

    return numba.njit(check)


def _returned_parts(fun: Any) -> tuple[Any, ...]:
    """numba's types of what a jitted function of one point returns, as far as it tells."""
    from rdex.jit.signatures import VECTOR

    try:
        fun.compile((VECTOR,))
    except Exception:  # it says so itself when it is compiled into the loop
        return ()
    returned = [sig.return_type for sig in fun.nopython_signatures if sig.args == (VECTOR,)]
    return tuple(getattr(returned[0], "types", ())) if returned else ()


def compile_point(fun: Any) -> CompiledFunction:
    """The compiled form of a jitted ``fun(x, g, h) -> f`` that writes its constraints."""
    import numba

    from rdex.jit.signatures import OBJECTIVE

    def objective(x, data, work, g, h):  # type: ignore[no-untyped-def]
        return fun(x, g, h)

    compiled = numba.njit(OBJECTIVE, error_model="numpy")(objective)
    return CompiledFunction(compiled, np.empty(0), 1)


def entry_table(sources: list[Source]) -> Any:
    """(position, sign, shift) of every entry of G, then of H, flat."""
    entries: list[float] = []
    for kind in ("ineq", "eq"):
        offset = 0
        for source in sources:
            rows, signs, shifts = getattr(source, kind)
            for row, sign, shift in zip(rows, signs, shifts, strict=True):
                entries += [float(offset + row), float(sign), float(shift)]
            offset += source.size
    return np.array(entries, dtype=np.float64)


def _nothing(numba: Any) -> Any:
    def gather(x, work):  # type: ignore[no-untyped-def]
        pass

    return numba.njit(gather)


def _gathered(numba: Any, before: Any, filler: Any, places: tuple[int, int, int]) -> Any:
    """A function that gathers what `before` gathers, and one more source; x is as before.

    places: where its values begin in `work`, where the copy of x begins, and how many entries of x
    it may change.
    """
    offset, n_values, n_changed = places

    def gather(x, work):  # type: ignore[no-untyped-def]
        before(x, work)
        filler(x, work, offset)
        for j in range(n_changed):
            x[j] = work[n_values + j]

    return numba.njit(gather)


def _filler(numba: Any, part: Part) -> Any:
    """A function that writes the raw values of one part into `work`."""
    size, function = part.size, part.function
    if function is None:
        matrix = np.frombuffer(part.matrix).reshape(size, -1)

        def fill(x, work, offset):  # type: ignore[no-untyped-def]
            for i in range(size):
                total = 0.0
                for j in range(x.size):
                    total += matrix[i, j] * x[j]
                work[offset + i] = total

    elif part.is_number:

        def fill(x, work, offset):  # type: ignore[no-untyped-def]
            work[offset] = function(x)

    else:

        def fill(x, work, offset):  # type: ignore[no-untyped-def]
            values = function(x)
            if len(values) != size:
                raise ValueError(WRONG_NUMBER)
            for i in range(size):
                work[offset + i] = values[i]

    return numba.njit(fill)
