"""The numbers of README and docs are those of files in the repository."""

import csv
import re
from collections import defaultdict
from pathlib import Path

import pytest
from docs_tables import refreshed

PROJECT = Path(__file__).resolve().parents[2]
DOCS = PROJECT / "docs"
DATA = DOCS / "data"
PAGES = sorted(DOCS.rglob("*.md"))


def rows(name):
    with (DATA / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def page(name):
    """The source of a page on one line."""
    path = PROJECT / name if name == "README.md" else DOCS / name
    return " ".join(path.read_text(encoding="utf-8").split())


@pytest.mark.parametrize("path", PAGES, ids=[str(path.relative_to(DOCS)) for path in PAGES])
def test_written_tables_are_those_of_their_files(path):
    there = path.read_text(encoding="utf-8")
    assert there == refreshed(there), "run: python scripts/docs_tables.py"


def test_some_pages_have_such_tables():
    assert sum("<!-- from data/" in path.read_text(encoding="utf-8") for path in PAGES) >= 3


def test_the_readme_names_the_problems_of_its_figure():
    """Problems with a target, by suite, of `auto`."""
    problems = defaultdict(set)
    for row in rows("budgets/cells.csv"):
        if row["algorithm"] == "auto" and row["solved"] != "-1":
            problems[row["suite"].partition("-d")[0]].add(row["problem"].split("/")[1])
    text = page("README.md")
    coco = {name for name in problems["coco"] if "-D5-" in name or "-D10-" in name}
    cec = {name for name in problems["cec2017"] if "-D10-" in name}
    assert f"{len(coco)} problems of COCO and {len(cec)} of CEC 2017" in text
    assert f"{len(problems['engineering'])} engineering designs" in text
    assert f"{len(problems['g2006'])} G problems" in text


def test_auto_keeps_its_promise_in_as_many_cells_as_the_page_says():
    cells = rows("budgets/best.csv")
    kept = sum(row["kept"] == "yes" for row in cells)
    feasible = sum(row["feasible kept"] == "yes" for row in cells)
    leads = {row["algorithm"]: float(row["lead"]) for row in rows("budgets/lead.csv")}
    second, slsqp = leads["rdex-csop+local"], leads["multistart-slsqp"]
    text = page("small-budgets.md")
    assert f"0.97 of the best success rate in {kept} of {len(cells)} cells" in text
    assert f"In {feasible} of them its feasible rate is at most 0.02 below the best" in text
    assert f"the second, by {second:.2f} and SLSQP from many starts" in text
    assert f"the best of other packages, by {slsqp:.2f}." in text


@pytest.mark.parametrize(("label", "file"), [
    ("official 2017, D = 30", "official-2017"),
    ("official 2024, D = 30", "official-2024"),
    ("instances 11 to 13, D = 30", "unseen"),
    ("instances 11 to 13, D = 10", "d10"),
    ("instance 11, D = 50 (3 runs)", "d50"),
    ("instance 11, D = 100 (2 runs)", "d100"),
    ("G problems (25 runs, 200 000 evaluations)", "g2006"),
])  # fmt: skip
def test_rdex_tide(label, file):
    found = re.search(rf"\| {re.escape(label)} \|([^\n]*)\|", (DOCS / "tide.md").read_text("utf-8"))
    target, pairwise, quality, time = (each.strip(" *") for each in found[1].split("|"))
    totals = {form: {row["algorithm"]: float(row["total"])
                     for row in rows(f"tide/{file}-scores.csv") if row["form"] == form}
              for form in ("target", "pairwise")}  # fmt: skip
    ratios = [total.pop("rdex-tide") / max(total.values()) for total in totals.values()]
    against = {row["measure"]: row["wins/ties/losses"] for row in rows(f"tide/{file}-against.csv")}
    assert [float(target), float(pairwise)] == pytest.approx(ratios, abs=6e-4)
    assert (quality.split()[0], time.split()[0]) == (against["Q"], against["TTT"])


def test_ranks_among_packages():
    ranks = {row["Algorithm"]: float(row["Final Q"]) for row in rows("peers-friedman.csv")}
    text = page("peers.md")
    assert f"`rdex-csop` has mean rank {ranks['rdex-csop']:.1f} of {len(ranks)}" in text
    assert f"`fmin_con2` with {ranks['pycma-con2']:.1f}" in text
    assert f"many starts with {ranks['multistart-slsqp']:.1f}" in text
    for name, rank in ranks.items():
        assert re.search(rf"\| {re.escape(name)} \| {rank:.2f} \|", text), name


def test_fidelity():
    """At ten digits nothing differs; the shares are those of the files."""
    text = page("fidelity.md")
    for name in ("rdex-csop", "rdex", "cl-srde"):
        compared = rows(f"fidelity-{name}-10-digits.csv")
        assert len(compared) == 28
        assert not [row["problem"] for row in compared
                    if float(row["Q Holm"]) < 0.05 or float(row["TTT Holm"]) < 0.05]  # fmt: skip
        assert re.search(rf"\| `{name}`[^|]*\| ten \| – \| – \|", text)


def test_speed_of_minimize():
    text = page("speed.md")
    measured = (DATA / "speed-minimize.txt").read_text(encoding="utf-8")
    for label, shown in (("Python, immediate", "Python function"), ("njit, fused", "fused")):
        value = re.search(rf"{label}\s+([\d.]+) us", measured)[1]
        assert re.search(rf"{shown} \| {value} \|", text), label


@pytest.mark.parametrize(
    "problem", ["Lampinen, 9 problems", "Branin, discrete", "constraints of the FAQ",
                "G1, 35000 evaluations", "G1, 3500 evaluations"],
)  # fmt: skip
def test_each_package_is_beaten_on_a_problem_of_its_documentation(problem):
    """What the pages of the adapters say."""
    rates = {row["solver"]: int(row["solved"]) / int(row["runs"])
             for row in rows("adapters.csv") if row["problem"] == problem}  # fmt: skip
    ours = [name for name in rates if "rdex" in name.lower()]
    assert len(ours) == 1
    others = [rate for name, rate in rates.items() if name not in ours]
    assert len(others) >= 2 and rates[ours[0]] > max(others)


def test_auto_hits_most_targets_of_coco():
    shares = {(row["algorithm"], row["variables"]): float(row["targets"])
              for row in rows("coco.csv")}  # fmt: skip
    for (name, variables), share in shares.items():
        assert name == "auto" or share < shares["auto", variables], (name, variables)
