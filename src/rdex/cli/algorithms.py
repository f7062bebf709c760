"""`rdex bench algorithms`: who can take part in a campaign, and with what settings."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rdex.cli.printing import grid_of, show, show_json

COLUMNS = ("name", "origin", "reference", "licence", "settings")


def list_algorithms(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with all settings.")] = False,
) -> None:
    """List the algorithms that can be named: presets, optimisers of other packages, installed."""
    from rdex.scoring import Table

    rows = list(described())
    if as_json:
        show_json([dict(zip(COLUMNS, row, strict=True)) for row in rows])
        return
    people = Table.of("Algorithms", COLUMNS[:4], (row[:4] for row in rows))
    texts = settings_texts({row[0]: row[4] for row in rows})
    show(
        *grid_of(people),
        *grid_of(Table.of("Settings", ("name", "settings"), texts.items(), notes())),
    )


def described() -> list[tuple[Any, ...]]:
    """Name, origin, reference, licence and settings of all that can be named."""
    from rdex.campaign.algorithms import find, names

    rows: list[tuple[Any, ...]] = []
    for name in names():
        try:
            found = find(name)
        except Exception as error:  # a broken package must not hide the others
            rows.append((name, "cannot be loaded", f"{type(error).__name__}: {error}", "", {}))
            continue
        rows.append((name, found.origin, found.reference, found.licence, found.settings))
    return rows


def settings_texts(settings: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Settings as people read them, one text per algorithm.

    Of presets with the same constants the first is the measure of the others; what all packages
    share is left to the notes.
    """
    from rdex.campaign.peers.facts import COMMON, PEERS

    texts: dict[str, str] = {}
    measures: dict[frozenset[str], str] = {}
    for name, values in settings.items():
        own = {key: value for key, value in values.items() if key != "name"}
        if name in PEERS:
            texts[name] = plain({k: v for k, v in own.items() if COMMON.get(k) != v})
            continue
        measure = measures.setdefault(frozenset(own), name)
        if measure == name:
            texts[name] = plain(own)
            continue
        usual = settings[measure]
        changed = plain({k: v for k, v in own.items() if usual[k] != v})
        texts[name] = f"as {measure} but for {changed}" if changed else f"as {measure}"
    return texts


def plain(values: dict[str, Any]) -> str:
    """``key: value; key: value``, what is called of which package first."""
    rest = dict(values)
    head = []
    if {"package", "version", "call"} <= rest.keys():
        head.append(f"{rest.pop('call')} of {rest.pop('package')} {rest.pop('version')}")
    return "; ".join([*head, *(f"{key}: {_shown(value)}" for key, value in rest.items())])


def _shown(value: Any) -> str:
    from rdex.scoring.table import cell_text

    if isinstance(value, tuple | list):
        return ", ".join(map(_shown, value))
    return "none" if value is None or value == "" else cell_text(value)


def notes() -> tuple[str, ...]:
    """What holds for the optimisers of all packages."""
    from rdex.campaign.peers.facts import COMMON

    shared = "; ".join(f"{key}: {value}" for key, value in COMMON.items())
    return ("Packages run with their defaults but for what is said.", f"Unless said: {shared}.")
