"""The paper again, end to end: run, score, report, and keep the small tables.

    python benchmarks/reproduce.py [--instance official] [--out out/reproduce] [--keep FOLDER]

RDEx-CSOP, RDEx, CL-SRDE and UDE-III (reconstruction) on C01 to C28, D = 30, 25 runs of 600 000
evaluations: edition 2017 beside the paper, edition 2024 for a field in which every algorithm has
the same problems. Stopped at any moment, the same command goes on where it was. `--instance 1`
needs no data.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
from small_tables import write_csv

from rdex.report import Options, campaign_report
from rdex.scoring import indicators, paper_table, trials_from_store
from rdex.store import load

HERE = Path(__file__).resolve().parent
PLAN = HERE / "plans" / "reproduce.toml"
EDITIONS = ("2017", "2024")

#: Tables of a report that are kept, beside those with the paper's figures.
KEPT = ("uscore", "pairwise_score", "friedman", "pairwise", "score_by_problem", "feasibility",
        "final_quality", "time_to_target")  # fmt: skip

#: What is called one program in two columns of the paper.
TWINS = ("rdex-csop", "rdex")


def run(folder: Path, edition: str, instance: str, workers: int, smaller: list[str]) -> list[str]:
    """Make what is missing of the runs; the command that did it. `smaller`: words of the command
    that make the plan smaller."""
    command = [
        "rdex", "bench", "run", str(PLAN.relative_to(HERE.parent)), "--edition", edition,
        "--instance", instance, "--out", os.path.relpath(folder, HERE.parent),
        "--workers", str(workers), "--extend", *smaller,
    ]  # fmt: skip
    program = [sys.executable, "-c", "from rdex.cli import main; main()", *command[1:]]
    subprocess.run(program, cwd=HERE.parent, check=True)
    return command


def lower_means(times: np.ndarray) -> int:
    """Problems on which the first of two algorithms has the lower mean; times (2, problem, run)."""
    first, second = np.nanmean(times, axis=2)
    return int((first < second).sum())


def one_program(folder: Path, splits: int = 20_000) -> list[dict[str, object]]:
    """Can one program, run twice, have the lower mean time-to-target on as many problems as the
    paper's RDEx-CSOP has against its RDEx?

    Both names are the same settings here, so their 50 runs per problem are pooled and split at
    random; the share of splits at least as one-sided as the paper is the answer.
    """
    trials = trials_from_store(folder).select(list(TWINS)).prepared(digits=6)
    times = indicators(trials, feasible_only=False).time_to_target
    table = paper_table("time_to_target")
    ours, theirs = table.column("RDEx-CSOP_mean"), table.column("RDEx_mean")
    published = sum(a < b for a, b in zip(ours, theirs, strict=True))
    equal = sum(a == b for a, b in zip(ours, theirs, strict=True))
    pooled = np.concatenate(list(times), axis=1)  # (problem, run): 50 runs
    half = pooled.shape[1] // 2
    rng = np.random.default_rng(0)
    counts = []
    for _ in range(splits):
        mixed = rng.permuted(pooled, axis=1)
        counts.append(lower_means(np.stack([mixed[:, :half], mixed[:, half:]])))
    share = float(np.mean(np.array(counts) >= published))
    low, middle, high = np.percentile(counts, [2.5, 50, 97.5])
    return [
        {"quantity": "problems", "value": len(table.rows)},
        {"quantity": "paper: RDEx-CSOP lower", "value": published},
        {"quantity": "paper: equal", "value": equal},
        {"quantity": "our two entries: rdex-csop lower", "value": lower_means(times)},
        {"quantity": "one program, random halves: 2.5 %", "value": low},
        {"quantity": "one program, random halves: median", "value": middle},
        {"quantity": "one program, random halves: 97.5 %", "value": high},
        {"quantity": "share of halves at or above the paper", "value": share},
    ]


def provenance(commands: list[list[str]], folders: list[Path]) -> dict[str, object]:
    """Where the kept tables come from."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=HERE.parent, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    hours = [float(load(folder).table["wall_time"].sum()) / 3600 for folder in folders]
    return {
        "commit": commit.stdout.strip() or "unknown",
        "commands": [" ".join(command) for command in commands],
        "seeds": "rng 0; a run's own follows from algorithm, problem and number",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}",
        "core_hours": dict(zip(EDITIONS, np.round(hours, 3), strict=True)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--instance", default="official")
    parser.add_argument("--out", type=Path, default=Path("out/reproduce"))
    parser.add_argument("--keep", type=Path, help="folder for the small tables and the figure")
    parser.add_argument("--workers", type=int, default=-1)
    parser.add_argument("--runs", type=int, help="fewer than 25, to try it")
    parser.add_argument("--maxfev", help="fewer evaluations than 20000D, to try it")
    options = parser.parse_args()
    smaller = [word for name in ("runs", "maxfev") if (value := getattr(options, name)) is not None
               for word in (f"--{name}", str(value))]  # fmt: skip
    out = options.out.resolve()
    commands, folders = [], [out / edition for edition in EDITIONS]
    for edition, folder in zip(EDITIONS, folders, strict=True):
        commands.append(run(folder, edition, options.instance, options.workers, smaller))
    beside = options.instance == "official"
    for edition, folder in zip(EDITIONS, folders, strict=True):
        written = campaign_report(
            folder, out / f"report-{edition}", Options(reference="rdex-csop", resamples=1000),
            paper=beside and edition == "2017",
        )  # fmt: skip
        print(f"edition {edition}: {written.page}")
        if options.keep is not None:
            options.keep.mkdir(parents=True, exist_ok=True)
            for table in written.tables:
                is_kept = table.stem in KEPT or table.stem.startswith("paper_")
                if table.suffix == ".csv" and is_kept:
                    shutil.copyfile(table, options.keep / f"{edition}-{table.name}")
            for figure in written.figures:
                if figure.name == "ecdf.png":
                    shutil.copyfile(figure, options.keep / f"{edition}-{figure.name}")
    twins = one_program(folders[0])
    for row in twins:
        print(f"{row['quantity']:42s} {row['value']}")
    if options.keep is not None:
        write_csv(options.keep / "one-program.csv", twins)
        text = json.dumps(provenance(commands, folders), indent=1)
        (options.keep / "provenance.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
