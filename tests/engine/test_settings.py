"""Settings: presets as the table has them, ranges, replacement, the rule for N0."""

import dataclasses
import json
import math

import pytest

from rdex.engine.presets import PRESETS, preset
from rdex.engine.settings import Settings
from rdex.engine.state import settings_record

# The columns of the family's table: (CL-SRDE, RDEx and RDEx-CSOP, RDE26).
TABLE = {
    "n0_per_dim": (20, 10, 9.98),
    "memory_size": (5, 5, 11),
    "memory_F": (0.3, 0.3, 0.63),
    "memory_CR": (1.0, 1.0, 0.94),
    "memory_weight": (0.5, 0.5, 0.35),
    "F_exponent": (1 / 3, 1 / 3, 0.40),
    "F_sigma": (0.05, 0.05, 0.05),
    "CR_sigma": (0.1, 0.1, 0.09),
    "F_cauchy": (0.1, 0.1, 0.14),
    "pbest_share": (0.3, 0.3, 0.5),
    "rank_pressure": (7, 7, 13.98),
    "eps_share": (0.8, 0.8, 0.8),
    "eps_locked_share": (1.0, 1.0, 1.0),
    "eps_until": (0.8, 0.8, 0.75),
    "perturb_probability": (0, 0.2, 0.55),
    "perturb_scale": (None, 0.1, 0.30),
    "eb_from": (None, 0.9, 0.71),
    "eb_rate": (None, 0.7, 0.91),
    "eb_pbest_share": (None, 0.17, 0.40),
    "eb_pbest_decay": (None, 0.5, 0.35),
    "eb_F": (None, 0.4, 0.43),
    "eb_CR": (None, 0.9, 0.63),
    "eb_CR_floors": (None, (0.7, 0.6), (0.23, 0.69)),
    "eb_CR_floors_until": (None, (0.25, 0.5), (0.29, 0.63)),
    "repair_share": (0.5, 0.5, 0.21),
    "eb_order": (None, "epsilon", "objective"),
    "eb_credit": (None, "improvement", "objective"),
    "race": (False, False, True),
    "equality": ("whole", "whole", "whole"),
    "perturb_unit": ("absolute", "absolute", "absolute"),
    "start_SR": (0.5, 0.5, 0.5),
    "n_min": (4, 4, 4),
    "n0_least": (0, 0, 0),
    "eps_position": ("released", "released", "released"),
    "eps_floor_until": (0.0, 0.0, 0.0),
    "eps_floor_power": (10.0, 10.0, 10.0),
    "F_rule": ("success-rate", "success-rate", "success-rate"),
    "restart_after": (0.0, 0.0, 0.0),
    "targets": ("random", "random", "random"),
    "replacement": ("ring", "ring", "ring"),
}
RACE = {
    "race_until": 0.76, "race_feasible_share": 0.48, "race_feasible_phi": 1e-4,
    "race_target_share": 0.08, "race_donor_share": 0.27, "race_pull": 0.62, "race_push": 1.16,
    "race_CR": (0.26, 0.85),
}  # fmt: skip


@pytest.mark.parametrize(("name", "column"), [
    ("cl-srde", 0), ("rdex", 1), ("rdex-csop", 1), ("rde26", 2)
])  # fmt: skip
def test_presets_are_the_table(name, column):
    for field, values in TABLE.items():
        if values[column] is not None:
            assert getattr(preset(name), field) == values[column], field


def test_the_papers_text_as_a_preset():
    changed = preset("rdex-csop-paper").replace(name="rdex-csop")
    assert changed == preset("rdex-csop").replace(
        n0=600, eps_position="paper", targets="sweep", replacement="target", equality="excess",
        eb_from=0.0,
    )  # fmt: skip


def test_our_own_has_constants_of_both_parents_and_a_floor():
    ours, new, old = preset("rdex-tide"), preset("rde26"), preset("rdex-csop")
    assert (ours.eps_floor_until, ours.eps_floor_power) == (0.15, 8.0)
    assert (ours.n0_least, ours.restart_after) == (140, 1.5)
    assert [ours.initial_size(d, 20_000 * d) for d in (2, 10, 14, 15, 30)] == [140] * 3 + [149, 299]
    for name in ("pbest_share", "rank_pressure", "perturb_probability", "perturb_scale", "eb_order",
                 "eb_credit"):  # fmt: skip
        assert getattr(ours, name) == getattr(old, name) != getattr(new, name)
    for name in ("memory_size", "memory_F", "F_exponent", "repair_share", "eb_from", "race"):
        assert getattr(ours, name) == getattr(new, name) != getattr(old, name)


