"""Competition files: what is read, what is refused, and that writing and reading are inverse."""

import numpy as np
import pytest
from scipy.io import savemat

from rdex.scoring.competition import (
    export_results,
    import_results,
    read_2026,
    read_matlab,
    read_released,
    write_2026,
    write_matlab,
    write_released,
)
from rdex.scoring.trials import Run, Trials
from scoring.fields import best_so_far

K = 4
BUDGET = 40000  # D = 2


@pytest.fixture
def field():
    """One algorithm, problems C01 and C12, 3 and 2 runs, violations as sums."""
    rng = np.random.default_rng(6)
    runs = []
    for problem, n in (("C01", 3), ("C12", 2)):
        for _ in range(n):
            f, v = best_so_far(rng.normal(size=K + 1), rng.exponential(size=K + 1))
            v[3:] = 0.0
            runs.append(Run("mine", problem, BUDGET, f[1:], v[1:], f[0], v[0]))
    return Trials.from_runs(runs, form="sum")


def assert_same_traces(read, written, f_when_infeasible=True):
    np.testing.assert_array_equal(read.v, written.v)
    expected = written.f if f_when_infeasible else np.where(written.v == 0, written.f, np.nan)
    np.testing.assert_array_equal(read.f, expected)
    assert read.problems == written.problems and read.form == "sum"
    np.testing.assert_array_equal(read.maxfev, written.maxfev)


def test_2026_text_reads_back(field, tmp_path):
    names = write_2026(field, tmp_path, "mine", initial_evaluations=20)
    assert names == ["mine_F1.txt", "mine_F12.txt"]
    read = import_results(tmp_path, "again")
    assert read.algorithms == ("again",)
    assert_same_traces(read, field, f_when_infeasible=False)
    np.testing.assert_array_equal(read.v0, field.v0)
    first = (tmp_path / "mine_F1.txt").read_text().splitlines()
    assert len(first) == K + 1 and first[0].startswith("20 NaN ")
    assert [line.split()[0] for line in first[1:]] == ["10000", "20000", "30000", "40000"]


def test_released_text_reads_back(field, tmp_path):
    names = write_released(field, tmp_path, "mine", digits=17)
    assert names == ["CL-SRDE_F1_D2.txt", "CL-SRDE_F12_D2.txt"]
    assert_same_traces(import_results(tmp_path, "mine", checkpoints=K), field)


def test_matlab_tables_read_back(field, tmp_path):
    assert write_matlab(field, tmp_path, "mine") == ["mine_F1.mat", "mine_F12.mat"]
    assert_same_traces(import_results(tmp_path, "mine", checkpoints=K, maxfev=BUDGET), field)
    write_matlab(field, tmp_path / "more", "mine", initial_row=True)
    read = read_matlab(tmp_path / "more", "m", checkpoints=K, maxfev=BUDGET, initial_row=True)
    np.testing.assert_array_equal(read.f0, field.f0)


def test_export_by_name(field, tmp_path):
    assert export_results(field, tmp_path, "mine", "matlab") == ["mine_F1.mat", "mine_F12.mat"]
    with pytest.raises(ValueError, match="format must be one of 2026, released, matlab"):
        export_results(field, tmp_path, "mine", "csv")


def test_means_become_sums_only_where_constraints_are_counted(field, tmp_path):
    means = Trials.from_arrays(
        field.f, field.v, maxfev=BUDGET, algorithms=["mine"], problems=field.problems
    )
    with pytest.raises(ValueError, match="needs n_constraints"):
        write_matlab(means, tmp_path, "mine")


