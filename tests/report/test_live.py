"""`rdex watch`: snapshots of logs, checkpoints and campaigns; the page, alone and in a browser."""

import json
import os
import threading
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from chromium import Browser, chromium_path
from scipy.optimize import NonlinearConstraint

import rdex
from rdex.live.server import LOOPBACK, make_server, page_text
from rdex.live.snapshot import snapshot

# Of the generator, without the JIT.
pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in scalar:RuntimeWarning")

HOSTILE = "<img src=x onerror=alert(1)>"
DESIGN = {
    "width": {"bounds": (1.0, 9.0), "units": "m"},
    "plate": {"choices": [4, 5, 6, 8], "units": "mm"},
    HOSTILE: {"categories": ["steel", "glass"]},
}


def mass(d):
    if d["width"] > 8.5:
        raise RuntimeError("the mesh is broken")
    return d["width"] * d["plate"]


def run(folder):
    area = NonlinearConstraint(lambda d: d["width"] * d["plate"], 30.0, np.inf)
    slope = NonlinearConstraint(lambda d: d["plate"] / d["width"], -np.inf, 0.8)
    return rdex.minimize(
        mass, DESIGN, constraints=[area, slope], constraint_names=["area", "slope"],
        units={"area": "m²", "f": "kg"}, maxfev=150, rng=0, algorithm="rdex-csop",
        evaluations=folder / "e.csv", checkpoint=folder / "c.npz",
    )  # fmt: skip


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    return folder, run(folder)


def test_a_log_says_what_the_result_says(finished):
    folder, result = finished
    facts = snapshot(folder / "e.csv")
    assert (facts["kind"], facts["nfev"], facts["maxfev"]) == ("evaluations", 150, 150)
    assert facts["f"] == result.fun and facts["is_feasible"] and facts["is_done"]
    assert facts["f_units"] == "kg" and facts["problem"] == "mass"
    shown = {v["name"]: v["value"] for v in facts["variables"]}
    assert shown["plate"] == str(result.design["plate"]) and shown[HOSTILE] in ("steel", "glass")
    area = facts["constraints"][0]
    assert area["limit"] == "≥ 30" and area["verdict"] == result.violations[0].verdict
    assert facts["trace"]["f"][-1] == result.fun and facts["trace"]["nfev"][-1] == 150
    feasible = [cv == 0 for cv in facts["trace"]["cv"]]
    assert feasible.index(True) + 1 == result.first_feasible
    assert facts["failures"] == {"raised": result.n_failed} and result.n_failed > 0
    assert "the mesh is broken" in facts["messages"][-1]
    assert sum(w["evaluations"] for w in facts["workers"]) == 150


def test_a_checkpoint_says_the_same(finished):
    folder, result = finished
    facts = snapshot(folder / "c.npz")
    assert (facts["kind"], facts["nfev"], facts["f"]) == ("checkpoint", 150, result.fun)
    assert facts["constraints"][1]["name"] == "slope" and facts["is_feasible"]
    assert facts["trace"]["f"][-1] == result.fun


def test_a_plain_evolution_leaves_facts_in_its_checkpoint(tmp_path):
    result = rdex.minimize(lambda x: x @ x, [(-1, 1)] * 2, maxfev=300, rng=0,
                           algorithm="rdex-csop", checkpoint=tmp_path / "c.npz")  # fmt: skip
    facts = snapshot(tmp_path / "c.npz")
    assert facts["f"] == result.fun and facts["trace"]["nfev"][-1] == 300
    assert [v["value"] for v in facts["variables"]] == [f"{x:.8g}" for x in result.x]


def test_a_file_that_is_being_written_is_read(finished, tmp_path):
    data = (finished[0] / "e.csv").read_bytes()
    path = tmp_path / "part.csv"
    path.write_bytes(data[: int(len(data) * 0.6)])
    facts = snapshot(path)
    assert 0 < facts["nfev"] < 150 and not facts["is_done"] and "error" not in facts
    assert "there is no absent.csv yet" in snapshot(tmp_path / "absent.csv")["error"]
    path.write_bytes(b"something else\n")
    assert snapshot(path)["error"]


