"""How long a report takes and how large its page is, on a field as large as a competition.

Makes up traces of 8 algorithms on 28 problems, 25 runs of 2000 checkpoints each, stores them, and
measures the report from the store to the last file. It must take less than 30 s, and the page
must stay below 15 MB.

    python benchmarks/report.py [--algorithms 8] [--problems 28] [--runs 25] [--keep DIR]
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from rdex.report.campaign_page import campaign_html
from rdex.report.contents import Options, collect
from rdex.report.figures import write_figures
from rdex.report.paper_comparison import paper_tables
from rdex.report.printed_tables import printed_tables
from rdex.report.writing import write_tables
from rdex.scoring import Trials, store_trials

SECONDS = 30.0
MEGABYTES = 15.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--algorithms", type=int, default=8)
    parser.add_argument("--problems", type=int, default=28)
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--keep", type=Path, help="folder for store and report")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        place = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        store = place / "store"
        if not store.exists():
            trials = made_up(options.algorithms, options.problems, options.runs)
            count = store_trials(trials, store, dim=30, instance="1", source="made up")
            print(f"{count} runs stored")
            del trials
        measure(store, place / "report")


def measure(store: Path, out: Path) -> None:
    """The steps of a report, each with its time by the clock and of the processor."""
    times: list[tuple[str, float, float]] = []

    @contextlib.contextmanager
    def step(name: str) -> Iterator[None]:
        clock, own = time.perf_counter(), time.process_time()
        yield
        times.append((name, time.perf_counter() - clock, time.process_time() - own))

    out.mkdir(parents=True, exist_ok=True)
    with step("read and score"):
        contents = collect([store], Options())
    with step("tables"):
        own = printed_tables(contents)
        write_tables(own, out / "tables")
    with step("figures"):
        write_figures(contents, out / "figures")
    with step("page"):
        html = campaign_html(contents, own, None).encode()
        (out / "index.html").write_bytes(html)
    for name, clock, own_time in times:
        print(f"{name:<16}{clock:6.1f} s  ({own_time:.1f} s of the processor)")
    total, own_total = sum(each[1] for each in times), sum(each[2] for each in times)
    size = len(html) / 1e6
    print(
        f"{'report':<16}{total:6.1f} s  ({own_total:.1f} s of the processor); limit {SECONDS:g} s"
    )
    print(f"page {size:.1f} MB; limit {MEGABYTES:g} MB")
    began = time.perf_counter()
    write_tables(paper_tables(contents), out / "tables")
    print(f"--paper adds {time.perf_counter() - began:.1f} s")


def made_up(m: int, p: int, n: int, k: int = 2000, maxfev: int = 600000) -> Trials:
    """Traces that fall in steps at different speeds and become feasible at different times."""
    rng = np.random.default_rng(0)
    t = np.linspace(0, 1, k)
    shape = (m, p, n, 1)
    speed = rng.uniform(5, 25, (m, p, 1, 1)) * rng.uniform(0.8, 1.2, shape)
    f = 10 ** rng.uniform(1, 5, (1, p, 1, 1)) * np.exp(-speed * t)
    f *= np.exp(0.3 * rng.standard_normal((m, p, n, k)))
    f = np.minimum.accumulate(f, axis=-1) + rng.uniform(-3, 3, (1, p, 1, 1))
    v = np.maximum(0.0, rng.uniform(-0.2, 0.6, shape) + rng.uniform(0, 0.6, (1, p, 1, 1)) - t)
    v = v * 10 ** rng.uniform(0, 4, (1, p, 1, 1))
    names = ["RDEx-CSOP", "RDEx", "UDEIII", "CL-SRDE", "RDE26", "AEBDE", "UDE_IV", "DE-2LS"]
    names += [f"algorithm {a + 1}" for a in range(len(names), m)]
    problems = [f"C{j + 1:02d}" for j in range(p)]
    return Trials.from_arrays(f, v, maxfev=maxfev, algorithms=names[:m], problems=problems,
                              n_constraints=2)  # fmt: skip


if __name__ == "__main__":
    main()