def test_released_rdex_lines_end_with_evaluations(tmp_path):
    (tmp_path / "RDEx_F7_D2.txt").write_text("9 8 7e-9 6e-9 30000\n5 -1 -2 -300 30000\n")
    read = import_results(tmp_path, "RDEx", checkpoints=K)
    assert read.form == "signed" and read.problems == ("C07",)
    assert read.f.ravel().tolist() == [9, 8, 7e-9, 6e-9]
    assert read.v.ravel().tolist() == [5, -1, -2, -300]
    names = write_released(read, tmp_path / "out", "RDEx", program="CORDEx")
    assert names == ["CORDEx_F7_D2.txt"]
    assert (tmp_path / "out" / names[0]).read_text() == (
        "9 8 7e-09 6e-09 30000\n5 -1 -2 -300 30000\n"
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("RDEx_F1_D2.txt", "4 3 2 1\n0 0 0 0\n", "expected 4 checkpoints and a number of evalu"),
        ("RDEx_F1_D2.txt", "4 3 2 1 0.5\n0 0 0 0 0.5\n", "value 5 should be a number of evaluati"),
        ("RDEx_F1_D2.txt", "4 3 2 1 9e9\n0 0 0 0 9e9\n", "evaluations up to 40000, got 90000000"),
        ("CL-SRDE_F1_D2.txt", "4 3 2 1 7\n0 0 0 0 7\n", "line 1: expected 4 checkpoints, got 5"),
        ("CL-SRDE_F1_D2.txt", "4 3 2 1\n", "two lines per run, f and violation, got 1 lines"),
        ("CL-SRDE_F1_D2.txt", "4 3 2 1\n0 0 0 -1\n", "run 1: a violation is -1.0, below zero"),
        ("CL-SRDE_F1_D2.txt", "4 3 x 1\n0 0 0 0\n", "line 1: 'x' is not a number"),
        ("CL-SRDE_F1_D2.txt", "4 3 nan 1\n1 0 0 0\n", "objective is NaN where the violation is 0"),
        ("CL-SRDE_F1_D2.txt", "4 3 2 1\n1 nan 0 0\n", "a violation is NaN"),
        ("CL-SRDE_F1_D2.txt", "hello\n", "holds no numbers"),
        ("Mine_F1_D2.txt", "4 3 2 1\n0 0 0 0\n", "what the program 'Mine' writes is not known"),
    ],
)
def test_released_text_that_does_not_fit(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=message):
        read_released(tmp_path, "a", checkpoints=K)


def test_unknown_programs_can_be_described(tmp_path):
    (tmp_path / "Mine_F1_D2.txt").write_text("4 3 2 1\n1 0 0 0\n")
    read = read_released(tmp_path, "a", violation="mean", solved_at=False, checkpoints=K)
    assert read.form == "mean" and read.maxfev.tolist() == [BUDGET]
    counted = read_released(
        tmp_path, "a", violation="mean", solved_at=False, checkpoints=K, n_constraints={"C01": 2}
    )
    assert counted.in_form("sum").v.ravel().tolist() == [2, 0, 0, 0]
    with pytest.raises(ValueError, match="n_constraints does not name C01"):
        read_released(
            tmp_path, "a", violation="sum", solved_at=False, checkpoints=K, n_constraints={}
        )


def test_layout_is_read_with_tolerance(tmp_path):
    text = (
        "\ufeff% made by hand\n"
        "FEs, Min_EV, LCV\n"
        "\n"
        "10,\tNaN, 1.5D+00,\n"
        "10000; -nan(ind); 1.0\n"
        "20000  3.5 0\n"
        "30000  1.#QNAN 0.25\n"
        "40000  +.5E+0   0.\n"
    )
    (tmp_path / "x_F3.TXT").write_text(text, encoding="utf-8")
    read = read_2026(tmp_path, "a")
    assert read.v.ravel().tolist() == [1.0, 0.0, 0.25, 0.0] and read.v0.ravel().tolist() == [1.5]
    np.testing.assert_array_equal(read.f.ravel(), [np.nan, 3.5, np.nan, 0.5])
    assert read.problems == ("C03",) and read.maxfev.tolist() == [40000]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5 1 0\n10 1 0\n20 1 0 0\n", "line 3: expected 3 columns as above, got 4"),
        ("5 1\n10 1\n", "two columns per run, got 2 columns"),
        ("5 1 0\n", "got one row"),
        ("5 1 0\n20 1 0\n20 1 0\n", "row 3: the evaluations do not grow"),
        ("10 1 0\n20 1 0\n30 1 0\n40 1 0\n50 1 0\n", "row 2: expected about 12 evaluations"),
        ("5 1 0\n10 1 -2\n20 1 0\n", "run 1: a violation is -2.0"),
        ("5 1 0\n10 NaN 0\n20 1 0\n", "objective is NaN where the violation is 0"),
        ("5 1 0\n10 NaN 1\nend\n", "line 3: 'end' is not a number"),
    ],
)
def test_2026_text_that_does_not_fit(tmp_path, text, message):
    (tmp_path / "x_F1.txt").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_2026(tmp_path, "a")


