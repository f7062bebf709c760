"""`rdex bench`: campaigns of many runs, their scores, and result files of the competitions."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from rdex.cli.options import (
    AsJson,
    AsPublished,
    Cutoff,
    Data,
    Digits,
    Folders,
    Reference,
    Resamples,
)
from rdex.cli.printing import duration, fail, grid_of, show, show_json, warn

app = typer.Typer(help="Run, score, import and export campaigns.", no_args_is_help=True)

#: Words of a plan; what is not given is taken from the TOML file, or has Plan.of's default.
PLAN_WORDS = ("algorithms", "suite", "dim", "edition", "instance", "problems", "runs", "maxfev",
              "checkpoints", "rng")  # fmt: skip


@contextlib.contextmanager
def _log_to_stderr() -> Iterator[None]:
    """Warnings of the library as plain lines."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("rdex: %(message)s"))
    logger = logging.getLogger("rdex")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


@app.command("run")
@_log_to_stderr()
def run_campaign(
    plan_file: Annotated[
        Path | None, typer.Argument(metavar="[PLAN.toml]", help="The words below, in a file.")
    ] = None,
    algorithms: Annotated[
        str | None,
        typer.Option(help="Names, or path.py:NAME, separated by commas; rdex-csop by default."),
    ] = None,
    suite: Annotated[
        str | None, typer.Option(help="cec2017, g2006 or engineering; cec2017 by default.")
    ] = None,
    dim: Annotated[str | None, typer.Option(help="Of cec2017; 30 or 10,30; 30 by default.")] = None,
    edition: Annotated[
        str | None, typer.Option(help="Of cec2017: 2017 or 2024; 2017 by default.")
    ] = None,
    instance: Annotated[
        str | None, typer.Option(help="Of cec2017: official or a number; 1 by default.")
    ] = None,
    problems: Annotated[
        str | None,
        typer.Option(help="Such as 1,5-8 or C07, all by default; or FILE.py[:NAME], your own."),
    ] = None,
    runs: Annotated[
        int | None, typer.Option(help="Of each algorithm on each problem; 25 by default.")
    ] = None,
    maxfev: Annotated[
        str | None, typer.Option(help="Evaluations of a run: 600000 or 20000D; 20000D by default.")
    ] = None,
    checkpoints: Annotated[
        int | None, typer.Option(help="Records of the best so far; 2000 by default.")
    ] = None,
    rng: Annotated[int | None, typer.Option(help="Root of all seeds; 0 by default.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder of the campaign; made or continued.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes; -1: one per core; -1 by default.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Use a Dask cluster: tcp://host:port.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Start a Dask cluster on this machine: local:N.")
    ] = None,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Only part I of N, for array jobs.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="ALGORITHM:PROBLEM:RUN", help="Only these; * is any. Repeatable."),
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Make failed runs again.")
    ] = False,
    extend: Annotated[
        bool, typer.Option("--extend", help="Add algorithms, problems or runs to a campaign.")
    ] = False,
    replace: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Set this algorithm's runs aside, make them again."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan and an estimate; run nothing.")
    ] = False,
    data: Data = None,
) -> None:
    """Make the runs of a plan; the same command continues where it stopped."""
    from rdex.campaign import CampaignError, Plan, run
    from rdex.campaign.plan import read_toml
    from rdex.cli.progress import Display
    from rdex.store import StoreError

    given = locals()
    display: Display | None = None
    try:
        words = {} if plan_file is None else read_toml(plan_file)
        words |= {name: given[name] for name in PLAN_WORDS if given[name] is not None}
        folder = out or (Path(words["out"]) if "out" in words else None)
        count = workers if workers is not None else words.get("workers", -1)
        if folder is None:
            raise ValueError("give the folder of the campaign: --out DIR")
        place = None if data is None else str(data)
        if dry_run:
            _dry_run(words, folder, count, shard, only or [], place)
            return
        plan = Plan.of(**{name: each for name, each in words.items() if name in PLAN_WORDS})
        display = Display()
        with display:
            outcome = run(
                folder,
                plan,
                workers=count,
                scheduler=scheduler,
                cluster=cluster,
                shard=shard,
                only=only or [],
                retry_failed=retry_failed,
                extend=extend,
                replace=replace or [],
                data=data,
                on_progress=display,
            )
    except KeyboardInterrupt:
        kept = "" if display is None else display.standing()
        warn(f"stopped{kept}; the same command continues where it stopped")
        raise typer.Exit(130) from None
    except (ValueError, OSError, StoreError, CampaignError) as error:
        fail(error)
    typer.echo(_sentence(outcome, folder))
    if outcome.failed or outcome.skipped:
        raise typer.Exit(3)


