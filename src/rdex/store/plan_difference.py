"""Two plans compared: where they differ, whether one extends the other, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rdex.common.errors import StoreError

#: What a plan may have more of than the one it extends.
GROWING = ("algorithms", "problems", "problem_sources", "runs")


class PlanDifference(StoreError):
    """The folder belongs to a different plan; `differences` are the lines that say where."""

    def __init__(self, folder: Path, lines: list[str], hints: list[str]) -> None:
        self.differences = lines
        said = "\n".join(f"  {line}" for line in lines)
        super().__init__(
            f"{folder} holds another campaign (first what is there, then what was asked for):\n"
            f"{said}\n" + "\n".join(hints or ["Use another folder, or the plan that is there."])
        )


def differences(there: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """Lines that say where two plans differ."""
    lines = []
    for name in sorted(set(there) | set(asked)):
        before, now = there.get(name), asked.get(name)
        if before == now:
            continue
        if isinstance(before, dict) and isinstance(now, dict):
            lines += [f"{name}, {line}" for line in differences(before, now)]
        elif isinstance(before, list) and isinstance(now, list):
            gone = [str(each) for each in before if each not in now]
            new = [str(each) for each in now if each not in before]
            parts = [f"without {', '.join(gone)}"] if gone else []
            parts += [f"also {', '.join(new)}"] if new else []
            lines.append(f"{name}: {'; '.join(parts) or 'in another order'}")
        else:
            lines.append(f"{name}: {_shown(before)} → {_shown(now)}")
    return lines


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "as now described" if value else "{}"
    return "nothing" if value is None else str(value)


def is_extension(there: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    """Whether a plan has all runs of another, and perhaps more."""
    fixed = (set(there) | set(asked)) - set(GROWING)
    if any(there.get(name) != asked.get(name) for name in fixed):
        return False
    return asked["runs"] >= there["runs"] and all(
        asked.get(part, {}).get(name) == each
        for part in GROWING[:-1]
        for name, each in there.get(part, {}).items()
    )


def changed_algorithms(there: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """Algorithms that both plans have, with different settings."""
    now = asked["algorithms"]
    return [name for name, each in there["algorithms"].items() if now.get(name, each) != each]


def with_algorithms_of(
    there: Mapping[str, Any], asked: Mapping[str, Any], names: list[str]
) -> dict[str, Any]:
    """The plan `there`, the named algorithms as `asked` has them."""
    taken = {name: asked["algorithms"][name] for name in names}
    return {**there, "algorithms": {**there["algorithms"], **taken}}


def advice(there: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """What would let the plan `asked` take the place of `there`; empty where nothing would."""
    changed = changed_algorithms(there, asked)
    rest = with_algorithms_of(there, asked, changed)
    if differences(rest, asked) and not is_extension(rest, asked):
        return []
    hints = []
    if changed:
        options = " ".join(f"--replace {name}" for name in changed)
        hints.append(f"{options} sets its stored runs aside and makes them again.")
    if differences(rest, asked):
        hints.append("The plan adds to the one that is there: --extend makes what is missing.")
    return hints