def test_2026_text_needs_the_record_after_initialisation(field, tmp_path):
    bare = Trials.from_arrays(
        field.f, field.v, maxfev=BUDGET, algorithms=["a"], problems=field.problems, form="sum"
    )
    with pytest.raises(ValueError, match=r"C01: the first row .* \(f0, v0\)"):
        write_2026(bare, tmp_path, "a", initial_evaluations=20)


def test_first_population_may_exceed_a_checkpoint(tmp_path):
    (tmp_path / "x_F1.txt").write_text("600 1 0\n300 1 0\n600 1 0\n900 0.5 0\n")
    assert read_2026(tmp_path, "a").f.ravel().tolist() == [1, 1, 0.5]


def test_matlab_files_that_do_not_fit(tmp_path):
    def saved(**tables):
        savemat(tmp_path / "x_F1.mat", tables)
        return tmp_path / "x_F1.mat"

    table = np.zeros((K, 4))
    with pytest.raises(ValueError, match=r"expected 4 rows .* got a table of shape \(5, 4\)"):
        read_matlab(saved(t=np.zeros((5, 4))), "a", checkpoints=K, maxfev=40)
    with pytest.raises(ValueError, match="does not name its dimension: give maxfev="):
        read_matlab(saved(t=table), "a", checkpoints=K)
    with pytest.raises(ValueError, match=r"holds 2 numeric tables \(t, u\): give variable="):
        read_matlab(saved(t=table, u=table, word="x"), "a", checkpoints=K, maxfev=40)
    path = saved(t=table, u=table + 1)
    assert (read_matlab(path, "a", checkpoints=K, maxfev=40, variable="u").v == 1).all()
    with pytest.raises(ValueError, match="holds no numeric table 'w'"):
        read_matlab(path, "a", checkpoints=K, maxfev=40, variable="w")
    path.write_bytes(b"no such thing")
    with pytest.raises(ValueError, match="cannot be read as a MATLAB file"):
        read_matlab(path, "a", checkpoints=K, maxfev=40)
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + b"\x00" * 400)
    with pytest.raises(ValueError, match="save it with -v7"):
        read_matlab(path, "a", checkpoints=K, maxfev=40)


def test_folders_that_say_nothing_or_too_much(tmp_path):
    with pytest.raises(ValueError, match="cannot tell the format"):
        import_results(tmp_path, "a")
    with pytest.raises(ValueError, match="there is no file or folder"):
        read_2026(tmp_path / "absent", "a")
    with pytest.raises(ValueError, match="no results in"):
        read_2026(tmp_path, "a")
    (tmp_path / "x_F1.txt").write_text("5 1 0\n10 1 0\n")
    (tmp_path / "y_F01.txt").write_text("5 1 0\n10 1 0\n")
    with pytest.raises(ValueError, match=r"two files for problem 1: x_F1.txt and y_F01.txt"):
        import_results(tmp_path, "a")
    (tmp_path / "y_F01.txt").unlink()
    assert import_results(tmp_path, "a").maxfev.tolist() == [10]
    (tmp_path / "RDEx_F2_D30.txt").write_text("1\n0\n")
    with pytest.raises(ValueError, match="found 2026 and released; give format="):
        import_results(tmp_path, "a")
    with pytest.raises(ValueError, match="format must be one of"):
        import_results(tmp_path, "a", "csv")


def test_names_and_budgets_that_cannot_be_written(field, tmp_path):
    odd = Trials.from_arrays(
        np.zeros((1, 1, 1, K)), np.zeros((1, 1, 1, K)), maxfev=100, algorithms=["a"], form="sum"
    )
    with pytest.raises(ValueError, match="'P1' has no one number like C08"):
        write_matlab(odd, tmp_path, "a")
    with pytest.raises(ValueError, match="a budget of 100 is not 20000 D"):
        write_released(odd, tmp_path, "a")
    with pytest.raises(ValueError, match="'sum' cannot be turned into 'signed'"):
        write_released(field, tmp_path, "mine", program="RDEx")
    with pytest.raises(ValueError, match="program must be one of RDEx, CORDEx, CL-SRDE"):
        write_released(field, tmp_path, "mine", program="UDE")
