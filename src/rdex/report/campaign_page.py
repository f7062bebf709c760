"""The page of a campaign: what its template and its script are given."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from rdex.report.campaign_words import (
    PAIRWISE_COLUMNS,
    TARGET_COLUMNS,
    small_sample_warnings,
    verdict,
)
from rdex.report.contents import METRICS, Contents, Matrix, run_rows
from rdex.report.critical_difference import diagram, svg
from rdex.report.numbers import ABSENT, shown
from rdex.report.page import compact, embedded, render, safe
from rdex.report.paper_comparison import CAVEATS
from rdex.report.printed_tables import PrintedTable
from rdex.report.writing import WRITERS
from rdex.scoring import outside_notes
from rdex.scoring.arrays import Floats, Ints
from rdex.scoring.attainment import PRECISIONS
from rdex.scoring.comparison import RANK_SUM

#: Columns of runs that repeat few values.
REPEATED = ("algorithm", "problem_id", "suite", "edition", "instance", "rng", "form", "cpu",
            "origin", "dim", "maxfev", "checkpoints")  # fmt: skip


def campaign_html(
    contents: Contents,
    sheets: Sequence[PrintedTable],
    paper_sheets: Sequence[PrintedTable] | None,
    title: str = "Campaign report",
) -> str:
    """The page; `paper_sheets` is None where the paper was not asked for."""
    target = contents.target
    rows = run_rows(contents.datasets)
    return render(
        "campaign.html",
        "campaign.js",
        title=title,
        verdict=verdict(contents),
        headline=headline(contents),
        options=contents.options.sentence(),
        reference=target.reference,
        form=contents.trials.form,
        made=f"{datetime.now(UTC):%Y-%m-%d}",
        warnings=warnings(contents),
        target_words=TARGET_COLUMNS,
        pairwise_words=PAIRWISE_COLUMNS,
        several=len(contents.algorithms) > 1,
        algorithms=contents.algorithms,
        problems=contents.problems,
        metrics=METRICS,
        target=target.tables["leaderboard"],
        pairwise=contents.pairwise,
        ranks={name: heat(contents.problems, ranks) for name, ranks in contents.ranks.items()},
        friedman={name: friedman_part(contents, name) for name in METRICS},
        matrices={name: list(matrix_rows(contents.algorithms, each))
                  for name, each in contents.matrices.items()},
        rank_sum=f"Test: {RANK_SUM}.",
        effects={key: sheet_named(sheets, f"effects_{key}") for key in METRICS},
        gaps=sheet_named(sheets, "gaps"),
        times=sheet_named(sheets, "run_times"),
        groups=list(contents.cost.groups),
        cost_label=contents.cost.label,
        sources=own_sources(contents),
        sheets=sheets,
        paper=paper_sheets is not None,
        paper_sheets=paper_sheets or (),
        caveats=(*CAVEATS, f"Here: {headline(contents)}"),
        settings=distinct_settings(rows),
        versions=distinct_versions(rows),
        failures=failures(contents),
        n_runs=len(rows),
        problem_ids=list(dict.fromkeys(row["problem_id"] for row in rows)),
        data=list(data_blocks(contents, [*sheets, *(paper_sheets or ())], rows)),
    )  # fmt: skip


def headline(contents: Contents) -> str:
    """How much there is, in one sentence."""
    trials = contents.trials
    suites, dims = (_distinct(contents, column) for column in ("suite", "dim"))
    parts = [
        f"{_count(len(trials.algorithms), 'algorithm')} on "
        f"{_count(len(trials.problems), 'problem')}"
        + (f" of {', '.join(suites)}" if suites else ""),
        *([f"variables: {', '.join(dims)}"] if dims else []),
        f"runs of each: {_range(trials.counts)}",
        f"evaluations per run: {_range(trials.maxfev)}",
        f"checkpoints: {trials.n_checkpoints}",
    ]
    return "; ".join(parts) + "."


def _distinct(contents: Contents, column: str) -> list[str]:
    """Different values of a column of the stores, sorted."""
    # `unique` of Arrow would do, but imports all of its functions first: 50 ms.
    found = {value for data in contents.datasets
             for value in data.arrow.column(column).to_pylist()
             if value is not None}  # fmt: skip
    return [str(value) for value in sorted(found)]


def _range(values: Ints) -> str:
    low, high = int(values.min()), int(values.max())
    return f"{low}" if low == high else f"{low} to {high}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}" + ("" if number == 1 else "s")


def warnings(contents: Contents) -> list[str]:
    """What a reader must know before anything else."""
    notes = (*contents.target.score.notes, *outside_notes(contents.datasets))
    return [*small_sample_warnings(contents), *(f"{note[:1].upper()}{note[1:]}." for note in notes)]


def sheet_named(sheets: Sequence[PrintedTable], name: str) -> PrintedTable | None:
    """A table of the report; None where it has none of that name."""
    return next((sheet for sheet in sheets if sheet.name == name), None)


def own_sources(contents: Contents) -> list[tuple[str, str]]:
    """Algorithms of one's own with their texts."""
    found: dict[tuple[str, str], None] = {}
    for data in contents.datasets:
        planned = (data.manifest["plan"] or {}).get("algorithms", {})
        for name, settings in planned.items():
            digest = settings.get("file_sha256") or settings.get("source_sha256")
            if digest in data.sources:
                found[name, data.sources[digest]] = None
    return list(found)


