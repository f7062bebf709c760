"""Is it the same search? Our runs against traces of the released programs, problem by problem.

    python benchmarks/fidelity.py [--algorithm rdex-csop|cl-srde] [--first-seed 0] [--csv FILE]
                                  [--store FOLDER] [--markdown FILE]

25 runs per problem on the official instance, 2017 edition, D = 30, 600 000 evaluations, against the
25 of the released program in RDEX_REFERENCE_DIR. Final quality Q and time-to-target are compared
by rank-sum tests with Holm's correction and by A12 with its 95 % interval, and both by the
target-form U-score of the two; once as recorded, once with traces rounded to ten significant
digits, because on C08-C10 all runs end within a few units in the last place of each other. With
`--store` the runs are those of a campaign (`make reproduce` has them) instead of new ones.
"""

import argparse
import csv
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from rdex.scoring import Trials, compare, indicators, target_score, trials_from_store

REFERENCE = Path(os.environ.get("RDEX_REFERENCE_DIR", "../shared/reference")).resolve()
RELEASED = {"rdex-csop": "released_rdex", "rdex": "released_rdex", "cl-srde": "released_clsrde"}
DIM, MAXFEV, RUNS, PROBLEMS = 30, 600_000, 25, range(1, 29)
#: The released RDEx leaves the bounds on C07 and loses feasible records on C11.
EXPECTED = ("C07", "C11")


def our_runs(number: int, algorithm: str, first_seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Traces f, v (run, checkpoint) of our engine on one problem."""
    from rdex.engine.engine import Engine
    from rdex.engine.presets import preset
    from rdex.suites.cec2017 import problem

    task = problem(number, DIM, "2017", "official", data=REFERENCE / "cec2017_official")
    f, v = [], []
    for seed in range(first_seed, first_seed + RUNS):
        engine = Engine(task, preset(algorithm), MAXFEV, seed)
        engine.run()
        f.append(engine.state.trace.f[1:])
        v.append(engine.state.trace.phi[1:])
    return np.array(f), np.array(v)


def new_runs(algorithm: str, first_seed: int, workers: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Our traces f, v of every problem, run now."""
    one = partial(our_runs, algorithm=algorithm, first_seed=first_seed)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(one, PROBLEMS))


