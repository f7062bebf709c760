"""Candidates for a preset of our own, compared on the generated instances 1 to 5 alone.

    python benchmarks/tuning.py [--stage d30] [--only NAME ...] [--out out/tuning] [--keep FOLDER]

Each candidate stands in a field of its own with the five it has to beat: its points against the
second's in both forms of the U-score, and against rdex-csop the problems with worse final quality
and with slower time-to-target (rank-sum, Holm). Resumable; the official instance and the instances
11 to 13 belong to `champion.py` and are not touched here.
"""

import argparse
from pathlib import Path

import numpy as np
from small_tables import write_csv

from rdex import campaign
from rdex.engine.presets import preset
from rdex.scoring import compare, indicators, pairwise_score, target_score, trials_from_stores

#: The field, and whom the candidates are compared with problem by problem.
FIELD = ("rdex-csop", "cl-srde", "rde26", "ude-iii", "ude-iv")
RIVAL = "rdex-csop"

#: Name -> dimension, budget, runs, instances.
STAGES = {
    "d10": (10, "20000D", 5, (1, 2, 3, 4, 5)),
    "d30": (30, "20000D", 3, (1, 2, 3)),
    "d30-more": (30, "20000D", 3, (4, 5)),
    "d30-5000": (30, "5000D", 3, (1, 2, 3)),
    "d30-2000": (30, "2000D", 3, (1, 2, 3)),
}

#: RDE26's constants and race with the family's own rules for the exploitation-biased branch.
RACING = {"base": "rde26", "eb_order": "epsilon", "eb_credit": "improvement"}


def floor(until, power, **changes):
    """A floor under ε."""
    return {"eps_floor_until": until, "eps_floor_power": power, **changes}


#: Groups of RDE26's constants: what they would be in RDEx-CSOP.
GROUPS = {
    "race": {"race": False},
    "perturbation": {"perturb_probability": 0.2, "perturb_scale": 0.1},
    "repair": {"repair_share": 0.5},
    "donors": {"pbest_share": 0.3, "rank_pressure": 7.0},
    "memory": {"memory_size": 5, "memory_F": 0.3, "memory_CR": 1.0, "memory_weight": 0.5,
               "F_exponent": 1 / 3, "CR_sigma": 0.1, "F_cauchy": 0.1},
    "branch": {"eb_from": 0.9, "eb_rate": 0.7, "eb_pbest_share": 0.17, "eb_pbest_decay": 0.5,
               "eb_F": 0.4, "eb_CR": 0.9, "eb_CR_floors": [0.7, 0.6],
               "eb_CR_floors_until": [0.25, 0.5]},
}  # fmt: skip


def champions(*groups):
    """RDEx-CSOP with some groups of constants of RDE26, the champion of 2026."""
    theirs = preset("rde26").as_dict()
    return {"base": "rdex-csop",
            **{name: theirs[name] for group in groups for name in GROUPS[group]}}  # fmt: skip


#: What the fifth round chose.
FIFTH = floor(0.15, 8.0, **RACING, **GROUPS["perturbation"], **GROUPS["donors"])

