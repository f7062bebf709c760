"""Any arguments at all: an answer inside the bounds and the budget, or a clear error."""

import math

import numpy as np
from fuzzing import DONE, fuzzed, minimize
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, NonlinearConstraint

import rdex

#: What nobody should pass, and what somebody will.
ODD = st.sampled_from([
    None, "", "auto", "none", "3.5", b"x", True, False, -1, 0, 1, 2, 7, 2**70, 1e30, 0.5, -0.0,
    math.nan, math.inf, -math.inf, 1j, [], [1], [[1.0]], [1, 2, 3], {}, {"x": 1}, (), object(),
    np.array([]), np.array([1.0, 2.0]), np.ones((2, 2)), np.array(["a"]), np.ma.masked, np.int64(3),
    np.float32(1.5), lambda *x: 1.0, print, len, "a\x1b[31m\ud800", range(3), {1, 2}, np.nan,
])  # fmt: skip

NUMBERS = st.one_of(
    st.integers(-9, 9), st.floats(-1e3, 1e3), st.floats(allow_nan=True, allow_infinity=True), ODD
)
BOUNDS = st.one_of(
    st.lists(st.tuples(st.floats(-9, 0), st.floats(0, 9)), min_size=1, max_size=4),
    st.lists(st.tuples(NUMBERS, NUMBERS), max_size=4),
    st.just([(-5.0, 5.0)] * 2),
    ODD,
)
CONSTRAINTS = st.one_of(
    st.just(()),
    st.just({"type": "ineq", "fun": lambda x: x[0] - 0.5}),
    st.just(NonlinearConstraint(lambda x: [x[0], -x[0]], -1, [0.5, np.inf])),
    st.just(LinearConstraint([[1.0, 1.0]], 1, 1)),
    st.builds(lambda kind, fun: {"type": kind, "fun": fun}, ODD, ODD),
    ODD,
)

#: One good value and many odd ones for every argument.
ARGUMENTS = {
    "constraints": CONSTRAINTS,
    "cheap_constraints": CONSTRAINTS,
    "x0": st.one_of(st.just([0.1, 0.1]), st.lists(NUMBERS, max_size=3), ODD),
    "init": st.one_of(st.sampled_from(["uniform", "latinhypercube", "sobol"]), ODD),
    "algorithm": st.one_of(st.sampled_from([*rdex.algorithms(), "de"]), ODD),
    "maxfev": st.one_of(st.integers(-2, 40), ODD),
    "target": NUMBERS,
    "eq_tol": NUMBERS,
    "ineq_tol": NUMBERS,
    "constraint_scale": st.one_of(st.sampled_from(["auto", "none"]), NUMBERS),
    "rng": st.one_of(st.integers(-1, 9), ODD),
    "integrality": st.one_of(st.booleans(), st.lists(st.integers(0, 1), max_size=4), ODD),
    "log_scale": st.one_of(st.booleans(), ODD),
    "vectorized": st.one_of(st.sampled_from([False, True, "rows"]), ODD),
    "updating": st.one_of(st.sampled_from([None, "immediate", "deferred", "async"]), ODD),
    "batch": st.one_of(st.none(), st.integers(-1, 9), ODD),
    "callback": ODD,
    "maxtime": st.one_of(st.floats(0.01, 1.0), ODD),
    "tol": NUMBERS,
    "eval_timeout": st.none(),
    "retries": st.one_of(st.integers(0, 2), ODD),
    "on_error": st.one_of(st.sampled_from(["penalize", "raise"]), ODD),
    "on_interrupt": st.one_of(st.sampled_from(["return", "raise"]), ODD),
    "variable_names": st.one_of(st.lists(st.text(max_size=3), max_size=4), ODD),
    "constraint_names": st.one_of(st.lists(st.text(max_size=3), max_size=4), ODD),
    "checkpoints": st.one_of(st.integers(-1, 9), ODD),
    "settings": ODD,
    "args": st.one_of(st.just(()), ODD),
    "xyz": ODD,
}

#: Kinds of searches. Models take their time, so they come last: Hypothesis prefers the first.
SEARCHES = ["rdex-csop", "rdex-csop+local", "local", "ude-iv", "rdex-tide", "auto"]

#: What bad arguments may raise: nothing else is clear.
CLEAR = (ValueError, TypeError, rdex.RdexError, OSError)


def fun(x, *_args):
    with np.errstate(over="ignore"):
        return (x**2).sum(axis=0)


def is_sound(result, maxfev):
    inside = (result.x >= result.lower) & (result.x <= result.upper)
    assert result.nfev <= maxfev and inside.all()
    text = str(result) + result._repr_html_()
    assert "\x1b" not in text
    text.encode()


def called(function, *positional, **named):
    """The result, or None after a clear error from our own code."""
    DONE["calls"] += 1
    try:
        return function(*positional, **named)
    except CLEAR as error:
        assert str(error), "an error without a message"
        return None


@fuzzed(100, 12_000)
@given(
    bounds=BOUNDS,
    options=st.lists(st.sampled_from(sorted(ARGUMENTS)), max_size=4, unique=True).flatmap(
        lambda names: st.fixed_dictionaries({name: ARGUMENTS[name] for name in names})
    ),
)
def test_arguments_of_minimize(bounds, options):
    given_ = {"maxfev": 30, "rng": 1, "maxtime": 5.0, **options}
    result = called(minimize, fun, bounds, **given_)
    if result is not None:
        is_sound(result, float(given_["maxfev"] or 1e9))


@fuzzed(60, 4_000)
@given(data=st.data(), n_ineq=st.one_of(st.integers(0, 2), ODD), n_eq=st.one_of(st.just(0), ODD))
def test_calls_of_an_optimizer(data, n_ineq, n_eq):
    """Any order of any calls; what is told stays within the budget."""
    optimizer = called(rdex.Optimizer, [(-5, 5)] * 2, n_ineq, n_eq, maxfev=30, rng=1,
                       algorithm=data.draw(st.sampled_from(SEARCHES)),
                       **data.draw(st.fixed_dictionaries({}, optional={
                           name: ARGUMENTS[name] for name in ("x0", "integrality", "init")})),
                       )  # fmt: skip
    if optimizer is None:
        return
    for _ in range(data.draw(st.integers(1, 8))):
        step = data.draw(st.sampled_from(["ask", "tell", "forget", "trial", "odd", "save"]))
        if step == "ask":
            called(optimizer.ask, data.draw(st.one_of(st.integers(1, 9), ODD)))
        elif step == "tell":
            X = optimizer.pending[: data.draw(st.integers(0, 5))]
            G = np.zeros((len(X), optimizer.problem.n_ineq))
            H = np.zeros((len(X), optimizer.problem.n_eq))
            called(optimizer.tell, X, data.draw(st.one_of(st.just((X**2).sum(1)), ODD)), G, H)
        elif step == "forget":
            called(optimizer.forget, data.draw(st.one_of(st.just(optimizer.pending[:2]), ODD)))
        elif step == "trial":
            called(optimizer.tell_trial, data.draw(st.one_of(st.integers(0, 30), ODD)), 1.0)
        elif step == "odd":
            called(optimizer.tell, data.draw(ODD), data.draw(ODD), data.draw(ODD))
        else:
            optimizer.load_state_dict(optimizer.state_dict())
        assert optimizer.nfev <= 30
    is_sound(optimizer.result(), 30)
