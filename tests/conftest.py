"""What all tests share: reference data, how Hypothesis draws its examples, cheap searches."""

import logging
import os
from pathlib import Path

import pytest
from hypothesis import settings

from rdex.jit import loading

# The same examples every time; compiling may take longer than the usual deadline.
settings.register_profile("rdex", deadline=None, derandomize=True, database=None)
settings.load_profile("rdex")

PROJECT = Path(__file__).resolve().parent.parent


def waits_for_compiler() -> bool:
    """In this process kernels are compiled before they are used; programs that tests start begin as
    users' programs do."""
    return os.environ.get("RDEX_COMPILE", "wait") == "wait"


loading.waits_for_compiler = waits_for_compiler


#: Files that take longest. They begin first, so that processes end at about the same time.
LONGEST = (
    "api/test_async.py",
    "campaign/test_campaign_resume.py",
    "api/test_trust.py",
    "campaign/test_campaign_dask.py",
    "api/test_simulator.py",
    "workers/test_processes.py",
    "workers/test_pool.py",
    "strategies/test_scout.py",
    "strategies/test_auto.py",
    "strategies/test_categories.py",
    "api/test_compiled.py",
    "adapters/test_openmdao_driver.py",
    "api/test_short_compiled.py",
    "jit/test_background.py",
    "engine/test_twin.py",
    "docs/test_code_blocks.py",
    "docs/test_site.py",
    "typing/test_typing.py",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """The longest files first, all others in their order."""
    tests = PROJECT / "tests"
    places = {tests / name: place for place, name in enumerate(LONGEST)}
    assert all(path.is_file() for path in places), "LONGEST names a file that is not there"
    items.sort(key=lambda item: places.get(item.path, len(places)))


@pytest.fixture(scope="session")
def reference_dir() -> Path:
    """The folder of reference data; tests that need it are skipped where it is absent."""
    default = PROJECT.parent / "shared" / "reference"
    folder = Path(os.environ.get("RDEX_REFERENCE_DIR") or default)
    if not folder.is_dir():
        pytest.skip(f"no reference data at {folder}: set RDEX_REFERENCE_DIR")
    return folder


#: Rooms whose tests are about runs, whatever searches: a cheap search does unless one is named.
CHEAP_SEARCH = {"api": "rdex-csop", "problem": "rdex-csop", "adapters": "rdex-csop+local"}


@pytest.fixture(autouse=True, scope="module")
def cheap_search(request):
    """`auto`, the default, spends most of its time on models."""
    name = CHEAP_SEARCH.get(request.path.parent.name)
    with pytest.MonkeyPatch.context() as patch:
        if name:
            import rdex

            for function in (rdex.minimize, rdex.Optimizer.__init__):
                patch.setitem(function.__kwdefaults__, "algorithm", name)
        yield


@pytest.fixture(autouse=True)
def log_handlers():
    """Handlers that a test adds, as pages that set up logging do, end with it."""
    before = [
        (logger, list(logger.handlers)) for logger in (logging.root, logging.getLogger("rdex"))
    ]
    yield
    for logger, handlers in before:
        for handler in [each for each in logger.handlers if each not in handlers]:
            logger.removeHandler(handler)
            handler.close()
