"""`RunKey`: what tells one run from every other, its place in a store and its seed."""

from __future__ import annotations

import hashlib
import json
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import quote

import numpy as np


class RunKey(NamedTuple):
    """One run of a campaign.

    Attributes
    ----------
    algorithm : str
        Its name.
    problem_id : str
        Such as ``"g2006/G04"`` or ``"cec2017/C07/d30/2017/official"``.
    dim : int
        Number of variables.
    maxfev : int
        Budget of evaluations.
    run : int
        1, 2, …
    checkpoints : int
        Number of records of the best so far; no part of the seed.
    rng : int
        Root of all seeds of the campaign.

    Examples
    --------
    >>> key = RunKey("rdex-csop", "cec2017/C07/d30/2017/official", 30, 600000, 3, 2000, 0)
    >>> key.path
    PurePosixPath('rdex-csop/cec2017-C07-d30-2017-official/run-003.parquet')
    >>> key.problem, key.edition, key.instance
    ('C07', '2017', 'official')
    """

    algorithm: str
    problem_id: str
    dim: int
    maxfev: int
    run: int
    checkpoints: int = 2000
    rng: int = 0

    @property
    def suite(self) -> str:
        """Suite of the problem."""
        return self.problem_id.partition("/")[0]

    @property
    def problem(self) -> str:
        """Name of the problem in its suite."""
        return self.problem_id.split("/")[1] if "/" in self.problem_id else self.problem_id

    @property
    def edition(self) -> str | None:
        """Edition of the suite, where it has editions."""
        return self._scaled(3)

    @property
    def instance(self) -> str | None:
        """Instance of the problem, where the suite has instances."""
        return self._scaled(4)

    def _scaled(self, at: int) -> str | None:
        parts = self.problem_id.split("/")
        return parts[at] if len(parts) == 5 else None

    @property
    def path(self) -> PurePosixPath:
        """Where the run is in a store, whatever characters its names have."""
        problem = slug(self.problem_id.replace("/", "-"))
        return PurePosixPath(slug(self.algorithm), problem, f"run-{self.run:03d}.parquet")

    @property
    def label(self) -> str:
        """The run in messages."""
        return f"{self.algorithm}:{self.problem_id}:{self.run}"

    @property
    def spawn_key(self) -> tuple[int, ...]:
        """The place of the run in the tree of seeds: the eight words of a sha256."""
        facts = [
            self.rng,
            self.suite,
            self.problem,
            self.dim,
            self.edition,
            self.instance,
            self.algorithm,
            self.maxfev,
            self.run,
        ]
        digest = hashlib.sha256(json.dumps(facts, ensure_ascii=True).encode()).digest()
        return tuple(int(word) for word in np.frombuffer(digest, dtype=">u4"))

    def seed(self) -> np.random.SeedSequence:
        """The seed of the run; a function of the key and of nothing else."""
        return np.random.SeedSequence(self.rng, spawn_key=self.spawn_key)


def slug(name: str) -> str:
    """A file name for any text: unusual characters as %XX, no leading dot or underscore.

    Readers of Parquet datasets leave out what begins with a dot or an underscore.
    """
    quoted = quote(name, safe="-._+ ").replace("~", "%7E")
    if quoted[:1] in "._ ":
        quoted = f"%{ord(quoted[0]):02X}{quoted[1:]}" if quoted else "%"
    return quoted
