"""The file of evaluations: any tool reads it, and a kill at any byte costs one line at most."""

import csv
import json

import numpy as np
import pytest
from log_samples import PROBLEM, RUN, entry, same, written

from rdex import Problem
from rdex.common.errors import LogError
from rdex.evaluation.log import EvaluationLog, stored_run


def test_what_is_written_is_read_back(tmp_path):
    path = tmp_path / "e.csv"
    written(path, 8)
    log = EvaluationLog(PROBLEM, path, RUN)
    assert log.n_before == 8 and all(same(log.entries[k], entry(k)) for k in range(8))
    assert log.entries[2].outcome.error == 'ValueError: no, "never"'
    assert log.known(entry(4).x).f == 0.4 and log.known(entry(2).x) is None
    log.append(entry(8))
    log.close()
    assert path.read_bytes().count(b"\n") == 2 + 9


def test_plain_tools_read_it(tmp_path):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "e.csv"
    log = written(path, 8)
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(line for line in stream if not line.startswith("#")))
    assert [row["order"] for row in rows] == [str(k) for k in range(8)]
    assert float(rows[4]["width, mm"]) == 4 / 3 and rows[2]["message"] == 'ValueError: no, "never"'
    frame = pandas.read_csv(path, comment="#")
    table = log.table()
    assert list(frame.columns) == [*table.columns, "check"]
    assert "f" in table and "f_" in table  # a variable of that name
    np.testing.assert_allclose(frame["f_"], table["f_"], rtol=1e-12)
    assert frame["status"].tolist() == table["status"].tolist() and len(table) == 8
    described = json.loads(path.read_text().split("\n")[0].split(" ", 3)[3])
    assert described == {"sizes": [2, 1, 1], **RUN} and stored_run(path) == RUN


def test_without_pandas_the_table_is_a_dict_of_arrays(tmp_path, monkeypatch):
    import sys

    log = written(tmp_path / "e.csv", 8)
    monkeypatch.setitem(sys.modules, "pandas", None)
    table = log.table()
    assert isinstance(table, dict) and table["number"].tolist() == [7 * k for k in range(8)]
    assert table["f"].shape == table["stress"].shape == (8,)


def test_cut_off_at_every_byte(tmp_path):
    path = tmp_path / "e.csv"
    written(path, 4)
    data = path.read_bytes()
    ends = [k + 1 for k, byte in enumerate(data) if byte == 10]
    for size in range(len(data) + 1):
        path.write_bytes(data[:size])
        log = EvaluationLog(PROBLEM, path, RUN)
        # A line that lacks nothing but its end is whole too.
        whole = max(0, sum(end <= size + 1 for end in ends) - 2)
        assert [e.number for e in log.entries] == [7 * k for k in range(whole)], size
        for k in range(whole, 4):
            log.append(entry(k))
        log.close()
        assert path.read_bytes() == data, size


def test_damage_before_the_end_is_named(tmp_path):
    path = tmp_path / "e.csv"
    written(path, 4)
    lines = path.read_bytes().split(b"\n")
    for k, change in ((3, b"9"), (0, b"}"), (1, b"x")):
        broken = list(lines)
        broken[k] = broken[k][:-2] + change
        path.write_bytes(b"\n".join(broken))
        before = path.read_bytes()
        with pytest.raises(LogError, match=r"evaluations: .*e.csv, byte \d+: "):
            EvaluationLog(PROBLEM, path, RUN)
        assert path.read_bytes() == before
    path.write_bytes(b"\n".join([*lines[:3], lines[4], b""]))
    with pytest.raises(LogError, match="expected evaluation 1, got 2"):
        EvaluationLog(PROBLEM, path, RUN)


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "# notes of mine", "# rdex-evaluation notes\n"])
def test_other_files_are_refused_and_kept(tmp_path, text):
    path = tmp_path / "e.csv"
    path.write_text(text)
    with pytest.raises(LogError, match=f"is not a file of evaluations: it begins with '{text[:3]}"):
        EvaluationLog(PROBLEM, path, RUN)
    assert path.read_text() == text


def test_other_runs_are_refused(tmp_path):
    path = tmp_path / "e.csv"
    written(path, 2)
    with pytest.raises(LogError, match="another run: different maxfev"):
        EvaluationLog(PROBLEM, path, {**RUN, "maxfev": 5})
    other = Problem([0], [9], point=lambda x, g, h: 0.0)
    with pytest.raises(LogError, match="another run: expected the columns order, number"):
        EvaluationLog(other, path, RUN)
    with pytest.raises(OSError, match=f"evaluations: cannot write {tmp_path}"):
        EvaluationLog(PROBLEM, tmp_path, RUN)


def test_two_runs_cannot_write_one_file(tmp_path):
    path = tmp_path / "e.csv"
    log = EvaluationLog(PROBLEM, path, RUN)
    with pytest.raises(OSError, match="in use by another run"):
        EvaluationLog(PROBLEM, path, RUN)
    log.close()
    EvaluationLog(PROBLEM, path, RUN).close()
