"""Every code block of README and docs runs, and prints what the page says it prints.

A page's Python blocks run one after the other in one namespace, in an empty folder with a link to
`examples`; so do its commands. A block with a title is written to the file of that name. TOML
blocks are plans. A block of `output` is what the block before it prints, where `…` stands for
anything. What cannot run here has a comment before it that says why: `<!-- no-run: reason -->`.
"""

import contextlib
import io
import linecache
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

pytest.importorskip("typer")
pytest.importorskip("pyarrow")
pytest.importorskip("pandas")
pytest.importorskip("matplotlib")
pytest.importorskip("plotly")
pytest.importorskip("statsmodels")

from pages import blocks, is_printed
from typer.testing import CliRunner

from rdex.cli.app import app

PROJECT = Path(__file__).resolve().parents[2]
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
NAMES = [str(page.relative_to(PROJECT)) for page in PAGES]

RUN = {"python", "bash", "toml", "output"}
SHOWN = {"text"}  # files, folders, listings

MOST_LEFT_OUT = 14


def run_page(text, name):
    """Run the blocks in the present folder; raises where one fails or prints something else."""
    names = {"__name__": "page"}
    printed = ""
    for block in blocks(text):
        where = f"{name}, line {block.line}"
        if block.reason is not None:
            continue
        if block.title:
            Path(block.title).write_text(block.body, encoding="utf-8")
        if block.language == "toml":
            check_plan(block)
        elif block.language == "bash":
            printed = output_of_commands(block.body, where)
        elif block.language == "python" and not block.title:
            printed = output_of_python(block, names, where)
        elif block.language == "output":
            compare(printed, block.body, where)


def output_of_python(block, names, where):
    file = f"<{where}>"
    linecache.cache[file] = (len(block.body), None, block.body.splitlines(True), file)
    code = compile("\n" * (block.line - 1) + block.body, file, "exec")
    with contextlib.redirect_stdout(io.StringIO()) as stream:
        exec(code, names)
    return stream.getvalue()


def output_of_commands(body, where):
    """What the commands print; those of `rdex` run in this process, which is sooner."""
    lines = [shlex.split(line, comments=True) for line in body.replace("\\\n", " ").splitlines()]
    commands = [words for words in lines if words]
    if any(words[0] != "rdex" for words in commands):
        return output_of_bash(body, where)
    printed = ""
    for words in commands:
        result = CliRunner().invoke(app, words[1:])
        said = f"{where}: {shlex.join(words)}: {result.output}"
        assert result.exit_code == 0, said
        printed += result.stdout
    return printed


def output_of_bash(body, where):
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    run = subprocess.run(
        ["bash", "-euc", body], env=os.environ | {"PATH": path}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert run.returncode == 0, f"{where}: exit code {run.returncode}\n{run.stdout}{run.stderr}"
    return run.stdout


def check_plan(block):
    from rdex.campaign import Plan
    from rdex.campaign.plan import read_toml

    file = Path(block.title or "block.toml")
    file.write_text(block.body, encoding="utf-8")
    words = read_toml(file)
    assert Plan.of(**{k: v for k, v in words.items() if k not in ("out", "workers")}).keys()


def compare(printed, expected, where):
    matches = is_printed(printed, expected)
    assert matches, f"{where}: the page says\n{expected}\nbut it prints\n{printed}"


@pytest.fixture
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    (tmp_path / "examples").symlink_to(PROJECT / "examples", target_is_directory=True)
    return tmp_path


WITH_BLOCKS = [
    name for name in NAMES
    if any(block.language in RUN for block in blocks((PROJECT / name).read_text("utf-8")))
]  # fmt: skip

#: Pages whose blocks take 5 s and more; other tests use by default what they show.
LONG = {
    "docs/adapters/coco.md", "docs/adapters/openmdao.md", "docs/adapters/optuna.md",
    "docs/adapters/pymoo.md", "docs/campaigns.md", "docs/cluster.md", "docs/compiled.md",
    "docs/constraints.md", "docs/equality.md", "docs/limits.md", "docs/minimize.md",
    "docs/mixed-integer.md", "docs/parallel.md", "docs/progress.md", "docs/report.md",
    "docs/resume.md", "docs/simulators.md", "docs/store-format.md",
    "docs/tutorials/engineers.md", "docs/tutorials/researchers.md",
}  # fmt: skip


def test_long_pages_are_there():
    assert LONG <= set(WITH_BLOCKS)


@pytest.mark.compiled
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash for the commands")
@pytest.mark.filterwarnings("default::DeprecationWarning:distributed")
@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in WITH_BLOCKS
])  # fmt: skip
def test_the_blocks_of_a_page_run(name, empty_folder):
    run_page((PROJECT / name).read_text(encoding="utf-8"), name)


@pytest.mark.parametrize("name", NAMES)
def test_no_block_escapes_these_tests(name):
    """All are fenced, and of a language that is run, unless a comment says why not."""
    text = (PROJECT / name).read_text(encoding="utf-8")
    found = MarkdownIt("commonmark").parse(text)
    for token in found:
        assert token.type != "code_block", f"{name}, line {token.map[0] + 1}: put it between ```"
    assert sum(token.type == "fence" for token in found) == len(blocks(text))
    for block in blocks(text):
        is_known = block.language in RUN | SHOWN or block.reason is not None
        assert is_known, f"{name}, line {block.line}: language {block.language}"


@pytest.mark.parametrize("name", WITH_BLOCKS)
def test_rooms_are_imported_before_they_are_used(name):
    """Blocks run where other tests have imported everything; readers begin with nothing."""
    code = ""
    for block in blocks((PROJECT / name).read_text("utf-8")):
        if block.language == "python":
            code = code * (not block.title) + block.body
            for room in re.findall(r"(?<!from )\brdex\.([a-z]\w+)\.", block.body):
                assert f"import rdex.{room}" in code, f"{name}, line {block.line}: rdex.{room}"


def test_few_blocks_are_left_out_and_each_says_why():
    reasons = {}
    for page, name in zip(PAGES, NAMES, strict=True):
        text = page.read_text(encoding="utf-8")
        for block in blocks(text):
            if block.reason is not None:
                reasons[f"{name}:{block.line}"] = block.reason
        assert text.count("<!-- no-run") == sum(1 for at in reasons if at.startswith(f"{name}:"))
    assert len(reasons) <= MOST_LEFT_OUT, reasons
    assert all(len(reason.split()) >= 3 for reason in reasons.values()), reasons


@pytest.mark.parametrize(("page", "error"), [
    ("```python\n1 / 0\n```", ZeroDivisionError),
    ("```python\nx = 1\n```\n\n```python\nassert x == 2\n```", AssertionError),
    ("```python\nprint(1)\n```\n\n```output\n2\n```", AssertionError),
    ("```bash\nexit 3\n```", AssertionError),
    ('```toml\nsuit = "g2006"\n```', ValueError),
])  # fmt: skip
def test_a_wrong_page_fails(page, error, empty_folder):
    with pytest.raises(error):
        run_page(page, "page")


def test_a_right_page_passes(empty_folder):
    run_page(
        "<!-- no-run: would divide by zero -->\n```python\n1 / 0\n```\n"
        "```python\nprint('a 1.25 c')\n```\n\n```output\na 1.…\n```\n"
        '```python title="m.py"\nword = "here"\n```\n'
        "```bash\npython -c 'import m; print(m.word)'\n```\n\n```output\nhere\n```\n",
        "page",
    )
