"""`rdex suite`: which benchmark problems there are, and what each of them is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rdex.cli.options import AsJson, Data
from rdex.cli.printing import fail, show, show_json

if TYPE_CHECKING:
    from rdex.problem import Problem

app = typer.Typer(help="List and describe the benchmark problems.", no_args_is_help=True)

#: Above this dimension the coordinates of the best known point are left to --json.
MOST_COORDINATES = 24

CEC2017_LEGEND = (
    "y = x − o with the shift o; z = y, or My with a rotation M; S sum of squared partial sums, "
    "R Rastrigin, B Rosenbrock; g ≤ 0, h = 0."
)


@app.command("list")
def list_problems(
    suite: Annotated[str | None, typer.Argument(help="One suite; all where not given.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the problems of one suite, or of all."""
    from rdex.suites import registry

    if suite is not None and suite not in registry.suites():
        try:
            registry.ids(suite)
        except ValueError as error:
            fail(error)
    wanted = registry.suites() if suite is None else (suite,)
    if as_json:
        show_json([row for name in wanted for row in _list_rows(name)])
        return
    parts: list[RenderableType] = []
    for name in wanted:
        parts += [Text(f"{name}: {registry.SUITES[name]}", style="bold"), _list_table(name)]
        if name == "cec2017":
            parts += [Text(CEC2017_LEGEND), Text(f"A whole id is like {registry.CEC2017_FORM}.")]
        parts.append("")
    show(*parts)


