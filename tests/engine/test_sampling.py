"""Seeded samples against theory, at α = 1e-4."""

import math

import numpy as np
import part_kernels as parts
import pytest
from runs import IS_COMPILED, quiet
from scipy import stats

from rdex.engine.kernels import layout
from rdex.engine.state import seed_words

pytestmark = quiet

ALPHA = 1e-4
SIZE = 100_000 if IS_COMPILED else 3_000


def drawn(fill, *arguments, seed=1, shape=(SIZE,), dtype=float):
    out = np.zeros(shape, dtype)
    fill(seed_words(seed), *arguments, out)
    return out


def assert_counts(ranks, weights):
    """χ² of ranks against weights, ranks too rare for it taken together."""
    expected = np.asarray(weights, dtype=float) / np.sum(weights) * ranks.size
    found = np.bincount(ranks, minlength=expected.size)
    assert found.size == expected.size
    group = np.minimum(np.cumsum(expected) // 10, (expected.sum() - 10) // 10).astype(int)
    group = np.unique(group, return_inverse=True)[1]
    observed, theory = np.bincount(group, found), np.bincount(group, expected)
    assert stats.chisquare(observed, theory).pvalue > ALPHA


def assert_distributed(sample, law):
    assert stats.kstest(sample, law.cdf).pvalue > ALPHA


def test_uniform():
    assert_distributed(drawn(parts.fill_uniform), stats.uniform())


@pytest.mark.parametrize("n", [2, 3, 10, 97])
def test_whole_numbers(n):
    assert_counts(drawn(parts.fill_below, n, dtype=np.int64), np.ones(n))


def test_normals_and_their_independence():
    sample = drawn(parts.fill_normals)
    assert_distributed(sample, stats.norm())
    assert stats.pearsonr(sample[::2], sample[1::2]).pvalue > ALPHA


@pytest.mark.compiled
def test_normals_at_the_edge_and_in_the_tail():
    """What the ziggurat treats apart: shares of the outermost values, by theory."""
    sample = np.abs(drawn(parts.fill_normals, shape=(2_000_000,), seed=5))
    for edge in (1.0, 2.5, 3.3, 3.442619855899, 3.6, 4.0):
        share = 2 * stats.norm.sf(edge)
        assert stats.binomtest(int((sample > edge).sum()), sample.size, share).pvalue > ALPHA
    tail = sample[sample > 3.442619855899]
    assert_distributed(tail, stats.truncnorm(3.442619855899, np.inf))


@pytest.mark.parametrize("n", [1, 2, 7, 30, 255, 256, 1000])
def test_half_words_are_the_words_in_order(n):
    halves = np.zeros(n + 1, np.int64)
    random = seed_words(8)
    parts.fill_halves(random, halves, n)
    words = np.zeros((n + 1) // 2 + 1, np.uint64)
    parts.fill_words(seed_words(8), words)
    whole = words.astype("<u8").view("<u4")
    np.testing.assert_array_equal(halves[:n], whole[:n])
    following = np.zeros(1, np.uint64)
    parts.fill_words(random, following)
    assert following[0] == words[-1]


def test_cauchy():
    sample = drawn(parts.fill_cauchy)
    assert np.isfinite(sample).all()
    assert_distributed(sample, stats.cauchy())


@pytest.mark.parametrize(("n", "pressure"), [(4, 7.0), (30, 7.0), (300, 7.0), (30, 13.98),
                                             (50, 0.5), (7, 0.0)])  # fmt: skip
def test_exponential_ranks(n, pressure):
    mass = 1.0 - math.exp(-pressure)
    ranks = drawn(parts.fill_exponential_ranks, n, pressure, mass, dtype=np.int64)
    assert_counts(ranks, np.exp(-pressure * np.arange(n) / n))


@pytest.mark.parametrize(("n", "ranks"), [(4, 4), (4, 2), (30, 30), (300, 51), (7, 1)])
def test_linear_ranks(n, ranks):
    """The weight of a rank is N − rank, also where only the first few are drawn from."""
    sample = drawn(parts.fill_linear_ranks, n, ranks, dtype=np.int64)
    if ranks == 1:
        assert set(sample) == {0}
    else:
        assert_counts(sample, (n - np.arange(n))[:ranks])


@pytest.mark.parametrize("centre", [0.0, 0.8, 0.98, 1.0])
def test_standard_parameters(centre):
    sample = drawn(parts.fill_standard, centre, 0.05, 0.93, 0.1, shape=(SIZE, 2))
    low, high = (0.0 - centre) / 0.05, (1.0 - centre) / 0.05
    assert_distributed(sample[:, 0], stats.truncnorm(low, high, centre, 0.05))
    CR = sample[:, 1]
    assert CR.min() >= 0.0 and CR.max() == 1.0
    assert stats.binomtest(int((CR == 1.0).sum()), SIZE, stats.norm.sf(0.7)).pvalue > ALPHA
    inner = CR[CR < 1.0]
    assert_distributed(inner, stats.truncnorm(-9.3, 0.7, 0.93, 0.1))


@pytest.mark.parametrize("M_F", [0.0, 0.3, 1.0])
def test_biased_parameters(M_F):
    sample = drawn(parts.fill_biased, M_F, 0.1, 0.5, 0.1, 0.6, shape=(SIZE, 2))
    law = stats.cauchy(M_F, 0.1)
    inside = law.cdf(1.0) - law.cdf(0.0)
    F = (law.cdf(sample[:, 0]) - law.cdf(0.0)) / inside
    assert_distributed(F, stats.uniform())
    CR = sample[:, 1]
    assert CR.min() == 0.6 and CR.max() <= 1.0
    assert stats.binomtest(int((CR == 0.6).sum()), SIZE, stats.norm.cdf(1.0)).pvalue > ALPHA


def wide_box(d):
    box = np.zeros((6, d))
    box[layout.LOWER], box[layout.UPPER] = -1e300, 1e300
    return box


@pytest.mark.parametrize("CR", [0.0, 0.25, 0.9, 1.0])
@pytest.mark.parametrize("d", [1, 2, 7, 10])
def test_crossover_takes_its_share(CR, d):
    box, bits = wide_box(d), np.zeros(d + 1, np.int64)
    random = seed_words(3)
    taken = np.zeros(d)
    repeats = SIZE // 20
    for _ in range(repeats):
        x = np.array([np.zeros(d), np.ones(d), np.zeros(d), np.zeros(d)])  # parent, mutant, trial
        number = parts.vary(random, x, 2, 0, 1, CR, False, box, 0.5, bits)
        assert number == x[2].sum() and number >= 1
        taken += x[2]
    chance = CR + (1 - CR) / d
    for count in taken:
        assert stats.binomtest(int(count), repeats, chance).pvalue > ALPHA


def test_perturbed_crossover_draws_around_the_parent():
    d = 10
    box, bits = wide_box(d), np.zeros(d + 1, np.int64)
    box[layout.UNIT] = 0.5
    random = seed_words(4)
    kept = []
    for _ in range(SIZE // 30):
        x = np.array([np.full(d, 7.0), np.full(d, 1e9), np.zeros(d), np.zeros(d)])
        number = parts.vary(random, x, 2, 0, 1, 0.3, True, box, 0.5, bits)
        is_mutant = x[2] == 1e9
        assert number == is_mutant.sum()
        kept.extend(x[2][~is_mutant])
    assert_distributed(np.array(kept), stats.cauchy(7.0, 0.5))
