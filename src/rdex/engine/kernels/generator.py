"""The state of the random generator: where its words are, and how it is seeded. Not compiled."""

import numpy as np

#: Words made in one go.
AHEAD = 128

#: Places in the state: four words of the generator, the cursor, and the words made ahead.
CURSOR = 4
FIRST = 5
END = FIRST + AHEAD


def seed_words(rng):
    """The state of a generator, from whatever `numpy.random.default_rng` accepts.

    Ints, sequences of ints, None and SeedSequence go through `SeedSequence.generate_state`. From a
    Generator, BitGenerator or RandomState four words are drawn, which advances it; nothing is
    spawned from it.
    """
    state = np.zeros(END, np.uint64)
    state[:CURSOR] = _four_words(rng)
    state[CURSOR] = END  # nothing is made yet
    return state


def is_generator_state(state):
    """Whether words are a state of a generator: its cursor in range, its four words not all 0."""
    return bool(FIRST <= state[CURSOR] <= END and state[:CURSOR].any())


def _four_words(rng):
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
