"""`Plan`: which runs a campaign is made of. Nothing of how they are carried out."""

from __future__ import annotations

import fnmatch
import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rdex.campaign.algorithms import Algorithm, find
from rdex.campaign.own_problems import ProblemFile, find_problem_file
from rdex.common.python_file import is_place
from rdex.store import RunKey
from rdex.suites import registry


@dataclass(frozen=True)
class Plan:
    """Algorithms x problems x runs.

    Make it with `Plan.of`, which takes the words of the command line.

    Attributes
    ----------
    algorithms : tuple of Algorithm
    problems : tuple of (id, dim, maxfev)
    runs : int
        Runs of every algorithm on every problem, numbered from 1.
    checkpoints : int
        Records of the best so far of every run.
    rng : int
        Root of the seeds.
    files : mapping of str to ProblemFile
        Problems of one's own, by their ids.

    Examples
    --------
    >>> plan = Plan.of(["rdex-csop"], suite="g2006", problems="4,6-8", runs=2, maxfev="1000D")
    >>> [key.label for key in plan.keys()][:3]
    ['rdex-csop:g2006/G04:1', 'rdex-csop:g2006/G04:2', 'rdex-csop:g2006/G06:1']
    >>> plan.keys()[0].maxfev
    5000
    """

    algorithms: tuple[Algorithm, ...]
    problems: tuple[tuple[str, int, int], ...]
    runs: int
    checkpoints: int
    rng: int
    files: Mapping[str, ProblemFile] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for label, value, least in (
            ("runs", self.runs, 1),
            ("checkpoints", self.checkpoints, 1),
            ("rng", self.rng, 0),
        ):
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ValueError(f"{label} must be a whole number >= {least}, got {value!r}")
        if not self.algorithms or not self.problems:
            raise ValueError("a plan needs an algorithm and a problem")
        seen: dict[str, str] = {}
        for name in self.names:
            other = seen.setdefault(name.casefold(), name)  # folders may not tell cases apart
            if list(self.names).count(name) > 1 or other != name:
                raise ValueError(f"two algorithms with one name: {other!r} and {name!r}")

    @classmethod
    def of(
        cls,
        algorithms: Sequence[Any] | str = ("rdex-csop",),
        *,
        suite: str = "cec2017",
        problems: str | Iterable[Any] | None = None,
        dim: int | str | Sequence[int] = 30,
        edition: str | int = "2017",
        instance: str | int = 1,
        runs: int = 25,
        maxfev: str | int = "20000D",
        checkpoints: int = 2000,
        rng: int = 0,
    ) -> Plan:
        """A plan from the words of the command line.

        Parameters
        ----------
        algorithms : sequence, or names separated by commas
            See `rdex.campaign.algorithms.find`.
        suite : str
            cec2017, g2006 or engineering.
        problems : str or sequence, optional
            Numbers, ranges and names: ``"1,5-8"``, ``"C07"``; all where not given. Problems of
            one's own are Python files, FILE.py or FILE.py:NAME, as `rdex solve` takes them.
        dim, edition, instance
            Of cec2017: dimension or several, "2017" or "2024", "official" or a whole number.
        maxfev : int or str
            Budget; ``"20000D"`` is 20000 times the number of variables.
        """
        if isinstance(algorithms, str):
            algorithms = [name.strip() for name in algorithms.split(",") if name.strip()]
        places, words = split_problem_files(problems)
        files = own_problems(places)
        is_suite = words is None or len(words) > 0
        ids = problem_ids(suite, words, dim, str(edition), str(instance)) if is_suite else []
        sized = [(id, dimension_of(id)) for id in ids]
        sized += [(id, file.load().dim) for id, file in files.items()]
        return cls(
            tuple(find(algorithm) for algorithm in algorithms),
            tuple((id, d, budget(maxfev, d)) for id, d in sized),
            runs,
            checkpoints,
            rng,
            files,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the algorithms."""
        return tuple(algorithm.name for algorithm in self.algorithms)

    def algorithm(self, name: str) -> Algorithm:
        """The algorithm of that name."""
        return next(each for each in self.algorithms if each.name == name)

    def keys(self) -> list[RunKey]:
        """All runs, in the order of algorithms, problems and numbers."""
        return [
            RunKey(name, id, dim, maxfev, run, self.checkpoints, self.rng)
            for name in self.names
            for id, dim, maxfev in self.problems
            for run in range(1, self.runs + 1)
        ]

    def facts(self) -> dict[str, Any]:
        """The plan for a manifest: two plans are the same if their facts are equal."""
        sources = {id: file.digest for id, file in self.files.items()}
        return {
            "algorithms": {each.name: _jsonable(each.settings) for each in self.algorithms},
            "problems": {id: maxfev for id, _dim, maxfev in self.problems},
            "runs": self.runs,
            "checkpoints": self.checkpoints,
            "rng": self.rng,
            **({"problem_sources": sources} if sources else {}),
        }


def _jsonable(value: Any) -> Any:
    """Tuples as the lists JSON reads back."""
    if isinstance(value, Mapping):
        return {name: _jsonable(each) for name, each in value.items()}
    return [_jsonable(each) for each in value] if isinstance(value, list | tuple) else value


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The words of a TOML file, which are those of `Plan.of`, and `out`, `workers`.

    Paths of algorithms and problems (``file.py:NAME``) are relative to the file.
    """
    file = Path(path)
    try:
        words = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file}: {error}") from error
    known = {"algorithms", "suite", "problems", "dim", "edition", "instance", "runs", "maxfev",
             "checkpoints", "rng", "out", "workers"}  # fmt: skip
    unknown = sorted(set(words) - known)
    if unknown:
        raise ValueError(f"{file}: unknown word {unknown[0]!r}; known: {', '.join(sorted(known))}")
    for label in ("algorithms", "problems"):
        listed = words.get(label, [])
        if isinstance(listed, str):
            listed = [name.strip() for name in listed.split(",")]
        if listed:
            words[label] = [str(file.parent / each) if is_place(each) else each for each in listed]
    return words


