"""The first points of a search by models."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from rdex.strategies.scout import design


@pytest.mark.parametrize("few", [0, 10**9], ids=["SciPy", "NumPy"])
def test_closest_distances_have_the_same_bits(few, monkeypatch):
    """The design must not depend on which of the two is used."""
    monkeypatch.setattr(design, "FEW", few)
    random = np.random.default_rng(few)
    for _ in range(300):
        n, d = random.integers(2, 50), random.integers(1, 40)
        z = random.random((n, d))
        assert design.closest_distance(z) == pdist(z).min()


def test_one_point_has_no_neighbour():
    assert design.latin_hypercube(1, 3, np.random.default_rng(1)).shape == (1, 3)
