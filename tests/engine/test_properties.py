"""What must hold in every run, whatever the problem, the settings and the seed."""

import math

import numpy as np
import pytest
from engine_problems import KINDS, dyadic, problem, units
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import IS_COMPILED, assert_order_holds, assert_same_state, finished, quiet, variant

from rdex.engine.engine import Engine
from rdex.engine.kernels import layout
from rdex.engine.state import Limits
from rdex.problem.problem import Problem

pytestmark = quiet

EXAMPLES = 25 if IS_COMPILED else 8
FES = 300 if IS_COMPILED else 120

VARIANTS = [
    variant(n0=12),
    variant("cl-srde", n0=9),
    variant("rde26", n0=14, race_feasible_share=0.0),
    variant(n0=12, eb_from=0.0, perturb_probability=1.0, perturb_scale=50.0),
    variant("rde26", n0=4, eb_from=0.1, race_target_share=0.6, race_feasible_share=0.0,
            perturb_unit="range"),
    variant("rde26", n0=10, race_feasible_phi=1.0),  # a violation that "stairs" meets exactly
]  # fmt: skip
variants = st.sampled_from(VARIANTS)
kinds = st.sampled_from(sorted(KINDS))
seeds = st.integers(0, 2**32)


def watched(lower, upper):
    """A problem on this box that keeps every point it was called with."""
    seen = []

    def rows(X):
        seen.append(X.copy())
        with np.errstate(over="ignore"):
            total = np.sin(X).sum(1)
        return total, np.sin(3 * X[:, :1]), np.empty((len(X), 0))

    return Problem(lower, upper, n_ineq=1, rows=rows), seen


def ends(low, high):
    return st.tuples(st.floats(low, high), st.floats(low, high)).map(sorted)


boxes = st.one_of(
    ends(-1e-300, 1e-300), ends(-1, 1), ends(-1e9, 1e9), ends(-8e307, 8e307),
    st.floats(-1e5, 1e5).map(lambda at: [at, at]),
    st.floats(-1e5, 1e5).map(lambda at: [at, float(np.nextafter(at, math.inf))]),
)  # fmt: skip


@settings(max_examples=EXAMPLES)
@given(st.lists(boxes, min_size=1, max_size=4), variants, seeds)
def test_no_point_is_ever_evaluated_outside_its_bounds(box, chosen, seed):
    lower, upper = np.array(box).T
    watched_problem, seen = watched(lower, upper)
    engine = Engine(watched_problem, chosen, FES, seed)
    while not engine.is_finished:
        points = engine.ask(5)
        engine.tell(*watched_problem.evaluate(points))
    everything = np.vstack(seen)
    assert everything.shape == (FES, len(box))
    assert (everything >= lower).all() and (everything <= upper).all()


@settings(max_examples=EXAMPLES)
@given(kinds, variants, seeds)
def test_the_order_holds_after_every_evaluation(kind, chosen, seed):
    engine = Engine(KINDS[kind], chosen, FES, seed)
    engine.run(stop_at=chosen.n0)
    assert_order_holds(engine)
    while not engine.is_finished:
        engine.run(stop_at=engine.nfev + 1)
        assert_order_holds(engine)


@settings(max_examples=EXAMPLES)
@given(kinds, variants, seeds)
def test_the_best_never_worsens_and_is_the_best_that_was_seen(kind, chosen, seed):
    engine = Engine(KINDS[kind], chosen, FES, seed)
    best = (math.inf, math.inf)
    while not engine.is_finished:
        before = engine.best
        F, G, H = engine.problem.evaluate(engine.ask(1))
        engine.tell(F, G, H)
        now = engine.best
        assert (now.phi, now.f) <= (before.phi, before.f)
        best = min(best, plainly_judged(F[0], G[0], H[0]))
    assert (engine.best.phi, engine.best.f) == best
    trace = list(zip(engine.state.trace.phi, engine.state.trace.f, strict=True))[1:]
    assert trace == sorted(trace, reverse=True)
    assert trace[-1] == best


def plainly_judged(f, g, h):
    values = [*np.maximum(g, 0.0), *np.where(np.abs(h) > 1e-4, np.abs(h), 0.0)]
    phi = sum(values) / len(values) if values else 0.0
    if not np.isfinite([*g, *h]).all() or math.isinf(f) or (math.isnan(f) and phi == 0.0):
        return math.inf, math.inf
    return phi, math.inf if math.isnan(f) else f


