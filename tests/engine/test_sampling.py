"""Seeded samples against theory, at α = 1e-4."""

import math

import numpy as np
import part_kernels as parts
import pytest
from runs import IS_COMPILED, quiet
from scipy import stats

from rdex.common.random import seed_words

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
    pairs = drawn(parts.fill_normals, shape=(SIZE, 2))
    assert_distributed(pairs[:, 0], stats.norm())
    assert_distributed(pairs[:, 1], stats.norm())
    assert stats.pearsonr(pairs[:, 0], pairs[:, 1]).pvalue > ALPHA


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


@pytest.mark.parametrize("CR", [0.0, 0.25, 0.9, 1.0])
@pytest.mark.parametrize("d", [1, 2, 7, 10])
def test_crossover_takes_its_share(CR, d):
    box = np.zeros((6, d))
    box[2] = 1.0
    random = seed_words(3)
    taken = np.zeros(d)
    repeats = SIZE // 20
    for _ in range(repeats):
        x = np.array([np.zeros(d), np.ones(d)])  # row 0: the parent; row 1: the mutant
        A = parts.cross(random, x, 1, 0, CR, False, box)
        assert A == x[1].mean() and A >= 1 / d
        taken += x[1]
    chance = CR + (1 - CR) / d
    for count in taken:
        assert stats.binomtest(int(count), repeats, chance).pvalue > ALPHA


def test_perturbed_crossover_draws_around_the_parent():
    d = 10
    box = np.zeros((6, d))
    box[2] = 0.5
    random = seed_words(4)
    kept = []
    for _ in range(SIZE // 30):
        x = np.array([np.full(d, 7.0), np.full(d, 1e9)])
        A = parts.cross(random, x, 1, 0, 0.3, True, box)
        is_mutant = x[1] == 1e9
        assert A == is_mutant.mean()
        kept.extend(x[1][~is_mutant])
    assert_distributed(np.array(kept), stats.cauchy(7.0, 0.5))
