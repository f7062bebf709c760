"""Random numbers for compiled code: xoshiro256++ on an explicit state.

The state is one uint64 vector that travels with the run, so a run is a pure function of it: the
generator's four words, a cursor, and the next words, made in one go (`layout`). Making them in a
tight loop, where the four words stay in registers, takes a fifth of the time of making one at a
time between other work. Every function below says how many words it takes; that is part of the
contract, because the order of draws decides the trajectory of a seed.

[BV] D. Blackman, S. Vigna, Scrambled linear pseudorandom number generators, ACM TOMS 47 (2021).
[D] J. A. Doornik, An improved ziggurat method to generate normal random samples, Oxford (2005).
"""

import math

import numpy as np

from rdex.engine.kernels.layout import CURSOR, END, FIRST, LOWER, UPPER
from rdex.jit.compiling import part

_1 = np.uint64(1)
_11 = np.uint64(11)
_17 = np.uint64(17)
_19 = np.uint64(19)
_23 = np.uint64(23)
_32 = np.uint64(32)
_41 = np.uint64(41)
_45 = np.uint64(45)
_LOW_32 = np.uint64(0xFFFFFFFF)


@part()
def advance(s0, s1, s2, s3):
    """The next 64 random bits and the state after them; one step of [BV]'s xoshiro256++."""
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


@part(inline=False)
def refill(s):
    """Make the next words. Eight steps at a time: a smaller loop would be inlined at every draw."""
    s0, s1, s2, s3 = s[0], s[1], s[2], s[3]
    for k in range(FIRST, END, 8):
        s[k], s0, s1, s2, s3 = advance(s0, s1, s2, s3)
        s[k + 1], s0, s1, s2, s3 = advance(s0, s1, s2, s3)
        s[k + 2], s0, s1, s2, s3 = advance(s0, s1, s2, s3)
        s[k + 3], s0, s1, s2, s3 = advance(s0, s1, s2, s3)
        s[k + 4], s0, s1, s2, s3 = advance(s0, s1, s2, s3)
        s[k + 5], s0, s1, s2, s3 = advance(s0, s1, s2, s3)
        s[k + 6], s0, s1, s2, s3 = advance(s0, s1, s2, s3)
        s[k + 7], s0, s1, s2, s3 = advance(s0, s1, s2, s3)
    s[0], s[1], s[2], s[3] = s0, s1, s2, s3
    s[CURSOR] = FIRST


@part()
def next_word(s):
    """The next 64 random bits; one word."""
    if s[CURSOR] >= END:
        refill(s)
    k = s[CURSOR]
    s[CURSOR] = k + _1
    return s[k]


@part()
def half_words(s, out, n):
    """n numbers of 32 random bits into out[:n], where out has room for n + 1; one word for two of
    them, the lower half first."""
    at = np.uint64(0)  # unsigned: an index that may be negative costs a test
    end = np.uint64(n)
    while at < end:
        if s[CURSOR] >= END:
            refill(s)
        first = s[CURSOR]
        words = min(np.uint64(END) - first, (end + _1 - at) >> _1)
        for k in range(words):
            word = s[first + k]
            out[at + k + k] = np.int64(word & _LOW_32)
            out[at + k + k + _1] = np.int64(word >> _32)
        s[CURSOR] = first + words
        at += words + words


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


def _layers():
    """Edges of layers of equal area under exp(−x²/2), widest first, the one with the tail before
    them; and the share of each that lies under the next."""
    edges = np.zeros(_LAYERS + 1)
    edges[0] = _AREA / math.exp(-0.5 * _TAIL * _TAIL)
    edges[1] = _TAIL
    for k in range(2, _LAYERS):
        x = edges[k - 1]
        edges[k] = math.sqrt(-2.0 * math.log(_AREA / x + math.exp(-0.5 * x * x)))
    return edges, edges[1:] / edges[:-1]


_LAYERS = 128
_TAIL = 3.442619855899  # where the tail begins, and the area of a layer [D]
_AREA = 9.91256303526217e-3
_EDGES, _SURE = _layers()
_7_BITS = np.uint64(_LAYERS - 1)


@part()
def normal(s):
    """A standard normal by Marsaglia and Tsang's ziggurat, in the form of [D]; one word in 99 of
    100 cases. Its lower 7 bits choose the layer, its upper 53 the place in it."""
    word = next_word(s)
    layer = word & _7_BITS
    place = np.float64(word >> _11) * 2.220446049250313e-16 - 1.0
    if abs(place) < _SURE[layer]:
        return place * _EDGES[layer]
    return _normal_at_the_edge(s, layer, place)


@part(inline=False)
def _normal_at_the_edge(s, layer, place):
    """The rest of `normal`: under the curve or not, the tail, and another try."""
    while True:
        if layer == 0:
            x, y = 1.0, 0.0
            while 2.0 * y < x * x:
                x = -math.log(1.0 - uniform(s)) / _TAIL
                y = -math.log(1.0 - uniform(s))
            return _TAIL + x if place > 0.0 else -_TAIL - x
        value = place * _EDGES[layer]
        outer = math.exp(-0.5 * (_EDGES[layer] ** 2 - value * value))
        inner = math.exp(-0.5 * (_EDGES[layer + _1] ** 2 - value * value))
        if inner + uniform(s) * (outer - inner) < 1.0:
            return value
        word = next_word(s)
        layer = word & _7_BITS
        place = np.float64(word >> _11) * 2.220446049250313e-16 - 1.0
        if abs(place) < _SURE[layer]:
            return place * _EDGES[layer]


@part()
def cauchy(s):
    """A standard Cauchy number, always finite: the slope of a point of the disc."""
    while True:
        a, b, _radius = disc(s)
        if b != 0.0:
            return a / b


@part()
def uniform_row(random, box, x, row, d):
    """Write a uniform point of the engine's box into a row of x."""
    for j in range(d):
        low = box[LOWER, j]
        high = box[UPPER, j]
        x[row, j] = min(low + uniform(random) * (high - low), high)