@settings(max_examples=EXAMPLES)
@given(kinds, variants, seeds)
def test_counts_add_up_and_memories_stay_in_range(kind, chosen, seed):
    engine = Engine(KINDS[kind], chosen, FES, seed)
    sizes = []
    while not engine.is_finished:
        before = engine.nfev
        n = engine.n
        run = engine.state.run[0]
        if engine.run(stop_at_generation=True) and before >= chosen.n0:
            sizes.append(n)
            assert engine.nfev - before >= n
            if not chosen.race:
                assert engine.nfev - before == n
            rate = engine.state.run["sr"][0]
            assert 0.0 <= rate <= 1.0 and rate * n == pytest.approx(round(rate * n))
        assert run["told"] == run["asked"] == engine.nfev
        assert 0 <= run["successes"] <= run["done"] <= engine.n
        assert run["staged"] == run["successes"]
        assert 0 <= run["ring"] < engine.n
        memory = engine.state.memory
        assert ((memory >= 0.0) & (memory <= 1.0)).all()
        assert 0.0 <= engine.state.run["rho"][0] <= 1.0
        assert 0.0 <= engine.eps < math.inf
    assert engine.nfev == FES == engine.n_asked
    assert len(sizes) == engine.generation
    assert sizes == sorted(sizes, reverse=True) and sizes[0] == chosen.n0
    assert engine.n >= chosen.n_min


@settings(max_examples=EXAMPLES)
@given(kinds, variants, seeds, st.integers(1, 60), st.integers(1, 80))
def test_the_budget_is_used_exactly_and_every_checkpoint_written(
    kind, chosen, seed, maxfev, checkpoints
):
    engine = finished(KINDS[kind], chosen, maxfev, seed, checkpoints=checkpoints)
    assert engine.nfev == engine.n_asked == maxfev
    assert not np.isnan(engine.state.trace.diagnostic).any()
    assert engine.state.trace.f[-1] == engine.best.f
    assert engine.state.trace.phi[-1] == engine.best.phi


@settings(max_examples=EXAMPLES)
@given(st.lists(st.integers(-40, 40), min_size=6, max_size=6), variants, seeds)
def test_units_do_not_matter(exponents, chosen, seed):
    """Variables and constraints times powers of two, tolerances along: the same run."""
    chosen = chosen.replace(perturb_unit="range")
    states = []
    for powers in ([0] * 6, exponents):
        factors = np.exp2(powers)
        variables, constraints = factors[:3], factors[3:]
        scaled = problem(
            units, 3, n_ineq=2, n_eq=1, low=-4.0 * variables, high=8.0 * variables, data=factors
        )
        limits = Limits(
            eq_tol=0.125 * constraints[2], ineq_tol=0.0625 * constraints[:2], scale="auto"
        )
        engine = finished(scaled, chosen, FES, seed, limits=limits)
        states.append(engine.state)
        engine.state.members.x[:, :3] /= variables
        engine.state.best.x[:] /= variables
        engine.state.box[: layout.HIGH_OUT + 1, :3] /= variables
        engine.state.limit[layout.TOLERANCE] /= constraints
        engine.state.limit[layout.WEIGHT] *= constraints
        engine.state.initial[:] /= constraints
        engine.state.best.g[:] /= constraints[:2]
        engine.state.best.h[:] /= constraints[2:]
        engine.state.trace.phi[:] = 0.0  # reported unscaled: it follows the units
        # Scales are known once the start is over; what was best before goes by raw violations.
        during = np.ceil(np.arange(2001) * FES / 2000) < chosen.n0
        during[0] = False
        engine.state.trace.f[during] = 0.0
    assert_same_state(*states, except_for=())


@settings(max_examples=EXAMPLES)
@given(st.permutations(range(4)), variants, seeds)
def test_the_order_of_constraints_does_not_matter(places, chosen, seed):
    plain, permuted = (
        finished(problem(dyadic, 3, n_ineq=4, data=data), chosen, FES, seed)
        for data in (range(4), places)
    )
    permuted.state.best.g[:] = permuted.state.best.g[list(places)]
    assert_same_state(plain.state, permuted.state, except_for=())