def split_problem_files(
    problems: str | Iterable[Any] | None,
) -> tuple[list[str], list[str] | None]:
    """Which of the words for problems mean files, and the others; None where all are meant."""
    if problems is None or problems == "all":
        return [], None
    words = problems.split(",") if isinstance(problems, str) else [str(each) for each in problems]
    words = [word.strip() for word in words]
    return [word for word in words if is_place(word)], [w for w in words if not is_place(w)]


def own_problems(places: list[str]) -> dict[str, ProblemFile]:
    """Problems of files by their ids, not executed."""
    found: dict[str, ProblemFile] = {}
    for place in places:
        file = find_problem_file(place)
        if file.id in found:
            raise ValueError(f"two problems with one name: {found[file.id].path} and {file.path}")
        found[file.id] = file
    return found


def problem_ids(
    suite: str,
    problems: str | Iterable[Any] | None,
    dim: int | str | Sequence[int],
    edition: str,
    instance: str,
) -> list[str]:
    """Ids of the problems that are meant, in the order of the suite."""
    if suite != "cec2017":
        listed = list(registry.ids(suite))
        return [listed[at] for at in chosen(problems, [id.partition("/")[2] for id in listed])]
    if isinstance(dim, str):
        dims = [whole("dim", part) for part in dim.split(",")]
    else:
        dims = [dim] if isinstance(dim, int) else list(dim)
    names = [f"C{number:02d}" for number in range(1, 29)]
    ids = [
        f"cec2017/{names[at]}/d{d}/{edition}/{instance}"
        for d in dims
        for at in chosen(problems, names)
    ]
    for id in ids:
        if not registry.CEC2017_ID.fullmatch(id):
            raise ValueError(f"no problem {id!r}: ids are like {registry.CEC2017_FORM}")
    return ids


