"""Takes the pictures of a terminal and of pages in a browser: docs/assets/*.png.

    python scripts/pictures.py [terminal] [constraints] [run] [conflict] [watch]

It needs Chromium (`scripts/install-chromium.sh`). Figures of the gallery have a script of their
own.
"""

from __future__ import annotations

import io
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

import rdex
import rdex.suites
from rdex.cli.solve import explained_lines, rendered
from rdex.live.server import LOOPBACK, make_server
from rdex.report import run_report

PROJECT = Path(__file__).resolve().parent.parent
ASSETS = PROJECT / "docs" / "assets"
sys.path.insert(0, str(PROJECT / "tests" / "report"))

#: Entries of the welded beam that are no mere bounds, as an engineer states them.
ENTRIES = [0, 1, 2, 5, 6]
STATED = [("<=", 13600), ("<=", 30000), ("<=", 0), ("<=", 0.25), (">=", 6000)]
LIMITS = ["shear stress", "bending stress", "weld thickness", "deflection", "buckling load"]
SIZES = ["weld", "length", "height", "thickness"]
UNITS = {"shear stress": "psi", "bending stress": "psi", "deflection": "in",
         "buckling load": "lbf", "f": "$", **dict.fromkeys(SIZES, "in")}  # fmt: skip

#: Columns of the terminal; rows of the log that the live page shows.
COLUMNS = 80
SHOWN = 110


def welded_beam(seconds: float = 0.0) -> rdex.Problem:
    """The cheapest welded beam; with `seconds` evaluations take time, and some fail."""
    beam = rdex.suites.get("engineering/welded-beam")

    def fun(x: Any) -> tuple[float, Any]:
        time.sleep(seconds)
        if seconds and x[1] > 9.8:
            raise RuntimeError("no mesh: the weld is longer than the bar")
        f, g, _ = beam.evaluate(x[None, :])
        return f[0], g[0][ENTRIES]

    return rdex.Problem.from_function(
        fun,
        np.column_stack([beam.lower, beam.upper]),
        n_ineq=len(ENTRIES),
        name="welded beam",
        variable_names=SIZES,
        constraint_names=LIMITS,
        stated=STATED,
        units=UNITS,
    )


def terminal(browser: Any, folder: Path) -> None:
    """What `rdex solve --explain` prints."""
    result = rdex.minimize(welded_beam(), maxfev=300, rng=1)
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), markup=False,
                      highlight=False, force_terminal=True)  # fmt: skip
    console.print(Text("$ rdex solve beam.py --maxfev 300 --rng 1 --explain", style="bold"))
    console.print(*rendered(result), *explained_lines(str(result.sensitivity())), sep="\n")
    page = folder / "terminal.html"
    style = "body { margin: 12px; } pre { font: 14px/1.35 'DejaVu Sans Mono', monospace; }"
    body = console.export_html(inline_styles=True, code_format="<pre>{code}</pre>")
    page.write_text(f"<!doctype html><meta charset=utf-8><style>{style}</style>{body}")
    browser.open(page, 720, 300)
    browser.screenshot(ASSETS / "solve.png", whole=True)


def open_run(browser: Any, folder: Path) -> None:
    """The page of a run."""
    result = rdex.minimize(welded_beam(), maxfev=300, rng=1)
    result.sensitivity()
    browser.open(run_report(result, folder / "run.html"), 1000, 5000)  # charts in view are drawn
    browser.wait("[...document.querySelectorAll('#slice-3, #activity')].every(e => e.data)")


def take(browser: Any, name: str, first: str, last: str = "") -> None:
    """A picture of a section of the page, or of several."""
    top, bottom = browser.run(
        f"['{first}', '{last or first}'].map(id => document.getElementById(id)"
        ".getBoundingClientRect()).map((r, k) => scrollY + (k ? r.bottom : r.top))"
    )
    browser.screenshot(ASSETS / f"{name}.png", part=(0, top, 1000, bottom - top))


def constraints(browser: Any, folder: Path) -> None:
    """The constraints on the page of a run."""
    open_run(browser, folder)
    take(browser, "constraints", "constraints")


def run(browser: Any, folder: Path) -> None:
    """The page of a run in three pictures."""
    open_run(browser, folder)
    height = browser.run("document.getElementById('point').getBoundingClientRect().bottom")
    browser.screenshot(ASSETS / "report-run.png", part=(0, 0, 1000, height))
    take(browser, "report-run-points", "limits", "convergence")
    take(browser, "report-run-models", "designs", "matters")


def conflict(browser: Any, folder: Path) -> None:
    """Why nothing is feasible, on the page of a run: a beam that must be stiffer than it can be."""
    beam = welded_beam()

    def fun(x: Any) -> tuple[float, Any]:
        f, g, _ = beam.evaluate(x[None, :])
        cost = f[0]
        return cost, [*(g[0] + np.array([0, 0, 0, 0.25 - 0.002, 0])), cost - 2.0]

    problem = rdex.Problem.from_function(
        fun,
        np.column_stack([beam.lower, beam.upper]),
        n_ineq=len(ENTRIES) + 1,
        name="welded beam, stiff and cheap",
        variable_names=SIZES,
        constraint_names=[*LIMITS, "cost"],
        stated=[*STATED[:3], ("<=", 0.002), STATED[4], ("<=", 2.0)],
        units={**UNITS, "cost": "$"},
    )
    result = rdex.minimize(problem, maxfev=300, rng=1)
    result.conflict()
    browser.open(run_report(result, folder / "conflict.html"), 1000, 5000)
    take(browser, "conflict", "limits")


def watch(browser: Any, folder: Path) -> None:
    """The live page of a run that is not at its end."""
    whole, shown = folder / "whole.csv", folder / "evaluations.csv"
    rdex.minimize(welded_beam(0.05), maxfev=160, rng=3, workers=2, evaluations=whole)
    lines = whole.read_text().splitlines(keepends=True)
    head = sum(line.startswith("#") for line in lines) + 1
    shown.write_text("".join(lines[: head + SHOWN]))
    server = make_server(shown)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser.size(1200, 700)
    browser.call("Page.navigate", url=f"http://{LOOPBACK}:{server.server_port}/")
    browser.wait("document.getElementById('facts')?.textContent.includes('of 160')")
    browser.screenshot(ASSETS / "watch.png", whole=True)
    server.shutdown()


def main() -> None:
    """Take those that are named, or all."""
    from chromium import Browser

    pictures = {"terminal": terminal, "constraints": constraints, "run": run,
                "conflict": conflict, "watch": watch}  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(Path(folder) / "profile")
        try:
            for name in sys.argv[1:] or pictures:
                pictures[name](browser, Path(folder))
                print(name, flush=True)
        finally:
            browser.close()


if __name__ == "__main__":
    main()
