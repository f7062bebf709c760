"""`help(rdex.minimize)` names every argument by its purpose, and every algorithm."""

import inspect
import re

import rdex


def test_every_argument_stands_in_a_group():
    groups = rdex.minimize.__doc__.partition("Parameters\n")[0]
    arguments = set(inspect.signature(rdex.minimize).parameters) - {"unknown"}
    assert set(re.findall(r"`(\w+)`", groups)) == arguments


def test_every_algorithm_is_named():
    missing = [name for name in rdex.algorithms() if f'"{name}"' not in rdex.minimize.__doc__]
    assert not missing