def stored_runs(folder: Path, algorithm: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """The same from a campaign."""
    stored = trials_from_store(folder).select([algorithm])
    return list(zip(stored.f[0], stored.v[0], strict=True))


def traces(ours: list[tuple[np.ndarray, np.ndarray]], algorithm: str) -> Trials:
    """Both programs on all problems."""
    f, v = [], []
    for (our_f, our_v), number in zip(ours, PROBLEMS, strict=True):
        released = np.load(REFERENCE / RELEASED[algorithm] / f"C{number:02d}.npz")
        f.append([our_f, released["f"]])
        v.append([our_v, released["v"]])
    names = [f"C{number:02d}" for number in PROBLEMS]
    return Trials.from_arrays(
        np.swapaxes(f, 0, 1),
        np.swapaxes(v, 0, 1),
        maxfev=MAXFEV,
        algorithms=["here", "released"],
        problems=names,
    )


def table(trials: Trials) -> list[dict[str, object]]:
    """One row per problem: both medians, p, Holm p and A12 for quality and time to target."""
    measured = indicators(trials)
    quality = compare(measured.quality)
    time = compare(measured.time_to_target)
    score = target_score(trials.f, trials.v)
    rows: list[dict[str, object]] = []
    for p, name in enumerate(trials.problems):
        row: dict[str, object] = {"problem": name}
        for label, values, result in (
            ("Q", measured.quality, quality),
            ("TTT", measured.time_to_target, time),
        ):
            row |= {
                f"{label} here": float(np.median(values[0, p])),
                f"{label} released": float(np.median(values[1, p])),
                f"{label} p": float(result.p[0, p]),
                f"{label} Holm": float(result.p_holm[0, p]),
                f"{label} A12": float(result.a12[0, p]),
                f"{label} low": float(result.a12_low[0, p]),
                f"{label} high": float(result.a12_high[0, p]),
            }
        row["feasible here"] = float(np.mean(trials.v[0, p, :, -1] == 0))
        row["feasible released"] = float(np.mean(trials.v[1, p, :, -1] == 0))
        row["U share"] = float(score.per_problem[0, p] / score.per_problem[:, p].sum())
        rows.append(row)
    return rows


def report(rows: list[dict[str, object]]) -> None:
    """Print the table and what it comes to."""
    half = f"{'Holm':>6} {'A12':>17}"
    print(f"{'':4} {'median Q':>23} {half}   {'TTT':>13} {half}  U %")
    for row in rows:
        print(
            f"{row['problem']} {row['Q here']:>11.5g} {row['Q released']:>11.5g} "
            f"{row['Q Holm']:>6.3f} {row['Q A12']:.2f} [{row['Q low']:.2f}, {row['Q high']:.2f}]"
            f"   {row['TTT here']:>6.0f} {row['TTT released']:>6.0f} {row['TTT Holm']:>6.3f} "
            f"{row['TTT A12']:.2f} [{row['TTT low']:.2f}, {row['TTT high']:.2f}]"
            f" {100 * row['U share']:>4.0f}"
        )
    others = [row for row in rows if row["problem"] not in EXPECTED]
    share = np.mean([row["U share"] for row in others])
    for label in ("Q", "TTT"):
        different = [str(row["problem"]) for row in rows if row[f"{label} Holm"] < 0.05]
        print(f"{label}: significant after Holm: {', '.join(different) or 'none'}")
    print(f"corrected U-score share here, without {' and '.join(EXPECTED)}: {100 * share:.1f} %")


def main() -> None:
    """Run, print, and keep the table if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--algorithm", choices=sorted(RELEASED), default="rdex-csop")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--store", type=Path, help="take the runs of this campaign")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--markdown", type=Path, help="keep the table at ten digits for people")
    arguments = parser.parse_args()
    if arguments.store is None:
        ours = new_runs(arguments.algorithm, arguments.first_seed, arguments.workers)
    else:
        ours = stored_runs(arguments.store, arguments.algorithm)
    trials = traces(ours, arguments.algorithm)
    for label, digits in (("as recorded", None), ("rounded to ten digits", 10)):
        rows = table(trials.prepared(digits=digits))
        source = arguments.store or f"seeds from {arguments.first_seed}"
        print(f"\n{arguments.algorithm}, {source}, {label}")
        report(rows)
        if arguments.markdown and digits:
            arguments.markdown.write_text(markdown(rows), encoding="utf-8")
        if arguments.csv:
            keep(rows, arguments.csv.with_stem(f"{arguments.csv.stem}-{digits or 'all'}-digits"))


def markdown(rows: list[dict[str, object]]) -> str:
    """The table of docs/fidelity.md."""
    half = "Holm | A12 [95 %]"
    lines = [
        f"| | Q here | Q released | {half} | TTT here | TTT released | {half} | U share |",
        "|---" * 10 + "|",
    ]
    for row in rows:
        cells = [row["problem"]]
        for label, number in (("Q", "{:.5g}"), ("TTT", "{:.0f}")):
            interval = f"[{row[f'{label} low']:.2f}, {row[f'{label} high']:.2f}]"
            cells += [
                number.format(row[f"{label} here"]),
                number.format(row[f"{label} released"]),
                f"{row[f'{label} Holm']:.3f}",
                f"{row[f'{label} A12']:.2f} {interval}",
            ]
        cells.append(f"{100 * row['U share']:.0f} %")
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def keep(rows: list[dict[str, object]], path: Path) -> None:
    """Write the table as CSV."""
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows
        )


if __name__ == "__main__":
    main()
