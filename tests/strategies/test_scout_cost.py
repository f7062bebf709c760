"""The formula for the cost of models."""

from rdex.strategies.scout.cost import expected_seconds


def test_more_of_anything_costs_more_and_local_models_bound_it():
    base = expected_seconds(100, 10, 6)
    assert 1e-3 < base < 2e-2
    assert base < expected_seconds(100, 20, 6) and base < expected_seconds(100, 10, 30)
    assert expected_seconds(1000, 10, 6) == expected_seconds(10**6, 10, 6) < 2e-2
    assert expected_seconds(1000, 30, 21) < 5e-2
