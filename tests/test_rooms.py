"""Rooms and their doors: who imports whom, and that compiled code cannot go stale."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rdex

PACKAGE = Path(rdex.__file__).resolve().parent
PROJECT = Path(__file__).resolve().parent.parent
#: Kernel modules are those called so, and those that import one of these at their top.
ROOTS = ("rdex.jit.compiling", "rdex.jit.signatures")


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path, whole_file: bool = True) -> list[ast.stmt]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = ast.walk(tree) if whole_file else tree.body
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]


def imports_of_rdex(path: Path) -> list[ast.stmt]:
    found = []
    for node in imports(path):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            names = ["rdex" if node.level else str(node.module)]
        if any(name.split(".")[0] == "rdex" for name in names):
            found.append(node)
    return found


SOURCES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
KERNELS = {
    name: path
    for name, path in SOURCES.items()
    if not name.startswith("rdex.jit.")
    and (
        "kernels" in name.split(".")
        or any(isinstance(n, ast.ImportFrom) and n.module in ROOTS for n in imports(path, False))
    )
}


def test_there_are_kernels_to_look_at():
    expected = {"rdex.engine.kernels.steps", "rdex.engine.kernels.random"}
    assert expected | {"rdex.scoring.kernels"} <= set(KERNELS)


@pytest.mark.parametrize("name", KERNELS)
def test_kernel_modules_import_names_of_kernel_modules_only(name):
    """The hash that names the cache follows such lines and no others."""
    for node in imports_of_rdex(KERNELS[name]):
        where = f"{name}, line {node.lineno}"
        assert isinstance(node, ast.ImportFrom) and node.level == 0, where
        assert node.col_offset == 0, f"{where}: inside something"
        is_known = node.module in KERNELS or node.module.startswith("rdex.jit.")
        assert is_known, f"{where}: {node.module}"
        for alias in node.names:
            assert f"{node.module}.{alias.name}" not in SOURCES, f"{where}: imports a module"


@pytest.mark.parametrize("name", KERNELS)
def test_kernel_modules_go_by_names_that_typing_exempts(name):
    assert "kernels" in name.split(".")


def test_every_decorated_function_stands_in_a_kernel_module():
    for name, path in SOURCES.items():
        if re.search(r"^@(kernel|part)\(", path.read_text(encoding="utf-8"), re.MULTILINE):
            assert name in KERNELS


def test_rooms_import_to_the_left_only():
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    run = subprocess.run(
        [sys.executable, "-c", command, "--no-cache", "--config", str(PROJECT / "pyproject.toml")],
        cwd=PROJECT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert "1 kept, 0 broken" in run.stdout


#: Functions that users call, and commands, whose arguments are their options.
MANY_ARGUMENTS = {
    "rdex.adapters.coco.run_suite",
    "rdex.adapters.scipy.scipy_method",
    "rdex.api.minimize.minimize",
    "rdex.api.optimizer.Optimizer.__init__",
    "rdex.campaign.campaign.run",
    "rdex.campaign.plan.Plan.of",
    "rdex.cli.bench.import_files",
    "rdex.cli.bench.run_campaign",
    "rdex.cli.bench.score",
    "rdex.cli.report.report",
    "rdex.cli.solve.solve",
    "rdex.problem.problem.Problem.from_command",
}


def functions_of(path: Path) -> dict[str, ast.FunctionDef]:
    """All functions of a file by their names, those of classes as Class.name."""
    found = {}
    pending: list[tuple[str, ast.AST]] = [("", ast.parse(path.read_text(encoding="utf-8")))]
    while pending:
        where, node = pending.pop()
        for child in ast.iter_child_nodes(node):
            inside = where
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                found[where + child.name] = child
            elif isinstance(child, ast.ClassDef):
                inside = f"{where}{child.name}."
            pending.append((inside, child))
    return found


def test_only_public_functions_take_more_than_eight_arguments():
    found = set()
    for module, path in SOURCES.items():
        for name, function in functions_of(path).items():
            given = function.args
            names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
            if len([each for each in names if each not in ("self", "cls")]) > 8:
                found.add(f"{module}.{name}")
    assert found == MANY_ARGUMENTS


HASHES = """
import sys
sys.path.insert(0, {folder!r})
from pathlib import Path
from rdex.jit import sources
assert sources.__file__.startswith({folder!r})
base = Path({folder!r}) / "rdex"
for name in ("engine/kernels/steps.py", "engine/kernels/order.py", "scoring/kernels.py"):
    print(sources.source_hash(base / name))
"""


def hashes(folder: Path) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", HASHES.format(folder=str(folder))],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return run.stdout.split()


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    shutil.copytree(PACKAGE, folder / "rdex", ignore=shutil.ignore_patterns("__pycache__"))
    return folder, hashes(folder)


@pytest.mark.parametrize(("edited", "changed"), [
    ("engine/kernels/order.py", [True, True, False]),  # steps -> selection -> order
    ("engine/kernels/layout.py", [True, False, False]),
    ("engine/kernels/random.py", [True, False, False]),
    ("jit/compiling.py", [True, True, True]),
    ("jit/parts.py", [True, True, True]),
    ("common/folders.py", [True, True, True]),
    ("engine/settings.py", [False, False, False]),
])  # fmt: skip
def test_the_cache_is_named_after_everything_a_kernel_is_made_of(copied, edited, changed):
    folder, before = copied
    path = folder / "rdex" / edited
    text = path.read_text(encoding="utf-8")
    try:
        path.write_text(text + "\n# edited\n", encoding="utf-8")
        after = hashes(folder)
    finally:
        path.write_text(text, encoding="utf-8")
    assert [a != b for a, b in zip(after, before, strict=True)] == changed


def test_the_same_sources_have_the_same_name_wherever_they_are(copied, tmp_path):
    folder, before = copied
    shutil.copytree(folder / "rdex", tmp_path / "rdex")
    assert hashes(tmp_path) == before
