"""Our own preset against the field, on problems that it was not tuned on: the confirmation.

    python benchmarks/champion.py [SET ...] [--out out/champion] [--keep FOLDER]

Runs what is missing of every set, and prints for each: totals of both forms of the U-score with
95 % intervals of resampled runs, how far the first is before the second, the ranking when each
algorithm leaves the field, and wins / ties / losses against rdex-csop in final quality and in
time-to-target after Holm's correction. Resumable.
"""

import argparse
from pathlib import Path

import numpy as np
from small_tables import write_csv
from tuning import FIELD, RIVAL

from rdex import campaign
from rdex.engine.presets import preset
from rdex.scoring import bootstrap, compare, indicators, leave_one_out, trials_from_stores

OURS = "rdex-tide"

#: Name -> instances, and the words of the plan for each of them.
SETS = {
    "official-2017": (("official",), {"dim": 30, "edition": "2017", "runs": 25}),
    "official-2024": (("official",), {"dim": 30, "edition": "2024", "runs": 25}),
    "unseen": ((11, 12, 13), {"dim": 30, "edition": "2024", "runs": 9}),
    "d10": ((11, 12, 13), {"dim": 10, "edition": "2024", "runs": 9}),
    "d50": ((11,), {"dim": 50, "edition": "2024", "runs": 3}),
    "d100": ((11,), {"dim": 100, "edition": "2024", "runs": 2}),
    "g2006": ((1,), {"suite": "g2006", "runs": 25, "maxfev": 200_000}),
}
FORMS = ("target", "pairwise")


def run(name, out, workers):
    """Make what is missing of a set; its stores."""
    instances, words = SETS[name]
    folders = []
    for instance in instances:
        folders.append(out / name / str(instance))
        plan = campaign.Plan.of([*FIELD, OURS], instance=instance, **words)
        campaign.run(folders[-1], plan, workers=workers, extend=True)
    return folders


def scores(trials, resamples):
    """One line per algorithm and form."""
    names = trials.algorithms
    for form in FORMS:
        drawn = bootstrap(trials, form, n_resamples=resamples)
        rank_without = leave_one_out(trials, form).ranks[:, names.index(preset(OURS).label)]
        order = np.argsort(-drawn.total)
        second = drawn.total[order[1]]
        for k in order:
            yield {
                "form": form, "rank": int(drawn.rank[k]), "algorithm": names[k],
                "total": round(float(drawn.total[k]), 1),
                "low": round(float(drawn.total_low[k]), 1),
                "high": round(float(drawn.total_high[k]), 1),
                "of the second": round(float(drawn.total[k] / second), 3),
                "share of resamples first": round(float(drawn.first[k]), 3),
                "our rank without it": "" if np.isnan(rank_without[k]) else int(rank_without[k]),
            }  # fmt: skip


def against_rival(trials):
    """One line a measure: the counts, and the problems where ours loses."""
    measured = indicators(trials.select([preset(OURS).label, RIVAL]))
    for measure, values in (("Q", measured.quality), ("TTT", measured.time_to_target)):
        compared = compare(values, 0)
        lost = np.flatnonzero(compared.outcome_holm[0] < 0)
        yield {
            "measure": measure,
            "wins/ties/losses": "/".join(map(str, compared.win_tie_loss_holm[0])),
            "median A12": round(float(np.median(compared.a12[0])), 3),
            "lost on": " ".join(trials.problems[j] for j in lost),
        }


def draw(trials, path):
    """Median f of feasible bests over the budget: the four problems on which ours gains most on the
    rival in quality and time, and the four on which it loses most, of those that both solve."""
    from matplotlib import pyplot as plt

    names = [preset(OURS).label, RIVAL, preset("rde26").label, preset("ude-iii").label]
    part = trials.select(names)
    measured = indicators(part.select(names[:2]))
    gain = compare(measured.time_to_target, 0).a12[0] + compare(measured.quality, 0).a12[0]
    solved = ((part.deciding_v[:2, :, :, -1] <= 0).mean(axis=2) >= 0.5).all(axis=0)
    order = [j for j in np.argsort(gain, kind="stable") if solved[j]]
    figure, axes = plt.subplots(2, 4, figsize=(10, 4.6), layout="constrained")
    share = np.linspace(0, 1, part.f.shape[3] + 1)[1:]
    for axis, j in zip(axes.flat, [*order[:-5:-1], *order[:4]], strict=True):
        for k, name in enumerate(names):
            f = np.where(part.deciding_v[k, j] > 0, np.nan, part.f[k, j])
            known = np.isfinite(f).mean(axis=0) >= 0.5
            middle = np.where(known, np.nanmedian(np.where(known, f, 0.0), axis=0), np.nan)
            axis.plot(share, middle, label=name, linewidth=1.2)
        axis.set_yscale("symlog", linthresh=1e-8)
        axis.set_title(part.problems[j], fontsize=9)
        axis.tick_params(labelsize=7)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4,
                  fontsize=8)  # fmt: skip
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main():
    """Every set asked for: run, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=list(SETS), choices=[*SETS, []])
    parser.add_argument("--out", type=Path, default=Path("out/champion"))
    parser.add_argument("--keep", type=Path, help="folder for the tables")
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=-1)
    options = parser.parse_args()
    for name in options.sets:
        trials = trials_from_stores(run(name, options.out, options.workers)).prepared(cutoff=1e-8)
        print(f"\n{name}: {len(trials.problems)} problems, {trials.f.shape[2]} runs")
        tables = {
            "scores": list(scores(trials, options.resamples)),
            "against": list(against_rival(trials)),
        }
        for kind, lines in tables.items():
            for line in lines:
                print("  ".join(f"{key} {value}" for key, value in line.items()))
            if options.keep is not None:
                write_csv(options.keep / f"{name}-{kind}.csv", lines)
        if options.keep is not None and name.startswith("official"):
            draw(trials, options.keep / f"{name}-convergence.png")


if __name__ == "__main__":
    main()