def _sentence(outcome: Any, folder: Path) -> str:
    """What a session did."""
    parts = [f"{outcome.computed} runs in {duration(outcome.seconds)}"]
    if outcome.stored:
        parts.append(f"{outcome.stored} were there")
    if outcome.failed:
        parts.append(f"{outcome.failed} failed, see {folder / '_failed'}")
    if outcome.skipped:
        parts.append(f"{outcome.skipped} failed earlier (--retry-failed makes them again)")
    return f"{folder}: {', '.join(parts)}"


def _dry_run(
    words: dict[str, Any], folder: Path, workers: int, shard: str | None, only: list[str],
    data: str | None,
) -> None:  # fmt: skip
    """The plan without executing any file of the user's."""
    from rdex.campaign import Plan
    from rdex.campaign.plan import own_problems, split_problem_files

    places, rest = split_problem_files(words.get("problems"))
    for id, file in own_problems(places).items():
        typer.echo(f"{id}: {file.path} is not executed here; its runs are not in what follows")
    if places and not rest:
        return
    kept = {name: each for name, each in words.items() if name in PLAN_WORDS}
    plan = Plan.of(**(kept | ({"problems": rest} if places else {})))
    _show_plan(plan, folder, workers, shard, only, data)


def _show_plan(
    plan: Any, folder: Path, workers: int, shard: str | None, only: list[str], data: str | None
) -> None:
    """The plan, what of it is there, and how long the rest will take."""
    import os

    from rdex.campaign.estimate import estimate
    from rdex.campaign.plan import only_of, shard_of
    from rdex.store import Store, differences

    keys = only_of(shard_of(plan.keys(), shard), only)
    store = Store(folder)
    manifest = store.manifest()
    if manifest is not None and manifest["plan"] is not None:
        lines = differences(manifest["plan"], plan.facts())
        if lines:
            typer.echo(f"{folder} holds another campaign: {'; '.join(lines)}")
    left = [key for key in keys if not store.has(key)]
    budgets = sorted({maxfev for _, _, maxfev in plan.problems})
    shown = str(budgets[0]) if len(budgets) == 1 else f"{budgets[0]} to {budgets[-1]}"
    lines = [
        f"algorithms   {', '.join(plan.names)}",
        f"problems     {len(plan.problems)}: {plan.problems[0][0]} … {plan.problems[-1][0]}",
        f"runs         {plan.runs} each, {len(keys)} in all, {len(keys) - len(left)} are there",
        f"evaluations  {shown} a run, {sum(key.maxfev for key in left):,} left",
        f"checkpoints  {plan.checkpoints}",
        f"seeds        from rng {plan.rng}",
    ]
    guess = estimate(plan, left, store, data)
    cores = (os.cpu_count() or 1) if workers == -1 else workers
    lines.append(
        f"estimate     {duration(guess.core_seconds)} of one core, "
        f"{duration(guess.core_seconds / cores)} with {cores} workers"
    )
    if guess.unknown:
        lines.append(f"             without {', '.join(guess.unknown)}, of which no run is stored")
    typer.echo("\n".join(lines))