def failures(contents: Contents) -> list[str]:
    """Runs that ended with an exception."""
    return [
        f"{each.algorithm} on {each.problem_id}, run {each.run}: {each.error}"
        for data in contents.datasets
        for each in data.failures
    ]


def heat(problems: Sequence[str], ranks: Floats) -> list[tuple[str, list[tuple[str, str]]]]:
    """Rows of (problem, [(text, opacity of the background)])."""
    m = ranks.shape[0]
    rows = []
    for j, problem in enumerate(problems):
        cells = []
        for rank in ranks[:, j].tolist():
            strength = 0.0 if rank != rank else 0.62 * (m - rank) / max(m - 1, 1)
            cells.append((shown(rank, ".3g"), f"{strength:.2f}"))
        rows.append((problem, cells))
    return rows


def friedman_part(contents: Contents, metric: str) -> dict[str, Any]:
    """The test in words and its diagram."""
    test = contents.target.friedman[metric]
    drawn = diagram(contents.algorithms, test)
    if drawn is None:
        return {"text": " ".join(f"{note}." for note in test.notes), "svg": ""}
    text = (
        f"Friedman's test on per-problem medians: χ² = {test.chi2:.2f}, df = {test.df}, "
        f"p = {test.p:.3g}. {drawn.text}"
    )
    return {"text": text, "svg": safe(svg(drawn))}


def matrix_rows(
    names: Sequence[str], values: Matrix
) -> Iterator[tuple[str, list[tuple[str, str, str, str]]]]:
    """Rows of (algorithm, [(W/T/L, A12, colour, opacity)])."""
    for a, name in enumerate(names):
        cells = []
        for b in range(len(names)):
            effect = float(values.a12[a, b])
            if a == b or effect != effect:
                cells.append((ABSENT, "", "--good", "0"))
                continue
            counts = "/".join(str(int(x[a, b])) for x in (values.wins, values.ties, values.losses))
            hue = "--good" if effect >= 0.5 else "--bad"
            cells.append((counts, f"{effect:.2f}", hue, f"{1.2 * abs(effect - 0.5):.2f}"))
        yield name, cells


def distinct_settings(rows: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    """Every algorithm with its settings; more than once where its runs differ."""
    pairs = dict.fromkeys((row["algorithm"], row["settings"]) for row in rows)
    return [(name, _indented(text)) for name, text in pairs]


def distinct_versions(rows: Sequence[dict[str, Any]]) -> str:
    """All versions that runs were made with."""
    return "\n".join(dict.fromkeys(_indented(row["versions"]) for row in rows))


def _indented(text: str | None) -> str:
    found = json.loads(text) if text else {}
    return json.dumps(found, indent=2, ensure_ascii=False) if found else "nothing recorded"


def data_blocks(
    contents: Contents, sheets: Sequence[PrintedTable], rows: Sequence[dict[str, Any]]
) -> Iterator[tuple[str, Any]]:
    """(id, JSON) of the script's data: what is needed at once, then one block per problem."""
    first = {
        "algorithms": contents.algorithms,
        "problems": contents.problems,
        **contents.target.to_dict(),
        "pairwise_leaderboard": contents.pairwise.to_dict(),
        "groups": list(contents.cost.groups),
        "cost_label": contents.cost.label,
        "cost": compact(contents.cost.grid, 6),
        "reached": {name: compact(each) for name, each in contents.cost.reached.items()},
        "precisions": list(PRECISIONS),
    }
    yield "data", embedded(first)
    for j in range(len(contents.problems)):
        yield f"problem-{j}", embedded(problem_block(contents, j))
    yield (
        "downloads",
        embedded(
            {sheet.name: {end: write(sheet) for end, write in WRITERS.items()} for sheet in sheets}
        ),
    )
    if rows:
        yield "runs", embedded(runs_block(rows))


def problem_block(contents: Contents, j: int) -> dict[str, Any]:
    """Traces and final qualities on one problem.

    Objectives go as distances to the best one: few digits of those show more than many of f.
    """
    band = contents.bands[j]
    quality = contents.target.indicators.quality[:, j]
    origin = band.best if np.isfinite(band.best) else 0.0
    with np.errstate(invalid="ignore"):
        gap = band.f - origin
    present = ~np.isnan(quality)
    return {
        "nfev": band.nfev,
        "best": origin,
        "gap": compact(gap),
        "v": compact(band.v),
        "share": compact(band.feasible),
        "end": band.f[:, :, -1],
        "quality": [compact(q[here], 12) for q, here in zip(quality, present, strict=True)],
        "qmedian": [float(np.median(q[here])) if here.any() else None
                    for q, here in zip(quality, present, strict=True)],
        "reached": compact(contents.cost.by_problem[j]),
        "ert": compact(contents.cost.expected[:, j]),
    }  # fmt: skip


def runs_block(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """All runs by columns, repeated values once."""
    names = [name for name in rows[0] if name not in ("settings", "versions", "problem")]
    columns: dict[str, Any] = {}
    for name in names:
        values = [_run_cell(name, row[name]) for row in rows]
        if name in REPEATED:
            distinct = {value: i for i, value in enumerate(dict.fromkeys(values))}
            columns[name] = {"values": list(distinct), "at": [distinct[value] for value in values]}
        else:
            columns[name] = values
    return {"names": names, "count": len(rows), "columns": columns}


def _run_cell(name: str, value: Any) -> Any:
    """A value of a run for JSON."""
    if name == "seed_key":
        return " ".join(str(word) for word in value or ())
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    if name == "wall_time":
        return None if value is None or value != value else round(value, 3)
    return value
