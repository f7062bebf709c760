"""What each part of RDEx-CSOP is worth, and what its paper's text would give.

    python benchmarks/ablation.py [--dim 30] [--runs 3] [--out out/ablation] [--keep FOLDER]

Variants of one preset on the generated instances 1 to 3, 28 problems each, so that nothing is
looked at on the official one. Resumable. Every variant against the preset: share of the U-score
(target form) of the two; mean chance that its run is the better one (A12) in final quality and in
time-to-target, with Wilcoxon's signed-rank test of A12 - 1/2 over the 84 problems, after Holm's
correction over the variants. What batches cost is in `batch.py`.
"""

import argparse
from pathlib import Path

import numpy as np
from scipy.stats import wilcoxon
from small_tables import write_csv

from rdex import campaign
from rdex.scoring import compare, holm, indicators, target_score, trials_from_stores

BASE = "rdex-csop"
INSTANCES = (1, 2, 3)

#: Name -> (what is changed, in words; the settings).
VARIANTS = {
    "target": ("a success replaces its target", {"replacement": "target"}),
    "sweep": ("targets in turn instead of at random", {"targets": "sweep"}),
    "eps-paper": ("position of ε counted as in the paper", {"eps_position": "paper"}),
    "excess": ("tolerance subtracted from |h|", {"equality": "excess"}),
    "no-perturbation": ("no perturbed trials", {"perturb_probability": 0.0}),
    "no-eb": ("no exploitation-biased branch", {"eb_from": 2.0}),
    "eb-always": ("that branch open from the start", {"eb_from": 0.0}),
    "eb-objective": ("its donors ordered by f alone", {"eb_order": "objective"}),
    "n0-5d": ("N0 = 5 D", {"n0_per_dim": 5.0}),
    "n0-20d": ("N0 = 20 D", {"n0_per_dim": 20.0}),
}
PAPER = "rdex-csop-paper"


def plan(dim: int, runs: int, instance: int) -> campaign.Plan:
    """All variants on one instance; the paper's text has N0 = 20 D, which is 600 at D = 30."""
    tables = [{"name": name, "base": BASE, **changes} for name, (_, changes) in VARIANTS.items()]
    paper = {"name": "paper-text", "base": PAPER, "n0": 20 * dim}
    return campaign.Plan.of([BASE, *tables, paper], dim=dim, instance=instance, runs=runs)


def signed_rank(a12: np.ndarray) -> float:
    """p of the hypothesis that neither is better more often over the problems."""
    return float(wilcoxon(a12 - 0.5).pvalue) if (a12 != 0.5).any() else 1.0


def rows(folders: list[Path]) -> list[dict[str, object]]:
    """One line a variant."""
    trials = trials_from_stores(folders).prepared(cutoff=1e-8)
    measured = indicators(trials)
    base = trials.algorithms.index(BASE)
    quality = compare(measured.quality, base)
    time = compare(measured.time_to_target, base)
    p_quality, p_time = (
        [float(f"{p:.2g}") for p in holm([signed_rank(a12) for a12 in each.a12])]
        for each in (quality, time)
    )
    words = {name: text for name, (text, _) in VARIANTS.items()}
    found = []
    for k, other in enumerate(quality.competitors):
        name = trials.algorithms[other]
        total = target_score(trials.f[[other, base]], trials.deciding_v[[other, base]]).total
        median = np.median(measured.time_to_target[[other, base]], axis=2)
        found.append({
            "variant": name,
            "change": words.get(name, "the paper's text: all of its differences, N0 = 20 D"),
            "U share": round(float(total[0] / total.sum()), 4),
            # A12 counts for the preset: turned round, it counts for the variant.
            "Q A12": round(float(1 - quality.a12[k].mean()), 3), "Q p": p_quality[k],
            "TTT A12": round(float(1 - time.a12[k].mean()), 3), "TTT p": p_time[k],
            "TTT ratio": round(float(np.exp(np.mean(np.log(median[0] / median[1])))), 3),
        })  # fmt: skip
    return found


def draw(table: list[dict[str, object]], path: Path) -> None:
    """Share of the U-score, variant by variant."""
    from matplotlib import pyplot as plt

    names = [str(row["variant"]) for row in table][::-1]
    shares = [100 * float(row["U share"]) for row in table][::-1]
    figure, axes = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
    axes.barh(names, [share - 50 for share in shares], left=50, color="#3a6ea5")
    axes.axvline(50, color="0.3", linewidth=1)
    axes.set_xlabel("share of the U-score of the variant and rdex-csop, %")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main() -> None:
    """Run what is missing, print and keep the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dim", type=int, default=30)
    parser.add_argument("--runs", type=int, default=3, help="of every variant on every problem")
    parser.add_argument("--workers", type=int, default=-1)
    parser.add_argument("--out", type=Path, default=Path("out/ablation"))
    parser.add_argument("--keep", type=Path, help="folder for the table and the figure")
    options = parser.parse_args()
    folders = []
    for instance in INSTANCES:
        folders.append(options.out / f"d{options.dim}-{instance}")
        chosen = plan(options.dim, options.runs, instance)
        campaign.run(folders[-1], chosen, workers=options.workers, extend=True)
    table = rows(folders)
    for row in table:
        print("  ".join(f"{key} {value}" for key, value in row.items()))
    if options.keep is not None:
        write_csv(options.keep / "ablation.csv", table)
        draw(table, options.keep / "ablation.png")


if __name__ == "__main__":
    main()
