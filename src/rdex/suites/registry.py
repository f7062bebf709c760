"""Every problem of the suites under a stable id.

An id is the suite, then what picks the problem in it: ``g2006/G04``, ``engineering/gear-train``,
``cec2017/C07/d30/2017/official`` (problem, dimension, edition, instance). Suites are imported
when a problem of theirs is asked for.
"""

from __future__ import annotations

import difflib
import os
import re

from rdex.problem import Problem

#: The suites, each with the line that introduces it.
SUITES = {
    "cec2017": "28 constrained problems of CEC 2017, scalable, shifted and rotated",
    "engineering": "classic design problems with units and discrete variables",
    "g2006": "G01 to G24 of CEC 2006",
    "mixed": "integer, discrete and categorical variables, optima by enumeration",
}

CEC2017_FORM = (
    "cec2017/C07/d30/2017/official: C01 to C28, then d10, d30, d50 or d100, then edition 2017 or "
    "2024, then instance official or a whole number 1, 2, … for a generated one"
)

CEC2017_ID = re.compile(
    r"cec2017/C(0[1-9]|1\d|2[0-8])/d(10|30|50|100)/(2017|2024)/(official|[1-9]\d*)"
)


def suites() -> tuple[str, ...]:
    """The names of the suites."""
    return tuple(SUITES)


def ids(suite: str | None = None) -> tuple[str, ...]:
    """The ids of one suite, or of all.

    Of cec2017 those of the official instance are listed; `get` takes the generated instances
    1, 2, … as well.

    Raises
    ------
    ValueError
        Where there is no suite of that name.

    Examples
    --------
    >>> ids("g2006")[:2], len(ids("cec2017"))
    (('g2006/G01', 'g2006/G02'), 224)
    """
    if suite is None:
        return tuple(each for name in SUITES for each in ids(name))
    if suite == "g2006":
        return tuple(f"g2006/G{number:02d}" for number in range(1, 25))
    if suite == "engineering":
        from rdex.suites import engineering

        return tuple(f"engineering/{name}" for name in engineering.NAMES)
    if suite == "mixed":
        from rdex.suites import mixed

        return tuple(f"mixed/{name}" for name in mixed.NAMES)
    if suite == "cec2017":
        return tuple(
            f"cec2017/C{number:02d}/d{dim}/{edition}/official"
            for edition in ("2017", "2024")
            for dim in (10, 30, 50, 100)
            for number in range(1, 29)
        )
    raise ValueError(f"no suite {suite!r}: there are {', '.join(SUITES)}{_near(suite, SUITES)}")


def get(id: str, data: str | os.PathLike[str] | None = None) -> Problem:
    """The problem with that id; nothing is compiled before it is evaluated.

    Parameters
    ----------
    id : str
        Such as ``"g2006/G04"``.
    data : path, optional
        Folder or zip of the official data of cec2017; other suites need none.

    Raises
    ------
    ValueError
        Where there is no such id; the message names the nearest ones.
    FileNotFoundError
        Where the official data of cec2017 cannot be had.

    Examples
    --------
    >>> get("engineering/gear-train").optimum_x.tolist()
    [16.0, 19.0, 43.0, 49.0]
    """
    suite, _, rest = str(id).partition("/")
    if suite == "g2006" and id in ids(suite):
        from rdex.suites import g2006

        return g2006.problem(int(rest[1:]))
    if suite == "engineering" and id in ids(suite):
        from rdex.suites import engineering

        return engineering.problem(rest)
    if suite == "mixed" and id in ids(suite):
        from rdex.suites import mixed

        return mixed.problem(rest)
    parsed = CEC2017_ID.fullmatch(str(id))
    if parsed:
        from rdex.suites import cec2017

        number, dim, edition, instance = parsed.groups()
        which = instance if instance == "official" else int(instance)
        return cec2017.problem(int(number), int(dim), edition, which, data)
    raise ValueError(_unknown(str(id)))


def _unknown(id: str) -> str:
    """What to say of an id that does not exist."""
    if id.lower().startswith("cec2017"):
        return f"no problem {id!r}: ids of this suite are like {CEC2017_FORM}"
    listed = (*ids("g2006"), *ids("engineering"), *ids("mixed"))
    # A name without its suite is looked for, too.
    known = {each: each for each in listed} | {each.partition("/")[2]: each for each in listed}
    hint = _near(id, known) or "; `rdex suite list` prints what there is"
    return f"no problem {id!r}{hint}"


def _near(word: str, known: dict[str, str]) -> str:
    """A question that offers the keys nearest to `word`, as their ids; empty where none is near."""
    spelled = {key.lower(): key for key in known}
    wanted = word.lower().replace("_", "-")
    if wanted in spelled:  # only the case differs, or the suite is missing
        found = [spelled[wanted]]
    else:
        near = [key for key in spelled if len(wanted) > 2 and wanted in key]
        near += difflib.get_close_matches(wanted, spelled, n=6)
        found = [spelled[key] for key in near]
    offered = dict.fromkeys(key if known is SUITES else known[key] for key in found)
    return f"; did you mean {' or '.join(list(offered)[:3])}?" if offered else ""
