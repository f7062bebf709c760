"""How far a newcomer walks through the package from a call of `minimize` to its result.

    python scripts/walk.py [ALGORITHM]        default: rdex-csop

Counts, in the order in which they are first entered: functions of the package, their files, and
changes of room (the folder below `rdex`) from one function to the next. The JIT is off, so kernels
count like everything else.
"""

import itertools
import os
import sys
from pathlib import Path

os.environ["NUMBA_DISABLE_JIT"] = "1"

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

    def figures(self) -> dict[str, int]:
        """Functions, files, and changes of room."""
        rooms = [Path(path).parts[0] for path, _ in self.seen]
        changes = sum(a != b for a, b in itertools.pairwise(rooms))
        files = {path for path, _ in self.seen}
        return {"functions": len(self.seen), "files": len(files), "changes of room": changes}


def main() -> None:
    """Walk through one short run."""
    algorithm = sys.argv[1] if len(sys.argv) > 1 else "rdex-csop"

    def run() -> None:
        rdex.minimize(lambda x: x @ x, [(-5, 5)] * 2, constraints={"type": "ineq", "fun": np.sum},
                      maxfev=300, rng=1, algorithm=algorithm)  # fmt: skip

    np.seterr(over="ignore")  # random numbers overflow as they should
    run()  # imports are no part of the walk
    walk = Walk()
    sys.setprofile(walk)
    try:
        run()
    finally:
        sys.setprofile(None)
    print(f"minimize(callable, algorithm={algorithm!r})")
    for name, count in walk.figures().items():
        print(f"  {count:4d} {name}")


if __name__ == "__main__":
    main()
