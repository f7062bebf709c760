"""Tables of the campaign of `make peers` into the documentation.

    python benchmarks/peers.py [out/peers]

Writes docs/data/peers-*.csv and the table between two marks of docs/peers.md. Tables of an
unfinished campaign say so.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas

from rdex.report.contents import Options, collect
from rdex.report.printed_tables import printed_tables
from rdex.report.writing import comma_separated
from rdex.store import Dataset, load

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "peers.md"
MARK = "<!-- written by benchmarks/peers.py -->"
END = "<!-- end of what benchmarks/peers.py writes -->"

#: Tables of the report that are kept in docs/data.
KEPT = ("uscore", "friedman", "pairwise", "feasibility", "score_by_problem")


def sentence(data: Dataset) -> str:
    """What was run, and what of it is missing."""
    plan = data.manifest["plan"]
    runs = data.table.groupby("algorithm").size()
    whole = plan["runs"] * len(plan["problems"])
    parts = [
        f"{len(data)} runs: {len(runs)} algorithms, {len(plan['problems'])} problems, "
        f"{plan['runs']} runs each of {min(plan['problems'].values())} evaluations."
    ]
    fewer = [f"{name} {runs.get(name, 0)}" for name in plan["algorithms"]
             if runs.get(name, 0) < whole]  # fmt: skip
    if fewer:
        parts.append(f"Not finished, of {whole} runs: {', '.join(fewer)}.")
    failed = len(data.failures)
    parts.append(f"{failed} runs failed." if failed else "No run failed.")
    return " ".join(parts)


def write_files(folder: Path, data: Dataset) -> None:
    """Write docs/data/peers-*.csv."""
    contents = collect([folder], Options(reference="rdex-csop"))
    for sheet in printed_tables(contents):
        if sheet.name in KEPT:
            file_of(sheet.name).write_text(comma_separated(sheet), encoding="utf-8")
    median = data.table.groupby("algorithm", sort=False).wall_time.median().sort_values()
    lines = [f"{name},{value:.2g}" for name, value in median.items()]
    file_of("seconds").write_text("\n".join(["Algorithm,Median seconds", *lines, ""]), "utf-8")


def file_of(name: str) -> Path:
    """Where a table is kept."""
    return DOCS / "data" / f"peers-{name.replace('_', '-')}.csv"


def summary() -> str:
    """One table of all files, best final quality first."""
    ranks = pandas.read_csv(file_of("friedman")).set_index("Algorithm")
    points = pandas.read_csv(file_of("uscore")).set_index("Algorithm")
    duels = pandas.read_csv(file_of("pairwise")).set_index("Competitor")
    feasible = pandas.read_csv(file_of("feasibility")).set_index("Problem").mean()
    seconds = pandas.read_csv(file_of("seconds")).set_index("Algorithm")
    lines = [
        "| algorithm | rank, final quality | rank, time to target | U-score | feasible runs "
        "| quality, `rdex-csop` wins/ties/losses | seconds per run |",
        "| --- | ---: | ---: | ---: | ---: | --- | ---: |",
    ]
    for name, row in ranks.sort_values("Final Q").iterrows():
        key = "ude-iii" if name == "UDE-III (reconstruction)" else name
        duel = duels["Final Q W/T/L"].get(name, "–")
        lines.append(
            f"| {name} | {row['Final Q']:.2f} | {row['TTT']:.2f} "
            f"| {points['Total Score'][name]:.0f} | {100 * feasible[name]:.0f} % | {duel} "
            f"| {seconds['Median seconds'][key]:g} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Write files and page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path("out/peers"))
    folder = parser.parse_args().folder
    data = load(folder)
    write_files(folder, data)
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(MARK)
    tail = rest.partition(END)[2]
    written = "\n\n".join((MARK, sentence(data), summary(), END))
    PAGE.write_text(head + written + tail, encoding="utf-8")
    print(sentence(data))


if __name__ == "__main__":
    main()
