"""The documented uses pass a strict type checker, as a user would run it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import rdex
from rdex.engine.presets import PRESETS, RdexName, UdeName
from rdex.engine.settings import Settings

HERE = Path(__file__).parent
PROJECT = HERE.parent.parent


def test_documented_uses_are_typed(tmp_path, request):
    """What mypy knows of unchanged modules is kept from run to run: 8 s without it."""
    pytest.importorskip("mypy")
    cache = request.config.cache.mkdir("mypy") if request.config.cache else tmp_path
    process = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent",
         f"--cache-dir={cache}", str(HERE / "documented_uses.py")],
        env={**os.environ, "MYPYPATH": str(PROJECT / "src")}, cwd=tmp_path, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    assert process.returncode == 0, process.stdout + process.stderr


def test_names_of_presets_have_their_types():
    families = {name for name, settings in PRESETS.items() if isinstance(settings, Settings)}
    assert set(get_args(RdexName)) == families
    assert set(get_args(UdeName)) == set(PRESETS) - families


def test_every_public_name_is_there():
    for name in rdex.__all__:
        assert getattr(rdex, name) is not None
    children = [getattr(rdex, name) for name in rdex.__all__ if name.endswith("Error")]
    assert len(children) == 6 and all(issubclass(child, rdex.RdexError) for child in children)


def test_the_documented_uses_run(tmp_path):
    import documented_uses as uses

    assert uses.solved(tmp_path).success
    assert [state.name for state in uses.limited().violations] == ["total"]
    assert uses.advanced(rdex.Optimizer([(-5, 5)] * 2, maxfev=60, rng=1)).nfev == 60
    assert uses.constants() == 5 + 5 + 25 and "scout" in uses.named()
    uses.careful()
