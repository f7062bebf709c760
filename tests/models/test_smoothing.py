"""Smoothing is chosen per function, by leave-one-out errors."""

import numpy as np

from rdex.models.inputs import Inputs, squashing
from rdex.models.surrogate import Surrogate


def test_a_noisy_function_is_smoothed_beside_an_exact_one():
    rng = np.random.default_rng(0)
    z = rng.random((60, 2))
    exact = np.sin(3 * z[:, 0]) + z[:, 1] ** 2
    y = np.column_stack([exact, exact + 0.1 * rng.standard_normal(60)])
    outputs = squashing(y, np.zeros(2), np.ones(2))
    views = [Inputs(np.ones(2), np.full(2, 0.5), 1.0)]
    model = Surrogate(z, y, outputs, views, np.ones(60), nuggets=(0.0, 1e-2, 1.0))
    new = rng.random((200, 2))
    truth = np.sin(3 * new[:, 0]) + new[:, 1] ** 2
    errors = np.sqrt(((model.rows(new) - truth[:, None]) ** 2).mean(axis=0))
    assert errors[0] < 0.01
    assert errors[1] < 0.05  # half of the noise
    assert np.abs(model.rows(z)[:, 0] - y[:, 0]).max() < 1e-6
