"""`Patience`: when a local search no longer gains."""

from __future__ import annotations

import math

from rdex.strategies.archive import Sample
from rdex.strategies.local_settings import LocalSettings


class Patience:
    """Counts steps without progress in merit, violation or the best point."""

    def __init__(self, patience: int, merit: float, violation: float) -> None:
        self.patience = patience
        self._merit, self._violation = merit, violation
        self._waited = 0
        self._best: Sample | None = None
        self._late: tuple[float, float] | None = None
        self._late_steps = 0

    def look(self, merit: float, violation: float) -> None:
        """Values of a new point."""
        if merit < self._merit - 1e-12 * abs(self._merit):
            self._merit, self._waited = merit, 0
        if violation < self._violation:
            self._violation, self._waited = violation, 0

    def is_slow(self, value: tuple[float, float], settings: LocalSettings) -> bool:
        """One more step beyond the soft limit; `value`: (f, φ) of the best point."""
        f, phi = value
        least = 1.0 - settings.late_gain
        last_f, last_phi = self._late or (math.inf, math.inf)
        has_less = phi < least * last_phi
        if has_less or (phi == last_phi and f < last_f - settings.late_gain * abs(last_f)):
            self._late, self._late_steps = value, 0
        self._late_steps += 1
        return self._late_steps > settings.late_patience

    def is_over(self, best: Sample) -> bool:
        """One more step has begun."""
        if best is not self._best:
            self._best, self._waited = best, 0
        self._waited += 1
        return self._waited > self.patience
