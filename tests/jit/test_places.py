"""Every kernel is found, so `rdex warmup` leaves nothing to be compiled."""

import importlib
import re
from pathlib import Path

import pytest

import rdex
from rdex.cli.warmup import stages
from rdex.jit.places import all_places
from rdex.jit.tricks import NAMES
from rdex.suites import registry

PACKAGE = Path(rdex.__file__).resolve().parent


@pytest.mark.compiled
def test_all_declared_kernels_are_found():
    declared = set()
    for path in PACKAGE.rglob("*.py"):
        if "kernels" in path.with_suffix("").parts:
            parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
            module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            for name, value in vars(importlib.import_module(module)).items():
                own = getattr(getattr(value, "py_func", None), "__module__", None) == module
                if own and value.declared_signatures:
                    declared.add(f"{module}:{name}")
    assert declared == set(all_places())


def test_every_place_that_the_sources_name_is_there():
    named = set()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        named |= set(re.findall(r'"(rdex[\w.]*kernels[\w.]*:\w+)"', text))
        if path.parts[-2] in ("engine", "run"):
            loops = re.findall(r'"((?:steps|anyorder|drivers):\w+)"', text)
            named |= {f"rdex.engine.kernels.{name}" for name in loops}
    assert len(named) > 10
    assert named <= set(all_places())


def test_warming_up_compiles_every_kernel_once_and_every_function_of_the_suites():
    first, others = stages()
    names = [name for job in first + others for name in job]
    assert sorted(names) == sorted(all_places())
    ids = [id for id in registry.ids() if not id.startswith("mixed/") and "/official" not in id]
    for number in range(1, 29):
        ids += [f"cec2017/C{number:02d}/d10/{edition}/1" for edition in ("2017", "2024")]
    needed = {registry.get(id).place for id in ids}
    assert needed == {name for name in names if ".suites." in name}


@pytest.mark.compiled
def test_tricks_are_asked_for_in_the_order_of_their_names():
    from rdex.jit.compiling import TRICKS

    assert tuple(trick.name for trick in TRICKS) == NAMES