def replaced(facts, value):
    """Copies of JSON values with `value` in the place of one entry, one after another."""
    items = facts.items() if isinstance(facts, dict) else enumerate(facts)
    for key, entry in list(items):
        facts[key] = value
        yield facts
        facts[key] = entry
        if isinstance(entry, dict | list):
            for _ in replaced(entry, value):
                yield facts


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("value", [None, "<b>", [], {}, -1, float("nan"), 1e308, [[1]]], ids=str)
def test_a_checkpoint_that_makes_no_sense_is_shown_as_damaged(finished, tmp_path, value):
    """206 of 1501 edits ended the answer of the server."""
    with np.load(finished[0] / "c.npz") as archive:
        header = json.loads(bytes(archive["header"]).decode())
    header["facts"]["seen"]["trace"] = {"nfev": [1], "f": [1.0], "cv": [0.0]}
    n_damaged = 0
    for edited in replaced({"run": header["run"], "facts": header["facts"]}, value):
        text = json.dumps({**header, **edited}).encode()
        with (tmp_path / "c.npz").open("wb") as stream:
            np.savez(stream, header=np.frombuffer(text, dtype=np.uint8))
        facts = snapshot(tmp_path / "c.npz")
        json.dumps(facts, allow_nan=False)
        n_damaged += "is damaged" in facts.get("error", "")
    assert n_damaged


@pytest.mark.parametrize("algorithm", ["auto", "local", "rdex-csop+local", "rdex-csop"])
def test_the_algorithm_is_the_one_that_was_asked_for(tmp_path, algorithm):
    """It was always the differential evolution inside."""
    files = {"evaluations": tmp_path / "e.csv", "checkpoint": tmp_path / "c.npz"}
    rdex.minimize(lambda x: x @ x, [(-1, 1)] * 2, maxfev=5, rng=0, algorithm=algorithm, **files)
    assert {snapshot(path)["algorithm"] for path in files.values()} == {algorithm}


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """Tiny constraints, names as long as a line, a logarithmic variable, messages of two lines."""
    folder = tmp_path_factory.mktemp("odd")

    def fun(design):
        x, y = design.values()
        if y > 0.9:
            raise RuntimeError("no <mesh>\nsee the manual")
        return x + y, [1e-13 * (1.0 - x), x - 50.0]

    problem = rdex.Problem.from_function(
        fun, {"x" * 90: {"bounds": (0.01, 100.0), "log": True}, "y": (0.0, 1.0)}, n_ineq=2,
        constraint_names=["tiny", "c" * 90], stated=[(">=", 1e-13), ("<=", 50)],
    )  # fmt: skip
    result = rdex.minimize(problem, maxfev=60, rng=1, algorithm="rdex-csop", x0=[3.0, 0.5],
                           evaluations=folder / "e.csv", checkpoint=folder / "c.npz")  # fmt: skip
    return folder, result


@pytest.mark.parametrize("name", ["e.csv", "c.npz"])
def test_tiny_constraints_and_logarithmic_variables(odd, name):
    """Values of 1e-13 were shown as 0 and active."""
    folder, result = odd
    facts = snapshot(folder / name)
    tiny = result.violations[0]
    assert tiny.margin > 1e-16 and facts["constraints"][0]["value"] == tiny.value_text != "0"
    assert "margin" in facts["constraints"][0]["verdict"]
    share = (np.log10(result.x[0]) + 2) / 4
    assert facts["variables"][0]["share"] == pytest.approx(share, abs=1e-6)


def test_messages_name_the_exception(odd):
    messages = snapshot(odd[0] / "e.csv")["messages"]
    assert messages and messages[0].endswith("raised: RuntimeError: no <mesh> see the manual")


@pytest.mark.skipif(chromium_path() is None, reason="no Chromium")
def test_long_names_leave_the_tables_side_by_side(odd, tmp_path):
    server = make_server(odd[0] / "e.csv")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = Browser(tmp_path / "profile")
    try:
        browser.size(1000, 700)
        browser.call("Page.navigate", url=f"http://{LOOPBACK}:{server.server_port}/")
        browser.wait("document.getElementById('constraints')?.rows?.length === 2")
        assert browser.run("document.documentElement.scrollWidth") <= 1000
        inside = browser.run(
            "['constraints-part', 'variables-part'].map((id) => document.getElementById(id))"
            ".map((part) => part.querySelector('table').offsetWidth <= part.clientWidth)"
        )
        assert inside == [True, True]
    finally:
        browser.close()
        server.shutdown()
        server.server_close()


