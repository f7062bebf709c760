"""Lets tests import what is beside them, and says at the end how much was fuzzed."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

# Without the JIT the random numbers overflow as they should, and NumPy mentions it.
OVERFLOW = pytest.mark.filterwarnings("ignore:overflow encountered in scalar:RuntimeWarning")


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(OVERFLOW)


def pytest_sessionfinish(session):
    """A process of `pytest -n` sends its counts to the one that writes the summary."""
    from fuzzing import DONE

    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["fuzzed"] = dict(DONE)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    from fuzzing import DONE

    DONE.update(getattr(node, "workeroutput", {}).get("fuzzed", {}))


def pytest_terminal_summary(terminalreporter):
    from fuzzing import DONE

    if DONE:
        found = ", ".join(f"{n} {what}" for what, n in sorted(DONE.items()))
        terminalreporter.write_line(f"fuzz: {found}")
