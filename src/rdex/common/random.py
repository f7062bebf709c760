"""Random numbers for compiled code: xoshiro256++ on an explicit state of four words.

The state is a uint64 vector of length 4 that travels with the run, so a run is a pure function of
it. Every function below says how many words it takes; that is part of the contract, because the
order of draws decides the trajectory of a seed.

[BV] D. Blackman, S. Vigna, Scrambled linear pseudorandom number generators, ACM TOMS 47 (2021).
"""

import math

import numpy as np

from rdex.common.compiling import part

_11 = np.uint64(11)
_17 = np.uint64(17)
_19 = np.uint64(19)
_23 = np.uint64(23)
_41 = np.uint64(41)
_45 = np.uint64(45)


@part()
def advance(s0, s1, s2, s3):
    """The next 64 random bits and the state after them; one step of [BV]'s xoshiro256++.

    Loops that draw many words keep the state in four locals: in the array, a store to any other
    array would force it through memory at every step.
    """
    total = s0 + s3
    word = ((total << _23) | (total >> _41)) + s0
    shifted = s1 << _17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << _45) | (s3 >> _19)
    return word, s0, s1, s2, s3


@part()
def next_word(s):
    """The next 64 random bits; one word."""
    word, s[0], s[1], s[2], s[3] = advance(s[0], s[1], s[2], s[3])
    return word


@part()
def uniform(s):
    """Uniform on [0, 1), 53 bits; one word."""
    return np.float64(next_word(s) >> _11) * 1.1102230246251565e-16


@part()
def below(s, n):
    """Uniform on 0 .. n-1; one word."""
    return np.int64(uniform(s) * n)


@part()
def disc(s):
    """A point uniform in the unit disc without its centre, and its squared radius; word pairs
    until one falls inside."""
    while True:
        a = 2.0 * uniform(s) - 1.0
        b = 2.0 * uniform(s) - 1.0
        radius = a * a + b * b
        if 0.0 < radius <= 1.0:
            return a, b, radius


@part()
def normal_pair(s):
    """Two independent standard normals (Marsaglia's polar method)."""
    a, b, radius = disc(s)
    stretch = math.sqrt(-2.0 * math.log(radius) / radius)
    return a * stretch, b * stretch


@part()
def cauchy(s):
    """A standard Cauchy number, always finite: the slope of a point of the disc."""
    while True:
        a, b, _radius = disc(s)
        if b != 0.0:
            return a / b


def seed_words(rng):
    """Four state words from whatever `numpy.random.default_rng` accepts.

    Ints, sequences of ints, None and SeedSequence go through `SeedSequence.generate_state`. From a
    Generator, BitGenerator or RandomState four words are drawn, which advances it; nothing is
    spawned from it.
    """
    if isinstance(rng, np.random.SeedSequence):
        return rng.generate_state(4, np.uint64)
    if isinstance(rng, np.random.Generator | np.random.BitGenerator | np.random.RandomState):
        generator = np.random.default_rng(rng)
        return generator.integers(0, 2**64, size=4, dtype=np.uint64)
    try:
        return np.random.SeedSequence(rng).generate_state(4, np.uint64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "rng must be what numpy.random.default_rng accepts (None, int, sequence of ints, "
            f"SeedSequence, BitGenerator, Generator), got {rng!r}"
        ) from error
