"""Which tricks are on: those that pass their own test with the numba that is installed.

A trick uses something of numba that its documentation does not promise. Its test runs once per
machine and version of numba, Python and this folder, about a second for all of them, and the answer
is kept beside the compiled kernels. Without a trick the same results take longer.

`RDEX_JIT_OFF` switches tricks off: names separated by commas, or "all".
"""

from __future__ import annotations

import functools
import hashlib
import json
import logging
import os
import platform
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from rdex.common.files import atomic_write
from rdex.common.folders import cache_folder
from rdex.jit.sources import version_of

#: All of them, in the order of `rdex.jit.compiling.TRICKS`.
NAMES = (
    *("caching", "references", "wrappers", "inlining"),
    *("parts", "literals", "moving", "binding"),
)

_lock = threading.RLock()


class Trick(NamedTuple):
    """A trick: the name that switches it off, and the test that it works."""

    name: str
    works: Callable[[], bool]

    @property
    def is_on(self) -> bool:
        """Whether it is used here."""
        return is_on(self)


@functools.cache
def is_on(trick: Trick) -> bool:
    """Whether a trick is neither switched off nor without effect in this numba."""
    from numba import config

    if config.DISABLE_JIT or switched_off(trick.name):
        return False
    with _lock:
        answers = _remembered()
        if trick.name not in answers:
            answers[trick.name] = _passes(trick)
            _remember(answers)
        return answers[trick.name]


def switched_off(name: str) -> bool:
    """Whether `RDEX_JIT_OFF` names this trick, or all of them."""
    names = [text.strip() for text in os.environ.get("RDEX_JIT_OFF", "").split(",")]
    return name in names or "all" in names


def known_on() -> tuple[str, ...] | None:
    """Names of the tricks that are on; None where a test is still to be run. Without numba."""
    asked = [name for name in NAMES if not switched_off(name)]
    if any(name not in _remembered() for name in asked):
        _remembered.cache_clear()  # another process may have run them
    answers = _remembered()
    if any(name not in answers for name in asked):
        return None
    return tuple(name for name in asked if answers[name])


def _passes(trick: Trick) -> bool:
    """The test's answer; an exception is a no, whatever it is: numba may have changed anywhere."""
    try:
        passed = trick.works()
        reason = "its test fails"
    except Exception as error:
        passed, reason = False, f"{type(error).__name__}: {error}"
    if not passed:
        logging.getLogger("rdex").warning(
            "numba %s: compiled code goes without %r (%s); results are the same, it is slower",
            version_of("numba"),
            trick.name,
            reason,
        )
    return passed


@functools.cache
def _answers_file() -> Path:
    """The file for the answers of this numba, Python, machine and folder."""
    versions = [version_of(name) for name in ("numba", "llvmlite")]
    digest = hashlib.sha256(f"{versions} {sys.version} {platform.machine()}".encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return cache_folder() / "kernels" / f"tricks-{digest.hexdigest()[:16]}.json"


@functools.cache
def _remembered() -> dict[str, bool]:
    """Answers of an earlier process, to be added to."""
    try:
        answers = json.loads(_answers_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(answers, dict):
        return {}
    return {name: answer for name, answer in answers.items() if isinstance(answer, bool)}


def _remember(answers: dict[str, bool]) -> None:
    """Keep the answers for the next process, where the folder can be written."""
    try:
        _answers_file().parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(_answers_file()) as stream:
            stream.write(json.dumps(answers).encode())
    except OSError:
        pass  # tested again by the next process