def test_a_campaign_is_counted(tmp_path):
    pytest.importorskip("pyarrow")
    from rdex.campaign import Plan
    from rdex.campaign import run as run_campaign
    from runs_here import runs_here

    plan = Plan.of(suite="g2006", algorithms=["rdex-csop"], problems=["G06"], runs=2, maxfev=300)
    with runs_here():
        run_campaign(tmp_path / "store", plan)
    facts = snapshot(tmp_path / "store")
    assert (facts["kind"], facts["runs"], facts["total"]) == ("campaign", 2, 2)
    assert snapshot(tmp_path)["error"]


@pytest.fixture
def address(finished):
    server = make_server(finished[0] / "e.csv")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://{LOOPBACK}:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


def get(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as answer:
        return answer.read().decode(), answer.headers


def test_the_server_is_for_this_machine_alone(address, finished):
    text, headers = get(address)
    assert text == page_text() and "default-src 'none'" in headers["Content-Security-Policy"]
    facts = json.loads(get(address + "snapshot.json")[0])
    assert facts["f"] == finished[1].fun
    for url, more, code in ((address + "e.csv", {}, 404), (address, {"Host": "evil.test"}, 403)):
        with pytest.raises(urllib.error.HTTPError) as caught:
            get(url, **more)
        assert caught.value.code == code
        caught.value.close()


def test_the_page_asks_nobody_else():
    assert "http" not in page_text().replace("http://www.w3.org/2000/svg", "")


def test_the_command_prints_json(finished):
    pytest.importorskip("typer")
    from typer.testing import CliRunner

    from rdex.cli.app import app

    printed = CliRunner().invoke(app, ["watch", str(finished[0] / "e.csv"), "--json"])
    assert printed.exit_code == 0 and json.loads(printed.stdout)["nfev"] == 150


@pytest.mark.skipif(chromium_path() is None, reason="no Chromium")
def test_the_page_follows_a_run_in_a_browser(finished, tmp_path):
    run_folder, result = finished
    whole = (run_folder / "e.csv").read_bytes()
    shown = tmp_path / "shown.csv"
    server = make_server(shown)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    browser = Browser(tmp_path / "profile")
    try:
        browser.size(1280)
        browser.call("Page.navigate", url=f"http://{LOOPBACK}:{server.server_port}/")
        browser.wait("document.getElementById('message')?.textContent.includes('no shown.csv yet')")
        shown.write_bytes(whole[: int(len(whole) * 0.5)])
        browser.wait("document.getElementById('facts')?.textContent.includes('of 150')")
        shown.write_bytes(whole)
        browser.wait("document.getElementById('facts')?.textContent.includes('150 of 150')")
        text = browser.run("document.body.innerText")
        assert "≥ 30" in text and "area" in text and "the mesh is broken" in text
        assert HOSTILE in text and browser.run("document.querySelectorAll('img').length") == 0
        assert f"{result.fun:.5g}"[:5] in text
        assert browser.run("document.querySelectorAll('#objective path').length") >= 2
        shown_as = browser.run("[100000, 1500000, 2.5, 1e-7, 30.10].map((v) => number(v))")
        assert shown_as == ["100000", "1.5e+6", "2.5", "1e-7", "30.1"]
        assert browser.run("ticks(0, 250, 5)") == [0, 50, 100, 150, 200, 250]
        assert browser.complaints() == []
        asked = {url.rpartition("/")[2] for url in browser.requests()}
        assert asked <= {"snapshot.json", "favicon.ico"}
        folder = Path(os.environ.get("RDEX_SCREENSHOTS", tmp_path))
        for width in (1280, 390):
            browser.size(width)
            browser.screenshot(folder / f"watch-{width}.png", whole=True)
            assert browser.run("document.documentElement.scrollWidth <= innerWidth + 1")
    finally:
        browser.close()
        server.shutdown()
        server.server_close()
        thread.join()
