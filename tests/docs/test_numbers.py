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


@pytest.fixture(scope="module")
def budgets():
    """Cells of the README's figure by suite: problems, and seeds by budget, of `auto`."""
    problems, seeds = defaultdict(set), defaultdict(set)
    for row in rows("budgets/cells.csv"):
        if row["algorithm"] == "auto":
            problems[row["suite"]].add(row["problem"])
            seeds[int(row["budget"])].add(row["seed"])
    return problems, {budget: len(found) for budget, found in seeds.items()}


def test_the_readme_names_the_problems_of_its_figure(budgets):
    problems, _ = budgets
    text = page("README.md")
    assert f"{len(problems['engineering'])} engineering designs" in text
    solvable = [each for each in problems["g2006"] if not each.endswith("G20")]  # no known optimum
    assert f"{len(solvable)} G problems" in text


def test_auto_solves_most_at_every_budget():
    """What README, small-budgets and which-algorithm say."""
    for row in rows("budgets/success.csv"):
        rates = {name: float(rate) for name, rate in row.items()
                 if name not in ("suite", "budget") and rate}  # fmt: skip
        assert rates["auto"] == max(rates.values()), (row["suite"], row["budget"])


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
