"""One campaign without interruptions, with which the others are compared."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def undisturbed_folder(tmp_path_factory):
    """A store made in this process; not to be changed."""
    pytest.importorskip("pyarrow")
    pytest.importorskip("joblib")
    from commands import WORDS

    import rdex.campaign
    from runs_here import runs_here

    folder = tmp_path_factory.mktemp("undisturbed") / "out"
    with runs_here():
        outcome = rdex.campaign.run(folder, workers=1, **WORDS)
    assert (outcome.computed, outcome.stored, outcome.failed) == (20, 0, 0)
    return folder
