"""Constants of a local search, its outcome, and why it may end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from rdex.problem.problem import Floats
from rdex.strategies.archive import Sample


@dataclass(frozen=True)
class LocalSettings:
    """Constants of the local search; `docs/local-search.md` says what they were measured on.

    step: finite difference, as a share of the box.
    is_exact: whether a search that has converged or hardly gains, at the best point of the run,
        goes on with differences on both sides, of `central_step` each, for the last digits.
    slope_of_f: largest slope of the scaled objective at the start; constraints have 1.
    band: share of the tolerance of an equality that the solver may use; for the last digits it is
    exact_band.
    margin: distance that the solver keeps from constraints, scaled; those that leave no room
        together get a share `room` of it.
    narrowest: scaled tolerance of a constraint, at least: below it the solver cannot see the band.
    accuracy: of the solver; 1e-9 fails on G06 and G10.
    iterations: the most steps of one search.
    patience: steps without progress after which it ends.
    late_patience: steps beyond the soft limit in which the search must gain
    late_gain: this share of the violation, or of f.
    penalty: weight of violations in the measure of progress.
    legs: how often the solver may begin, with new scales, while a leg ends short of the optimum but
        with a gain of at least
    gains: as a share of f or of the violation; less than
    clear_gain: is hardly a gain.
    edge_steps: steps along edges without a gain after which they end; after
    edge_soft: times n + 1 evaluations it must be at least
    edge_gain: as a share of f.
    rescue_steps: the most Gauss-Newton steps from an infeasible end.
    rounding: largest scaled violation that may come from rounding, and
    bits: of the points that are tried then, one after the other, see `Space.few_digits`.
    same: relative change of f between two evaluations of one point that is noise.
    jump: least size of a jump, as a share of the scaled value,
    signs: of it in a row that count, see `JumpWatch`,
    halvings: of the distance to it that make sure,
    nearest: distance that is halved no more.
    shortest: step, as a share of the box, at which the solver ends.
    """

    step: float = 1e-7
    is_exact: bool = False
    central_step: float = 2e-7
    slope_of_f: float = 0.2
    band: float = 0.999
    exact_band: float = 0.999999
    margin: float = 1e-11
    room: float = 0.1
    narrowest: float = 1e-9
    accuracy: float = 1e-12
    iterations: int = 100
    patience: int = 25
    late_patience: int = 5
    late_gain: float = 0.01
    penalty: float = 10.0
    legs: int = 4
    gains: float = 1e-6
    clear_gain: float = 0.01
    edge_steps: int = 10
    edge_soft: int = 25
    edge_gain: float = 3e-3
    rescue_steps: int = 6
    rounding: float = 1e-9
    bits: tuple[int, ...] = (46, 40, 34)
    same: float = 1e-10
    jump: float = 1e-6
    signs: int = 2
    halvings: int = 8
    nearest: float = 1e-6
    shortest: float = 1e-10


class LocalOutcome(NamedTuple):
    """What a local search found.

    start, end: in the unit cube. best: the best sample of the search, the start included.
    has_converged: the solver's own tests were met. n: evaluations. reason: why it ended, in words.
    has_jump: whether a function jumps on the way.
    """

    start: Floats
    end: Floats
    best: Sample
    has_converged: bool
    n: int
    reason: str
    has_jump: bool


CONVERGED, FLAT, NOISY = "converged", "the function is flat", "the function is noisy"
BUDGET, PATIENCE, FAILED = "no evaluations left", "no more progress", "the start failed"
STALLED, JUMP = "the solver could not go on", "the function jumps"
