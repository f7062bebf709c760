"""Tables of the campaign of `make peers` into the documentation.

    python benchmarks/peers.py [out/peers]

Writes docs/data/peers-*.csv and the part of docs/peers.md beneath its mark. A campaign that is not
finished gives tables of what there is, which say so.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rdex.report.contents import Options, collect
from rdex.report.printed_tables import PrintedTable, printed_tables
from rdex.report.writing import comma_separated, markdown
from rdex.store import Dataset, load

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "peers.md"
MARK = "<!-- what follows is written by benchmarks/peers.py -->"

#: Tables of the report that are kept.
KEPT = ("uscore", "friedman", "pairwise", "feasibility", "score_by_problem")
SHOWN = ("uscore", "friedman", "pairwise", "feasibility")


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


def seconds(data: Dataset) -> str:
    """A table of the time of a run by algorithm."""
    median = data.table.groupby("algorithm", sort=False).wall_time.median()
    lines = ["**Median seconds of a run**, on two cores with much other work: read as ratios", ""]
    lines += ["| Algorithm | s |", "| --- | --: |"]
    lines += [f"| {name} | {value:.2g} |" for name, value in median.sort_values().items()]
    return "\n".join([*lines, ""])


def main() -> None:
    """Write page and files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path("out/peers"))
    folder = parser.parse_args().folder
    data = load(folder)
    found: dict[str, PrintedTable] = {
        sheet.name: sheet
        for sheet in printed_tables(collect([folder], Options(reference="rdex-csop")))
    }
    for name in KEPT:
        target = DOCS / "data" / f"peers-{name.replace('_', '-')}.csv"
        target.write_text(comma_separated(found[name]), encoding="utf-8")
    head = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    tables = [markdown(found[name]) for name in SHOWN]
    parts = [MARK, "", sentence(data), "", *tables, seconds(data)]
    PAGE.write_text(head + "\n".join(parts), encoding="utf-8")
    print(sentence(data))


if __name__ == "__main__":
    main()