CANDIDATES = {
    # First round: which floor, under which constants.
    "racing": RACING,
    **{
        f"{base}-{until}-{power}": floor(until, power, **start)
        for until, power in ((0.1, 5.0), (0.15, 8.0), (0.25, 10.0), (0.25, 20.0), (0.4, 20.0))
        for base, start in (("csop", {"base": "rdex-csop"}), ("racing", RACING))
    },
    # Second round: which of RDE26's constants earn their place.
    "csop-race": floor(0.15, 8.0, base="rdex-csop", race=True),
    **{f"racing-but-{name}": floor(0.15, 8.0, **RACING, **group) for name, group in GROUPS.items()},
    # Third round: one group of them at a time.
    **{
        f"csop-with-{name}": floor(0.15, 8.0, **champions(name))
        for name in GROUPS
        if name != "race"
    },
    "csop-with-memory-donors": floor(0.15, 8.0, **champions("memory", "donors")),
    "csop-with-memory-perturbation": floor(0.15, 8.0, **champions("memory", "perturbation")),
    # Fourth round: the floor again, under what the third chose.
    **{
        f"csop-with-memory-perturbation-{until}-{power}": floor(
            until, power, **champions("memory", "perturbation")
        )
        for until, power in ((0.1, 5.0), (0.25, 10.0))
    },
    # Fifth round: all of RDE26's again, with less of what costs quality on C11, C18 and C27.
    "racing-small-perturbation": floor(0.15, 8.0, **RACING, perturb_scale=0.1),
    "racing-but-perturbation-donors": FIFTH,
    # Sixth round: begin again after settling.
    **{f"restart-{after}": {**FIFTH, "restart_after": after} for after in (1.25, 1.5, 2.0, 3.0)},
    # Seventh round: more members where there are few variables.
    **{f"restart-1.5-{n0}": {**FIFTH, "restart_after": 1.5, "n0": n0} for n0 in (140, 200)},
    "restart-1.5-but-repair": {**FIFTH, "restart_after": 1.5, **GROUPS["repair"]},
    # Eighth round: RDEx-CSOP with nothing of RDE26's but what seems to be worth something.
    **{
        f"csop-restart-with-{'-'.join(groups)}": floor(
            0.15, 8.0, **champions(*groups), restart_after=1.5, n0_least=140
        )
        for groups in (("memory",), ("memory", "branch"))
    },
    # What each part of rdex-tide is worth:
    "tide-without-floor": {"base": "rdex-tide", "eps_floor_until": 0.0},
    "tide-without-restart": {"base": "rdex-tide", "restart_after": 0.0},
    **{
        f"tide-without-{name}": {"base": "rdex-tide", **GROUPS[name]}
        for name in ("race", "repair", "memory", "branch")
    },
    "tide-without-race-repair": {"base": "rdex-tide", **GROUPS["race"], **GROUPS["repair"]},
    "tide-objective": {"base": "rdex-tide", "eb_order": "objective", "eb_credit": "objective"},
}


def plan(stage, instance):
    """The field and the candidates on one instance."""
    dim, maxfev, runs, _ = STAGES[stage]
    tables = [{"name": name, **candidate} for name, candidate in CANDIDATES.items()]
    return campaign.Plan.of([*FIELD, *tables], dim=dim, edition="2024", instance=instance,
                            runs=runs, maxfev=maxfev, checkpoints=500)  # fmt: skip


def standing(trials, name):
    """Where `name` stands in the field and against the rival."""
    field = [preset(one).label for one in FIELD]
    trials = trials.select([*field, name])
    line = {}
    for form, score in (("target", target_score), ("pairwise", pairwise_score)):
        total = score(trials.f, trials.deciding_v).total
        others = total[:-1]
        line[form] = round(float(total[-1]))
        line[f"{form} / second"] = round(float(total[-1] / others.max()), 3)
        line[f"{form} second"] = field[int(np.argmax(others))]
    pair = trials.select([name, RIVAL])
    measured = indicators(pair)
    for key, values in (("Q", measured.quality), ("TTT", measured.time_to_target)):
        line[key] = "/".join(map(str, compare(values, 0).win_tie_loss_holm[0]))
    return line


def main():
    """Run what is missing, print and keep the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stage", choices=STAGES, default="d30")
    parser.add_argument("--only", nargs="*", choices=CANDIDATES, default=list(CANDIDATES))
    parser.add_argument("--instances", nargs="*", type=int, help="of the stage's, where not all")
    parser.add_argument("--workers", type=int, default=-1)
    parser.add_argument("--out", type=Path, default=Path("out/tuning"))
    parser.add_argument("--keep", type=Path, help="folder for the table")
    options = parser.parse_args()
    folders = []
    for instance in options.instances or STAGES[options.stage][3]:
        folders.append(options.out / options.stage / str(instance))
        only = [f"{name}:*:*" for name in (*FIELD, *options.only)]
        chosen = plan(options.stage, instance)
        campaign.run(folders[-1], chosen, workers=options.workers, extend=True, only=only)
    trials = trials_from_stores(folders).prepared(cutoff=1e-8)
    table = [{"candidate": name, **standing(trials, name)} for name in options.only]
    table.sort(key=lambda line: -line["pairwise / second"])
    for line in table:
        print("  ".join(f"{key} {value}" for key, value in line.items()))
    if options.keep is not None:
        write_csv(options.keep / f"tuning-{options.stage}.csv", table)


if __name__ == "__main__":
    main()
