"""What the settings of every method have in common: checked fields, copies, files."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

#: What tables call algorithms whose names need a word of explanation.
LABELS = {"ude-iii": "UDE-III (reconstruction)"}


def constant(default: Any, symbol: str, source: str, low: float = 0.0, high: float = 1.0) -> Any:
    """A field with its symbol, the source of its default, and its range."""
    return field(
        default=default, metadata={"symbol": symbol, "source": source, "low": low, "high": high}
    )


@dataclass(frozen=True)
class Constants:
    """Constants of one algorithm; never changed during a run. `replace` gives a variant."""

    name: str = ""

    #: What fields of text may hold.
    CHOICES: ClassVar[dict[str, tuple[str, ...]]] = {}

    def __post_init__(self) -> None:
        for item in dataclasses.fields(self):
            check_field(item, getattr(self, item.name))
        for name, allowed in self.CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {allowed}, got {getattr(self, name)!r}")

    #: What "auto" means for the scales of constraints.
    AUTOMATIC_SCALE: ClassVar[str] = "auto"

    @property
    def label(self) -> str:
        """What tables call the algorithm."""
        return LABELS.get(self.name, self.name)

    def replace(self, **changes: Any) -> Self:
        """These settings with some fields changed."""
        unknown = set(changes) - {item.name for item in dataclasses.fields(self)}
        if unknown:
            raise ValueError(f"{type(self).__name__} has no field {sorted(unknown)[0]!r}")
        return dataclasses.replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Field names and plain values, for files; `from_dict` reads it back."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The settings that `as_dict` described; JSON's lists may stand for tuples."""
        plain = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        return cls().replace(**plain)

    def initial_size(self, dim: int, maxfev: int, least: int = 0) -> int:
        """N0 for a problem of `dim` variables and a budget of `maxfev` evaluations."""
        raise NotImplementedError


def check_field(item: dataclasses.Field[Any], value: Any) -> None:
    """A number inside its range, or a ValueError that names field, range and value."""
    if not item.metadata or (value is None and item.default is None):
        return
    low, high = item.metadata["low"], item.metadata["high"]
    whole = item.type in ("int", "int | None")
    kinds: tuple[type, ...] = (int,) if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise ValueError(f"{item.name} must be {kind} in [{low:g}, {high:g}], got {value!r}")
