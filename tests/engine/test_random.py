"""The generator against published words, and what may seed it."""

import numpy as np
import pytest

from rdex.engine.kernels.layout import AHEAD
from rdex.engine.kernels.random import next_word, uniform
from rdex.engine.state import seed_words
from rdex.jit.compiling import kernel

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered in scalar:RuntimeWarning")

# The first words of xoshiro256++ from the state 1, 2, 3, 4, as its authors' C program gives them.
PUBLISHED = [
    41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205,
    9973669472204895162, 14011001112246962877, 12406186145184390807, 15849039046786891736,
    10450023813501588000,
]  # fmt: skip


@kernel()
def fill_words(random, out):
    for k in range(out.size):
        out[k] = next_word(random)


@kernel()
def fill_uniform(random, out):
    for k in range(out.size):
        out[k] = uniform(random)


def state_of(*words):
    """A state that begins with these four words."""
    state = seed_words(0)
    state[:4] = words
    return state


def test_words_go_on_where_those_made_ahead_end():
    """The plain recursion, word by word, over several fillings."""
    s = [1, 2, 3, 4]
    expected = []
    for _ in range(3 * AHEAD + 5):
        total = (s[0] + s[3]) % 2**64
        expected.append((((total << 23 | total >> 41) % 2**64) + s[0]) % 2**64)
        shifted = (s[1] << 17) % 2**64
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = (s[3] << 45 | s[3] >> 19) % 2**64
    out = np.zeros(len(expected), np.uint64)
    fill_words(state_of(1, 2, 3, 4), out)
    assert out.tolist() == expected


def test_published_words():
    out = np.zeros(10, np.uint64)
    fill_words(state_of(1, 2, 3, 4), out)
    assert out.tolist() == PUBLISHED


def test_uniform_is_the_upper_53_bits_of_a_word():
    out = np.zeros(10)
    fill_uniform(state_of(1, 2, 3, 4), out)
    assert out.tolist() == [(word >> 11) / 2**53 for word in PUBLISHED]


def test_uniform_reaches_neither_one_nor_below_zero():
    """The largest word, all ones, still gives less than 1."""
    assert (2**64 - 1 >> 11) / 2**53 < 1.0
    out = np.zeros(1)
    fill_uniform(state_of(2**64 - 1, 0, 0, 0), out)  # (s0 <<< 23) + s0
    assert 0.0 <= out[0] < 1.0


@pytest.mark.parametrize("seed", [0, 1, 2**40, [1, 2, 3], (7,), np.int64(5), np.array([3, 4])])
def test_whole_numbers_seed_as_seed_sequences_do(seed):
    expected = np.random.SeedSequence(seed).generate_state(4, np.uint64)
    assert seed_words(seed).dtype == np.uint64
    np.testing.assert_array_equal(seed_words(seed)[:4], expected)


def test_a_seed_sequence_is_read_and_not_changed():
    sequence = np.random.SeedSequence(9)
    expected = np.random.SeedSequence(9).generate_state(4, np.uint64)
    np.testing.assert_array_equal(seed_words(sequence)[:4], expected)
    np.testing.assert_array_equal(seed_words(sequence)[:4], expected)
    assert sequence.n_children_spawned == 0


def test_children_of_one_sequence_differ():
    children = np.random.SeedSequence(9).spawn(3)
    assert len({seed_words(child).tobytes() for child in children}) == 3


def test_none_is_fresh_each_time():
    assert seed_words(None).tolist() != seed_words(None).tolist()


@pytest.mark.parametrize("wrap", [np.random.Generator, lambda bits: bits])
def test_a_generator_gives_four_words_and_spawns_nothing(wrap):
    bits = np.random.PCG64(3)
    same = np.random.PCG64(3)
    np.testing.assert_array_equal(seed_words(wrap(bits))[:4], same.random_raw(4))
    assert bits.random_raw() == same.random_raw()
    assert bits.seed_seq.n_children_spawned == 0


def test_random_state_is_accepted_and_advanced():
    legacy = np.random.RandomState(3)
    assert seed_words(legacy).tolist() != seed_words(legacy).tolist()
    np.testing.assert_array_equal(
        seed_words(np.random.RandomState(3)), seed_words(np.random.RandomState(3))
    )


@pytest.mark.parametrize("bad", [-1, 1.5, "seed", object(), [1, -2], {"a": 1}])
def test_anything_else_is_named_in_the_error(bad):
    with pytest.raises(ValueError, match="rng must be what numpy"):
        seed_words(bad)
