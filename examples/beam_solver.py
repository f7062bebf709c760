"""A design problem around an external program: a small finite-element solver for beams.

    python examples/beam_solver.py

Run with the argument `solve` this file is the solver itself: it reads `beam.txt` in the present
folder, the heights of a cantilever's five segments in millimetres, assembles and solves the
stiffness equations of the beam and writes `answer.json`. Like a real one it gives up now and then:
it refuses beams whose height changes too much from one segment to the next.

Wanted is the lightest cantilever of steel, 1 m long and 50 mm wide, that carries 10 kN at its tip:
stress at most 140 MPa in every segment and deflection at most 6 mm. Heights must fall towards the
tip, which needs no solver: a cheap constraint.
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

LENGTH, WIDTH, LOAD, YOUNG, DENSITY = 1.0, 0.05, 10e3, 200e9, 7850.0
SEGMENTS = 5


def solve(heights: list[float]) -> dict[str, object]:
    """Weight, stresses and deflection; one element a segment, heights in metres."""
    if max(abs(a - b) for a, b in itertools.pairwise(heights)) > 0.08:
        raise SystemExit("the mesh cannot follow so steep a step")
    s = LENGTH / SEGMENTS
    element = [
        [12, 6 * s, -12, 6 * s],
        [6 * s, 4 * s * s, -6 * s, 2 * s * s],
        [-12, -6 * s, 12, -6 * s],
        [6 * s, 2 * s * s, -6 * s, 4 * s * s],
    ]
    inertia = [WIDTH * height**3 / 12.0 for height in heights]
    n = 2 * SEGMENTS + 2
    rows = [[0.0] * (n + 1) for _ in range(n)]
    for e in range(SEGMENTS):
        for i in range(4):
            for j in range(4):
                rows[2 * e + i][2 * e + j] += YOUNG * inertia[e] / s**3 * element[i][j]
    rows[n - 2][n] = LOAD
    moved = eliminated([row[2:] for row in rows[2:]])  # the wall holds the first node
    moments = [LOAD * (LENGTH - s * e) for e in range(SEGMENTS)]  # at the root of each segment
    stress = [m * h / 2.0 / i for m, h, i in zip(moments, heights, inertia, strict=True)]
    return {
        "f": DENSITY * WIDTH * s * sum(heights),
        "G": [*(value / 140e6 - 1.0 for value in stress), moved[-2] / 0.006 - 1.0],
    }


def eliminated(rows: list[list[float]]) -> list[float]:
    """Solution of the equations whose rows end with their right-hand sides."""
    n = len(rows)
    for k in range(n):
        for i in range(k + 1, n):
            share = rows[i][k] / rows[k][k]
            for j in range(k, n + 1):
                rows[i][j] -= share * rows[k][j]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - sum(rows[k][j] * x[j] for j in range(k + 1, n))) / rows[k][k]
    return x


def main() -> None:
    """Find a light beam with two solvers at work all the time."""
    import rdex

    names = [f"h{k + 1}" for k in range(SEGMENTS)]
    problem = rdex.Problem.from_command(
        [sys.executable, "-S", str(Path(__file__).resolve()), "solve"],
        [(30.0, 200.0)] * SEGMENTS,
        n_ineq=SEGMENTS + 1,
        files={"beam.txt": "\n".join(f"${{{name}:.9g}}" for name in names)},
        result="answer.json",
        variable_names=names,
        constraint_names=[*(f"stress{k + 1}" for k in range(SEGMENTS)), "deflection"],
    )
    result = rdex.minimize(
        problem,
        cheap_constraints={"type": "ineq", "fun": lambda h: h[:-1] - h[1:]},
        x0=[160.0, 140.0, 120.0, 100.0, 80.0],  # a beam that holds
        maxfev=300,
        rng=1,
        workers=2,
        updating="async",
        eval_timeout=60.0,
    )
    print(result)
    print(f"found {result.fun:.2f} kg; 29.51 kg is the best known")


if __name__ == "__main__":
    if sys.argv[1:] == ["solve"]:
        read = [float(line) / 1000.0 for line in Path("beam.txt").read_text().split()]
        Path("answer.json").write_text(json.dumps(solve(read)))
    else:
        main()
