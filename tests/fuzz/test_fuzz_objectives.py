"""Odd functions: whatever they do to their arguments, to the process or to their answers."""

import itertools
import os
import sys

import numpy as np
import pytest
from fuzzing import DONE, fuzzed, minimize
from hypothesis import given
from hypothesis import strategies as st

import rdex

BOX = [(-5.0, 5.0)] * 2

ANSWERS = st.sampled_from([
    None, "3", b"3", True, 3, np.nan, np.inf, -np.inf, 1j, np.complex128(1), np.ma.masked, [],
    [1.0], (1.0,), np.array(2.0), np.array([1.0]), np.array([1.0, 2.0]), np.float32(2), 10**400,
    object(), np.ma.array([1.0], mask=[True]), {}, "nan", 1e308, -1e308, 5e-324,
])  # fmt: skip

#: What functions do beside their work. Raising ends nothing after the first evaluation.
DEEDS = ("mutate", "keep", "print", "raise", "chdir", "recurse", "seed", "state", "warn")


class Odd:
    """x @ x, with one deed at some of the points."""

    def __init__(self, deed, every):
        self.deed, self.every, self.count, self.kept = deed, every, 0, []

    def __call__(self, x):
        value = float(x @ x)
        self.count += 1
        if self.count > 1 and self.count % self.every == 0:
            getattr(self, self.deed)(x)
        return value

    def mutate(self, x):
        x[:] = np.nan

    def keep(self, x):
        self.kept.append((x, x.copy()))

    def print(self, x):
        print("\x1b[31m", x, "\ud800".encode(errors="replace"))
        print("noise", file=sys.stderr)

    def raise_(self, x):
        raise ArithmeticError("odd \x1b \ud800")

    def chdir(self, x):
        os.chdir(os.getcwd())

    def recurse(self, x):
        minimize(lambda y: float(y @ y), BOX, maxfev=5, rng=1)

    def seed(self, x):
        np.random.seed(1)  # noqa: NPY002

    def state(self, x):
        np.seterr(all="ignore")

    def warn(self, x):
        np.asarray(np.float64(1.0)) / 1.0


Odd_raise = Odd.raise_
setattr(Odd, "raise", Odd_raise)


@fuzzed(40, 1_500)
@given(
    deed=st.sampled_from(DEEDS),
    every=st.integers(2, 9),
    options=st.sampled_from(
        [{}, {"batch": 4}, {"integrality": True}]
        + [{"algorithm": name} for name in ("ude-iv", "local", "rdex-csop+local", "auto")]
    ),
)
@pytest.mark.filterwarnings("ignore")
def test_deeds(deed, every, options):
    DONE["calls"] += 1
    odd = Odd(deed, every)
    maxfev = 12 if options.get("algorithm") == "auto" else 40
    with np.errstate():
        result = minimize(odd, BOX, maxfev=maxfev, rng=1, **options)
        clean = minimize(lambda x: float(x @ x), BOX, maxfev=maxfev, rng=1, **options)
    assert result.nfev <= maxfev
    assert all(np.array_equal(x, copy) for x, copy in odd.kept)
    if deed != "raise":
        assert result.fun == clean.fun and np.array_equal(result.x, clean.x)


@fuzzed(60, 3_000)
@given(
    first=st.one_of(st.just(1.0), ANSWERS),
    later=ANSWERS,
    place=st.sampled_from(["f", "g", "both", "rows"]),
    batch=st.sampled_from([None, 4]),
)
@pytest.mark.filterwarnings("ignore")
def test_answers(first, later, place, batch):
    """An odd answer is a number, a failed point, or at the first point a clear error."""
    DONE["calls"] += 1
    count = 0

    def answer():
        nonlocal count
        count += 1
        return first if count <= 2 else later

    options = {"maxfev": 40, "rng": 1, "batch": batch}
    try:
        if place == "f":
            result = minimize(lambda x: answer(), BOX, **options)
        elif place == "g":
            limit = {"type": "ineq", "fun": lambda x: answer()}
            result = minimize(lambda x: float(x @ x), BOX, constraints=limit, **options)
        elif place == "both":
            problem = rdex.Problem.from_function(lambda x: (1.0, answer()), BOX, n_ineq=1)
            result = minimize(problem, **options)
        else:
            result = minimize(lambda x: answer(), BOX, vectorized=True, **options)
    except (ValueError, TypeError, rdex.RdexError) as error:
        assert str(error)
        return
    assert result.nfev <= 40 and not isinstance(result.fun, complex)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize(
    ("options", "at"),
    [
        *itertools.product([{}, {"batch": 4}, {"algorithm": "local"}], [1, 2, 17, 40]),
        *itertools.product([{"algorithm": "rdex-csop+local"}], [2, 17]),
        ({"algorithm": "auto"}, 17),
        pytest.param({"algorithm": "auto"}, 2, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_base_exceptions(tmp_path, kind, at, options):
    """Ctrl-C ends the run; what is meant to end the program does. Nothing saved is lost."""
    DONE["calls"] += 1
    count = 0

    def fun(x):
        nonlocal count
        count += 1
        if count == at:
            raise kind
        return float(x @ x)

    maxfev = 20 if options.get("algorithm") == "auto" else 60
    kept = {"maxfev": maxfev, "rng": 1, "evaluations": tmp_path / "e.csv", **options}
    problem = rdex.Problem.from_function(fun, BOX, name="odd")
    if kind is KeyboardInterrupt:
        assert minimize(problem, **kept).status == rdex.Status.INTERRUPTED
    else:
        with pytest.raises(kind):
            minimize(problem, **kept)
    again = minimize(problem, **kept)
    clean = minimize(lambda x: float(x @ x), BOX, maxfev=maxfev, rng=1, **options)
    assert again.fun == clean.fun and again.nfev == clean.nfev


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("way", ["leave", "return", "linger"])
def test_functions_that_fork_in_workers(way):
    DONE["calls"] += 1

    def fun(x):
        if int(abs(x[0]) * 1e4) % 7 == 0 and os.fork() == 0:
            if way == "leave":
                os._exit(0)
            if way == "linger":
                import time

                time.sleep(20)
        return float(x @ x)

    options = {"maxfev": 60, "rng": 1, "batch": 4}
    result = minimize(fun, BOX, workers=2, **options)
    clean = minimize(lambda x: float(x @ x), BOX, **options)
    assert result.fun == clean.fun and np.array_equal(result.x, clean.x)
