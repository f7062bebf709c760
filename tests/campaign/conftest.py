"""One campaign without interruptions, with which the others are compared."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def undisturbed_folder(tmp_path_factory):
    """A store made by one worker; not to be changed."""
    pytest.importorskip("pyarrow")
    pytest.importorskip("joblib")
    from commands import WORDS

    import rdex.campaign

    folder = tmp_path_factory.mktemp("undisturbed") / "out"
    outcome = rdex.campaign.run(folder, workers=1, **WORDS)
    assert (outcome.computed, outcome.stored, outcome.failed) == (20, 0, 0)
    return folder
