"""How far a newcomer walks through the package from a call of `minimize` to its result.

    python scripts/walk.py [ALGORITHM] [--order]        default: rdex-csop

Counts, in the order in which they are first entered: functions of the package, their files, and
changes of room (the folder below `rdex`) from one function to the next. So short a run is
interpreted, so kernels count like everything else; a second line leaves out the room `jit`, which
finds them. `--order` prints the walk itself, a line per stretch in one file.
"""

import argparse
import itertools
import os
import sys
from pathlib import Path

import numpy as np

import rdex


class Walk:
    """The functions of the package in the order in which they are first entered."""

    def __init__(self) -> None:
        self.home = str(Path(rdex.__file__).parent) + os.sep
        self.seen: dict[tuple[str, str], None] = {}

    def __call__(self, frame, event, _argument) -> None:
        """Note a call."""
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(self.home):
            self.seen.setdefault((path[len(self.home) :], frame.f_code.co_qualname), None)

    def figures(self, without: str = "") -> str:
        """Functions, files, and changes of room; one room may be left out."""
        steps = [(path, Path(path).parts[0]) for path, _ in self.seen]
        steps = [(path, room) for path, room in steps if room != without]
        changes = sum(a[1] != b[1] for a, b in itertools.pairwise(steps))
        files = {path for path, _ in steps}
        return f"{len(steps)} functions, {len(files)} files, {changes} changes of room"

    def order(self) -> str:
        """The walk, a line per stretch in one file."""
        stretches = itertools.groupby(self.seen, key=lambda step: step[0])
        return "\n".join(
            f"{path}: {', '.join(name for _, name in steps if '<' not in name)}"
            for path, steps in stretches
        )


def main() -> None:
    """Walk through one short run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("algorithm", nargs="?", default="rdex-csop")
    parser.add_argument("--order", action="store_true")
    given = parser.parse_args()
    algorithm = given.algorithm

    def run() -> None:
        rdex.minimize(lambda x: x @ x, [(-5, 5)] * 2, constraints={"type": "ineq", "fun": np.sum},
                      maxfev=300, rng=1, algorithm=algorithm)  # fmt: skip

    run()  # imports are no part of the walk
    walk = Walk()
    sys.setprofile(walk)
    try:
        run()
    finally:
        sys.setprofile(None)
    if given.order:
        print(walk.order())
    print(f"minimize(callable, algorithm={algorithm!r}): {walk.figures()}")
    print(f"without jit: {walk.figures('jit')}")


if __name__ == "__main__":
    main()
