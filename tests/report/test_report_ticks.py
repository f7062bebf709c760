"""Ticks of printed figures: round numbers inside the frame, and labels that say them."""

import numpy as np
import pytest

from rdex.report.drawing import STYLE, new_figure
from rdex.report.ticks import Ticks, draw_frame, even_ticks, power_of_ten, power_ticks

matplotlib = pytest.importorskip("matplotlib")


def test_powers_of_ten():
    assert [power_of_ten(n) for n in (-10, 0, 23)] == ["10⁻¹⁰", "10⁰", "10²³"]


@pytest.mark.parametrize(("low", "high"), [(-10.4, 4.6), (-1.2, 1.3), (0.0, 1.0), (-300.0, 300.0)])
def test_powers_inside_the_frame_are_few(low, high):
    ticks = power_ticks(low, high)
    assert 2 <= len(ticks.places) <= 5
    assert low <= min(ticks.places) and max(ticks.places) <= high
    assert all(label == power_of_ten(int(x)) for x, label in zip(*ticks, strict=True))


@pytest.mark.parametrize("low", np.linspace(-3.7, 2.1, 12))
@pytest.mark.parametrize("width", [0.04, 0.2, 0.5, 0.99])
def test_less_than_a_decade_has_ticks_too(low, width):
    """matplotlib's logarithmic axis shows one label or none there."""
    ticks = power_ticks(low, low + width)
    assert len(ticks.places) >= 2
    assert len(set(ticks.labels)) == len(ticks.labels)
    for place, label in zip(*ticks, strict=True):
        assert low - 1e-9 <= place <= low + width + 1e-9
        if not label.startswith("10") or len(label) < 3:
            assert float(label) == pytest.approx(10.0**place, rel=0.006)


@pytest.mark.parametrize(("low", "high", "labels"), [
    (-0.02, 1.02, ("0.0", "0.2", "0.4", "0.6", "0.8", "1.0")),
    (-5.0, 205.0, ("0", "50", "100", "150", "200")),
    (-0.5, 0.1, ("−0.5", "−0.4", "−0.3", "−0.2", "−0.1", "0.0", "0.1")),
    (0.0, 0.9, ("0.00", "0.25", "0.50", "0.75")),
])  # fmt: skip
def test_even_ticks_have_the_digits_that_their_step_needs(low, high, labels):
    assert even_ticks(low, high, 4 if high == 0.9 else 6).labels == labels


def test_a_frame_shows_all_labels_at_their_places():
    with matplotlib.rc_context(STYLE):
        figure = new_figure(3, 2, layout="none")
        axis = figure.subplots()
        axis.plot([0, 10], [-2, 2])
        axis.set_xlim(0, 10)
        draw_frame(axis, Ticks((0, 5, 10), ("0", "", "ten")), title="words")
        figure.canvas.draw()
    shown = {each.get_text(): each.get_position() for each in axis.texts}
    assert {"0", "ten", "words", "−2", "2"} <= set(shown)
    assert (shown["ten"][0], shown["words"][0]) == (1.0, 0.0)
    low, high = axis.get_ylim()
    assert shown["2"][1] == pytest.approx((2 - low) / (high - low))
    assert not axis.axison
    grid, frame = axis.collections
    assert len(grid.get_segments()) == len(frame.get_segments()) - 2