def dimension_of(id: str) -> int:
    """Number of variables, without the data of cec2017."""
    scaled = re.match(r"cec2017/C\d\d/d(\d+)/", id)
    return int(scaled[1]) if scaled else registry.get(id).dim


def chosen(problems: str | Iterable[Any] | None, names: list[str]) -> list[int]:
    """Positions of the problems that numbers, ranges and names mean, each once."""
    if problems is None or problems == "all":
        return list(range(len(names)))
    words = problems.split(",") if isinstance(problems, str) else [str(each) for each in problems]
    found: set[int] = set()
    by_name = {name.casefold(): at for at, name in enumerate(names)}
    for word in (word.strip() for word in words):
        if word.casefold() in by_name:
            found.add(by_name[word.casefold()])
            continue
        limits = re.fullmatch(r"(\d+)(?:-(\d+))?", word)
        if not limits:
            raise ValueError(
                f"problems: {word!r} is no number, range like 5-8 or name like {names[0]}"
            )
        first, last = int(limits[1]), int(limits[2] or limits[1])
        if not 1 <= first <= last <= len(names):
            raise ValueError(f"problems: {word!r} is not within 1-{len(names)}")
        found.update(range(first - 1, last))
    return sorted(found)


def whole(label: str, text: str) -> int:
    """A whole number in words, or a ValueError."""
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{label} must be a whole number, got {text!r}") from None


def budget(maxfev: str | int, dim: int) -> int:
    """Evaluations that a budget such as 600000 or "20000D" means for `dim` variables."""
    parsed = re.fullmatch(r"(\d[\d_]*)\s*\*?\s*([dD]?)", str(maxfev).strip())
    if not parsed or int(parsed[1]) < 1:
        raise ValueError(f'maxfev must be a whole number >= 1 or like "20000D", got {maxfev!r}')
    return int(parsed[1]) * (dim if parsed[2] else 1)


def shard_of(keys: list[RunKey], shard: str | None) -> list[RunKey]:
    """Part I of N of the runs for ``"I/N"``; every N-th, so that parts take about as long."""
    if shard is None:
        return keys
    parsed = re.fullmatch(r"(\d+)/(\d+)", shard)
    if not parsed or not 1 <= int(parsed[1]) <= int(parsed[2]):
        raise ValueError(f"shard must be I/N with 1 <= I <= N, got {shard!r}")
    return keys[int(parsed[1]) - 1 :: int(parsed[2])]


def only_of(keys: list[RunKey], only: Sequence[str]) -> list[RunKey]:
    """The runs that ``ALGORITHM:PROBLEM:RUN`` mean; ``*`` stands for any, RUN may be a range."""
    if not only:
        return keys
    kept: set[RunKey] = set()
    for word in only:
        parts = [*word.split(":"), "*", "*"][:3]
        matched = [key for key in keys if _means(parts, key)]
        if not matched:
            raise ValueError(
                f"only: {word!r} means no run of the plan; expected ALGORITHM:PROBLEM:RUN such as "
                f"{keys[0].algorithm}:{keys[0].problem}:{keys[0].run}, * standing for any"
            )
        kept.update(matched)
    return [key for key in keys if key in kept]


def _means(parts: list[str], key: RunKey) -> bool:
    """Whether a run is meant by algorithm, problem and run."""
    name, problem, run = parts
    in_range = re.fullmatch(r"(\d+)(?:-(\d+))?", run)
    if run != "*" and not in_range:
        raise ValueError(f"only: the run must be a number, a range or *, got {run!r}")
    if in_range and not int(in_range[1]) <= key.run <= int(in_range[2] or in_range[1]):
        return False
    number = re.search(r"(\d+)$", key.problem)
    same = problem.isdigit() and number is not None and int(problem) == int(number[1])
    named = any(fnmatch.fnmatchcase(each, problem) for each in (key.problem, key.problem_id))
    return fnmatch.fnmatchcase(key.algorithm, name) and (same or named)