def test_lshade_has_nothing_of_the_family_but_its_steps():
    plain = preset("lshade")
    assert (plain.memory_size, plain.memory_weight, plain.F_rule) == (6, 1.0, "memory")
    assert (plain.targets, plain.replacement, plain.eps_until) == ("sweep", "target", 0.0)
    assert plain.eb_from > 1.0 and plain.perturb_probability == plain.rank_pressure == 0.0
    relaxed = preset("lshade-eps").replace(name="lshade", eps_until=0.0, eps_floor_until=0.0)
    assert relaxed == plain.replace(eps_floor_power=5.0)


def test_the_race_of_rde26_and_that_cl_srde_has_no_eb():
    for field, value in RACE.items():
        assert getattr(preset("rde26"), field) == value
    assert preset("cl-srde").eb_from > 1.0


def test_the_table_covers_every_field():
    fields = {field.name for field in dataclasses.fields(Settings)}
    assert fields == set(TABLE) | set(RACE) | {"name", "n0"}


def test_every_number_carries_its_symbol_source_and_range():
    for field in dataclasses.fields(Settings):
        if field.type in ("int", "float", "int | None"):
            assert field.metadata["symbol"] and field.metadata["source"]
            assert field.metadata["low"] < field.metadata["high"]


@pytest.mark.parametrize("change", [
    {"pbest_share": 1.5}, {"pbest_share": -0.1}, {"F_sigma": math.nan}, {"memory_size": 0},
    {"memory_size": 2.5}, {"n0": 3}, {"n0": True}, {"n_min": 3}, {"eb_order": "random"},
    {"equality": "some"}, {"race_CR": (0.2, 1.2)}, {"race_CR": (0.2,)}, {"memory_F": None},
    {"eps_share": "0.5"}, {"n0": 5, "n_min": 6}, {"perturb_unit": "metres"},
])  # fmt: skip
def test_values_out_of_range_are_named(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        preset("rdex-csop").replace(**change)


def test_unknown_fields_and_presets_are_named():
    with pytest.raises(ValueError, match="no field 'n1'"):
        preset("rdex").replace(n1=5)
    with pytest.raises(ValueError, match=r"unknown algorithm 'de'.*rde26"):
        preset("de")


def test_settings_never_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        preset("rdex").n0 = 5


@pytest.mark.parametrize("name", PRESETS)
def test_files_give_the_same_settings_back(name):
    text = json.dumps(preset(name).as_dict())
    assert type(preset(name)).from_dict(json.loads(text)) == preset(name)


@pytest.mark.parametrize(("name", "dim", "maxfev", "n0"), [
    ("rdex-csop", 30, 600_000, 300),
    ("rdex-csop", 10, 200_000, 100),
    ("rdex-csop", 100, 2_000_000, 1000),
    ("cl-srde", 30, 600_000, 600),
    ("rde26", 30, 600_000, 299),
    ("rde26", 10, 200_000, 99),
    ("rdex-csop", 5, 500, 38),
    ("rdex-csop", 5, 10, 5),
    ("rdex-csop", 5, 1, 4),
    ("rdex-csop", 5, 100_000, 50),
    ("cl-srde", 500, 10_000_000, 10_000),
    ("rdex-csop", 1, 100_000, 10),
])  # fmt: skip
def test_initial_size(name, dim, maxfev, n0):
    assert preset(name).initial_size(dim, maxfev) == n0
    assert preset(name).replace(n0=600).initial_size(dim, maxfev) == 600


def test_constants_reach_the_kernels_under_their_names():
    settings = preset("rde26")
    record = settings_record(settings, n0=99, maxfev=1234, checkpoints=7)[0]
    assert (record["n0"], record["maxfev"], record["checkpoints"]) == (99, 1234, 7)
    assert record["rank_mass"] == 1.0 - math.exp(-13.98)
    assert record["race"] == 1
    assert record["eb_CR_floor_2"] == 0.69 and record["eb_CR_until_1"] == 0.29
    assert record["race_CR_low"] == 0.26 and record["race_CR_high"] == 0.85
    used_at_start = {"n0_per_dim", "perturb_scale"}
    for field in dataclasses.fields(settings):
        if field.type == "float" and field.name not in used_at_start:
            assert record[field.name] == getattr(settings, field.name), field.name


def test_files_of_older_versions_are_of_the_same_run():
    """Checkpoints and campaigns compare settings as they are written."""
    plain = preset("rdex-csop")
    assert "eps_locked_share" not in plain.as_dict()
    assert Settings.from_dict(plain.as_dict()) == plain
    changed = plain.replace(eps_locked_share=0.3)
    assert changed.as_dict()["eps_locked_share"] == 0.3
    assert Settings.from_dict(changed.as_dict()) == changed