@app.command("score")
def score(
    folders: Folders,
    reference: Reference = None,
    form: Annotated[str, typer.Option(help="target (2024, 2025) or pairwise (2026).")] = "target",
    cutoff: Cutoff = 1e-8,
    digits: Digits = None,
    as_published: AsPublished = False,
    resamples: Resamples = 0,
    table: Annotated[
        list[str] | None,
        typer.Option(help="Which tables; `all` for all. Repeatable; the summaries by default."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score campaigns: leaderboard, ranks, tests."""
    from rdex.scoring import leaderboard, outside_notes, summary, trials_from_stores
    from rdex.scoring.arrays import count_notes
    from rdex.store import StoreError, load

    try:
        stores = [load(folder) for folder in folders]
        trials = trials_from_stores(stores).prepared(
            cutoff=cutoff or None, digits=digits, as_published=as_published
        )
        if len(trials.algorithms) == 1:
            tables = {"leaderboard": leaderboard(trials, form, n_resamples=resamples)}
            facts: dict[str, Any] = {"reference": trials.algorithms[0]}
        else:
            result = summary(trials, reference, form, n_resamples=resamples)
            tables = dict(result.tables)
            facts = {"reference": result.reference}
        usual = ("leaderboard", "score_ranks", "pairwise", "friedman", "feasibility")
        wanted = [name for name in usual if name in tables] if not table else list(table)
        if "all" in wanted:
            wanted = list(tables)
        for name in wanted:
            if name not in tables:
                raise ValueError(f"no table {name!r}; there are {', '.join(tables)}")
    except (ValueError, OSError, StoreError) as error:
        fail(error)
    counts = trials.counts
    for note in (*count_notes(counts, trials.algorithms, trials.problems), *outside_notes(stores)):
        warn(note)
    if as_json:
        named = tables if not table else {name: tables[name] for name in wanted}
        show_json({**facts, "tables": {name: each.to_dict() for name, each in named.items()}})
        return
    head = (
        f"{len(trials.algorithms)} algorithms, {len(trials.problems)} problems, "
        f"{int(counts.min())}{f' to {int(counts.max())}' if counts.min() < counts.max() else ''} "
        "runs each"
    )
    show(Text(head), Text(""), *(part for name in wanted for part in grid_of(tables[name])))


@app.command("import")
def import_files(
    path: Annotated[Path, typer.Argument(help="A result file, or a folder of them.")],
    algorithm: Annotated[str, typer.Option(help="What to call the algorithm.")],
    instance: Annotated[
        str,
        typer.Option(help="Of the problems: official (the competitions') or a number."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of a campaign, or a new one.")],
    dim: Annotated[int, typer.Option(help="Dimension of the problems of cec2017.")] = 30,
    edition: Annotated[str, typer.Option(help="2017 or 2024.")] = "2017",
    format: Annotated[
        str | None, typer.Option(help="2026, released or matlab; by the names by default.")
    ] = None,
    maxfev: Annotated[int | None, typer.Option(help="Budget, where files do not say it.")] = None,
    checkpoints: Annotated[
        int | None, typer.Option(help="Checkpoints of a trace (released, matlab); 2000 by default.")
    ] = None,
    violation: Annotated[
        str | None, typer.Option(help="mean, sum or signed (released, where not known).")
    ] = None,
    solved_at: Annotated[
        bool | None,
        typer.Option(help="Whether lines end with a number of evaluations (released)."),
    ] = None,
) -> None:
    """Put result files of a competition on cec2017 into a campaign's folder."""
    from rdex.scoring import import_results, store_trials
    from rdex.store import StoreError

    options = {"maxfev": maxfev, "checkpoints": checkpoints, "violation": violation,
               "solved_at": solved_at}  # fmt: skip
    try:
        given = {name: value for name, value in options.items() if value is not None}
        trials = import_results(path, algorithm, format, **given)
        count = store_trials(
            trials, out, dim=dim, edition=edition, instance=instance, source=path.name
        )
    except TypeError as error:  # an option that this format does not have
        fail(f"an option is not one of this format: {error}")
    except (ValueError, OSError, StoreError) as error:
        fail(error)
    typer.echo(f"{out}: {count} runs of {algorithm} on {len(trials.problems)} problems")


@app.command("export")
def export_files(
    folder: Annotated[Path, typer.Argument(help="Folder of a campaign.")],
    to: Annotated[Path, typer.Argument(help="Folder for the files.")],
    algorithm: Annotated[str, typer.Option(help="Whose runs.")],
    format: Annotated[str, typer.Option(help="2026, released or matlab.")] = "2026",
) -> None:
    """Write the runs of an algorithm as result files of a competition."""
    from rdex.scoring import export_results, trials_from_store
    from rdex.store import StoreError, load

    try:
        data = load(folder)
        trials = trials_from_store(data, [algorithm])
        options: dict[str, Any] = {}
        mine = data.table[data.table.algorithm == algorithm]
        if format == "2026":
            starts = sorted(set(mine.initial_nfev))
            if len(starts) > 1:
                raise ValueError(
                    "the runs differ in the evaluations of their initialisation "
                    f"({starts[0]} to {starts[-1]}), which this format cannot say"
                )
            options = {"initial_evaluations": int(starts[0])}
        elif format == "released" and len(set(mine.dim)) == 1:
            options = {"dimension": int(mine.dim.iloc[0])}
        written = export_results(trials, to, algorithm, format, **options)
    except (ValueError, OSError, StoreError) as error:
        fail(error)
    typer.echo(f"{to}: {len(written)} files, {written[0]} … {written[-1]}")
