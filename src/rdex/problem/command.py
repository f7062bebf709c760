"""External programs as functions: files or JSON in, files or JSON out, a folder an evaluation."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rdex.problem.problem import Floats

#: ${name} or ${name:format} in templates and commands.
PLACE = re.compile(r"\$\{(\w+)(?::([^{}]*))?\}")

KEEP = ("failed", "all", "none")


class CommandError(RuntimeError):
    """A program ended badly, or its answer could not be read."""


#: Programs that run now, for a worker that is told to end.
_RUNNING: set[subprocess.Popen[bytes]] = set()


def end_all() -> None:
    """End all programs that run, and what they have started."""
    for process in list(_RUNNING):
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a program and everything in its group."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


class Command:
    """One evaluation is one run of a program in a folder of its own.

    The folder holds the files made from the templates, and what the program wrote: `stdout.txt`
    and `stderr.txt` too. It is removed after an evaluation that went well, unless told otherwise.

    Parameters are those of `Problem.from_command`.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        names: Sequence[str],
        *,
        files: Mapping[str, str | os.PathLike[str]] | None = None,
        result: str | Callable[[Path], Any] | None = None,
        folder: str | os.PathLike[str] | None = None,
        keep: str = "failed",
        timeout: float | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.command = shlex.split(command) if isinstance(command, str) else list(command)
        if not self.command or not all(isinstance(word, str) for word in self.command):
            raise ValueError(f"command must be a text or a sequence of texts, got {command!r}")
        if keep not in KEEP:
            raise ValueError(f"keep must be one of {', '.join(KEEP)}, got {keep!r}")
        if timeout is not None and not timeout > 0:
            raise ValueError(f"timeout must be > 0, got {timeout!r}")
        self.names = tuple(names)
        self.files = {name: template_of(name, text) for name, text in (files or {}).items()}
        self.result = result
        self.folder = None if folder is None else os.path.abspath(folder)
        self.keep = keep
        self.timeout = timeout
        self.env = dict(env or {})

    def try_templates(self, values: list[Any]) -> None:
        """A ValueError where a template has an unknown name, or a format that takes no such value.

        values: one for each variable.
        """
        for text in (*self.command, *self.files.values()):
            self._filled(text, values)

    def __call__(self, x: Floats | Mapping[str, Any]) -> tuple[Any, Any, Any]:
        """(f, G, H) at x: numbers, or values by name."""
        if self.folder is not None:
            os.makedirs(self.folder, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="rdex-evaluation-", dir=self.folder))
        has_failed = True
        try:
            values = list(x.values()) if isinstance(x, Mapping) else [float(v) for v in x]
            for name, text in self.files.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(self._filled(text, values), encoding="utf-8")
            self._run(folder, values)
            answer = self._answer(folder)
            has_failed = False
            return answer
        finally:
            if self.keep == "none" or (self.keep == "failed" and not has_failed):
                shutil.rmtree(folder, ignore_errors=True)

    def _filled(self, text: str, values: list[Any]) -> str:
        """A template with the values in their places."""
        known = dict(zip(self.names, values, strict=True))

        def value(match: re.Match[str]) -> str:
            name, layout = match.group(1), match.group(2)
            if name not in known:
                raise ValueError(f"${{{name}}} is not a variable; known: {', '.join(self.names)}")
            if layout:
                return format(known[name], layout)
            return known[name] if isinstance(known[name], str) else repr(known[name])

        return PLACE.sub(value, text)

    def _run(self, folder: Path, values: list[Any]) -> None:
        """The program has ended well, or a CommandError says how not."""
        words = [self._filled(word, values) for word in self.command]
        point = json.dumps({"x": values, "variables": dict(zip(self.names, values, strict=True))})
        with (
            open(folder / "stdin.json", "w+b") as stdin,
            open(folder / "stdout.txt", "wb") as stdout,
            open(folder / "stderr.txt", "wb") as stderr,
        ):
            stdin.write(point.encode())
            stdin.seek(0)
            process = subprocess.Popen(
                words, stdin=stdin, stdout=stdout, stderr=stderr, cwd=folder,
                env={**os.environ, **self.env}, process_group=0 if hasattr(os, "killpg") else None,
            )  # fmt: skip
            _RUNNING.add(process)
            try:
                code = process.wait(self.timeout)
            except subprocess.TimeoutExpired:
                raise CommandError(
                    f"{words[0]} took longer than {self.timeout:g} s, see {folder}"
                ) from None
            finally:
                if process.poll() is None:
                    end(process)
                    process.wait()
                _RUNNING.discard(process)
        if code != 0:
            raise CommandError(
                f"{words[0]} ended with exit code {code}, see {folder}: "
                f"{tail(folder / 'stderr.txt')}"
            )

    def _answer(self, folder: Path) -> tuple[Any, Any, Any]:
        """(f, G, H) from what the program has left."""
        if callable(self.result):
            values = self.result(folder)
            return values if isinstance(values, tuple) else (values, (), ())
        path = folder / (self.result or "stdout.txt")
        try:
            return read_json(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise CommandError(f"no answer in {path}: {error}") from error


def template_of(name: str, text: str | os.PathLike[str]) -> str:
    """A template: a text, or the contents of a file."""
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise ValueError(f"files must have names inside the folder of an evaluation, got {name!r}")
    return text if isinstance(text, str) else Path(text).read_text(encoding="utf-8")


def read_json(text: str) -> tuple[Any, Any, Any]:
    """f, G and H from JSON, the whole text or its last line: an object with these names, a list
    of them, or a number; null stands for NaN."""
    try:
        found = json.loads(text)
    except ValueError:
        lines = text.strip().splitlines()
        if not lines:
            raise ValueError("it is empty") from None
        found = json.loads(lines[-1])
    if isinstance(found, Mapping):
        if "f" not in found:
            raise ValueError(
                f"expected an object with f, G and H, got {', '.join(found) or 'none'}"
            )
        found = [found["f"], found.get("G", []), found.get("H", [])]
    if not isinstance(found, list):
        found = [found]
    f, g, h = (*found, [], [])[:3]
    return number(f), [number(v) for v in g], [number(v) for v in h]


def number(value: Any) -> float:
    """A number, NaN for null."""
    return float("nan") if value is None else float(value)


def tail(path: Path, most: int = 300) -> str:
    """The end of a text file, on one line."""
    with contextlib.suppress(OSError):
        return " / ".join(path.read_text(errors="replace").strip().splitlines()[-3:])[-most:]
    return ""