@app.command("show")
def show_problem(
    id: Annotated[str, typer.Argument(help="Such as g2006/G04; `rdex suite list` has them.")],
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """Describe one problem: variables, constraints, best known value, source."""
    from rdex.suites import registry

    try:
        problem = registry.get(id, data)
    except (ValueError, OSError) as error:
        fail(error)
    if as_json:
        show_json(_facts(problem))
        return
    parts: list[RenderableType] = [
        Text(str(problem.id), style="bold"),
        _summary(problem),
        "",
        _variables(problem),
    ]
    if problem.n_constraints:
        parts += ["", _constraints(problem)]
    show(*parts)


def _number(value: float | None, digits: int = 10) -> str:
    return "unknown" if value is None else f"{value:.{digits}g}"


def _table(*columns: tuple[str, bool]) -> Table:
    """An empty table; each column is its heading and whether it holds numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold underline")
    for heading, is_number in columns:
        table.add_column(
            heading,
            justify="right" if is_number else "left",
            no_wrap=is_number or heading in ("id", "problem"),
            overflow="fold",
        )
    return table


def _list_rows(suite: str) -> list[dict[str, Any]]:
    """One record per problem; the 28 of cec2017 stand once, with what completes their ids."""
    from rdex.suites import cec2017, registry

    if suite == "cec2017":
        return [
            {
                "suite": suite,
                "problem": each.name,
                "dims": list(cec2017.DIMENSIONS),
                "editions": list(cec2017.EDITIONS),
                "instances": ["official", "1, 2, …"],
                "bound": each.bound,
                "n_ineq": each.n_ineq,
                "n_eq": each.n_eq,
                "is_rotated": each.is_rotated,
                "formula": each.formula,
            }
            for each in cec2017.describe().values()
        ]
    rows = []
    for id in registry.ids(suite):
        problem = registry.get(id)
        rows.append(
            {
                "suite": suite,
                "id": id,
                "dim": problem.dim,
                "n_integer": _n_integer(problem),
                "n_ineq": problem.n_ineq,
                "n_eq": problem.n_eq,
                "optimum": problem.optimum,
                "objective": problem.info.get("objective"),
            }
        )
    return rows


def _list_table(suite: str) -> Table:
    """The records of a suite as a table, with the columns that say something for it."""
    counts = (("g", True), ("h", True))
    if suite == "cec2017":
        table = _table(
            ("problem", False),
            ("box", True),
            *counts,
            ("rotated", False),
            ("f; g; h", False),
        )
        for row in _list_rows(suite):
            table.add_row(
                f"{suite}/{row['problem']}",
                f"±{row['bound']:g}",
                str(row["n_ineq"]),
                str(row["n_eq"]),
                "yes" if row["is_rotated"] else "",
                row["formula"],
            )
        return table
    columns = [("id", False), ("n", True), ("int", True), *counts, ("best known", True)]
    has_objective = suite == "engineering"
    if has_objective:
        columns.append(("minimise", False))
    else:
        columns.remove(("int", True))
    table = _table(*columns)
    for row in _list_rows(suite):
        cells = [row["id"], str(row["dim"]), str(row["n_ineq"]), str(row["n_eq"])]
        cells.append(_number(row["optimum"], digits=7))
        if has_objective:
            cells.insert(2, str(row["n_integer"] or ""))
            cells.append(row["objective"])
        table.add_row(*cells)
    return table


def _n_integer(problem: Problem) -> int:
    return 0 if problem.integrality is None else int(problem.integrality.sum())


def _facts(problem: Problem) -> dict[str, Any]:
    """Everything that is known of a problem, as JSON has it."""
    from rdex.suites.success import target

    n_ineq = problem.n_ineq
    return {
        "id": problem.id,
        "name": problem.name,
        "dim": problem.dim,
        "n_ineq": n_ineq,
        "n_eq": problem.n_eq,
        "variables": [
            {
                "name": name,
                "lower": float(problem.lower[j]),
                "upper": float(problem.upper[j]),
                "integer": problem.integrality is not None and bool(problem.integrality[j]),
                "unit": problem.info["units"][j] if "units" in problem.info else None,
            }
            for j, name in enumerate(problem.variable_names)
        ],
        "constraints": [
            {"name": name, "kind": "ineq" if i < n_ineq else "eq"}
            for i, name in enumerate(problem.constraint_names)
        ],
        "optimum": problem.optimum,
        "optimum_x": None if problem.optimum_x is None else problem.optimum_x.tolist(),
        "success_below": target(problem),
        "info": {key: value for key, value in problem.info.items() if key != "units"},
    }


def _summary(problem: Problem) -> Table:
    """The facts that are one line each."""
    from rdex.suites.success import target

    info = problem.info
    n_integer = _n_integer(problem)
    whole = f", {n_integer} of them integer" if n_integer else ""
    goal = target(problem)
    lines = {
        "name": problem.name,
        "minimises": info.get("objective"),
        "formula": info.get("formula"),
        "variables": f"{problem.dim}{whole}",
        "constraints": f"{problem.n_ineq} inequalities, {problem.n_eq} equalities",
        "edition": info.get("edition"),
        "instance": info.get("instance"),
        "best known": _number(problem.optimum),
        "success": None if goal is None else f"feasible and f ≤ {_number(goal)}",
        "tolerance": f"|h| ≤ {info['eq_tol']:g}" if problem.n_eq and "eq_tol" in info else None,
        "source": info.get("source"),
        "remark": info.get("remark"),
    }
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in lines.items():
        if text is not None:
            table.add_row(label, text)
    return table


def _variables(problem: Problem) -> Table:
    """Bounds, units and the best known point, one line per variable or run of equal ones."""
    units = problem.info.get("units")
    columns = [("variable", False), ("lower", True), ("upper", True)]
    if units:
        columns.append(("unit", False))
    if _n_integer(problem):
        columns.append(("integer", False))
    point = problem.optimum_x if problem.dim <= MOST_COORDINATES else None
    if point is not None:
        columns.append(("best known", True))
    rows = []
    for j, name in enumerate(problem.variable_names):
        row = [name, _number(problem.lower[j]), _number(problem.upper[j])]
        if units:
            row.append(units[j])
        if problem.integrality is not None and _n_integer(problem):
            row.append("yes" if problem.integrality[j] else "")
        if point is not None:
            row.append(_number(point[j]))
        rows.append(row)
    return _filled(_table(*columns), rows)


def _constraints(problem: Problem) -> Table:
    """Names and kinds, one line per constraint or run of numbered ones."""
    rows = [
        [name, "≤ 0" if i < problem.n_ineq else "= 0"]
        for i, name in enumerate(problem.constraint_names)
    ]
    return _filled(_table(("constraint", False), ("", False)), rows)


def _filled(table: Table, rows: list[list[str]]) -> Table:
    """The table with its rows, x1, x2, … of equal cells drawn together to one line."""
    run: list[list[str]] = []
    for row in [*rows, []]:
        if run and not _continues(run[-1], row):
            if len(run) > 2:
                run = [[f"{run[0][0]} … {run[-1][0]}", *run[0][1:]]]
            for each in run:
                table.add_row(*each)
            run = []
        run.append(row)
    return table


def _continues(row: list[str], following: list[str]) -> bool:
    """Whether the next row has the next number after a letter, and else the same cells."""
    if not following or row[1:] != following[1:]:
        return False
    now = re.fullmatch(r"([a-z])(\d+)", row[0])
    return now is not None and following[0] == f"{now[1]}{int(now[2]) + 1}"
