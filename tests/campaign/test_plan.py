"""Plans: words to runs, seeds, parts."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

from rdex.campaign import Plan
from rdex.campaign.plan import budget, chosen, only_of, read_toml, shard_of
from rdex.store import RunKey


def small(**words):
    return Plan.of(
        "rdex-csop,cl-srde", **{"suite": "g2006", "problems": "4,6-8", "runs": 3} | words
    )


def test_problems_by_number_range_and_name():
    names = ["C01", "C02", "C03", "C04"]
    assert chosen("1,3-4", names) == [0, 2, 3]
    assert chosen("c02, 1", names) == [0, 1]
    assert chosen(["C04", 2], names) == [1, 3]
    assert chosen(None, names) == chosen("all", names) == [0, 1, 2, 3]


@pytest.mark.parametrize("wrong", ["0", "5", "3-2", "x", "", "1-9"])
def test_wrong_problems_are_refused(wrong):
    with pytest.raises(ValueError, match="problems:"):
        chosen(wrong, ["C01", "C02", "C03", "C04"])


def test_budgets():
    assert budget("20000D", 30) == budget(600_000, 30) == budget("600_000", 7) == 600_000
    for wrong in ("0", "-3", "D", "1.5D", "1e5", None):
        with pytest.raises(ValueError, match="maxfev must be"):
            budget(wrong, 30)


def test_cec2017_with_two_dimensions():
    plan = Plan.of(dim="10,30", problems="2", instance="official", edition=2024, runs=1)
    assert plan.problems == (
        ("cec2017/C02/d10/2024/official", 10, 200000),
        ("cec2017/C02/d30/2024/official", 30, 600000),
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"dim": 20}, "no problem 'cec2017/C01/d20"),
        ({"edition": "2020"}, "no problem 'cec2017/C01/d30/2020"),
        ({"instance": 0}, "no problem 'cec2017/C01/d30/2017/0"),
        ({"suite": "g2005"}, "did you mean g2006"),
        ({"runs": 0}, "runs must be a whole number >= 1"),
        ({"rng": -1}, "rng must be"),
        ({"checkpoints": 1.5}, "checkpoints must be"),
        ({"algorithms": []}, "needs an algorithm"),
        ({"algorithms": "rdex,rdex"}, "two algorithms with one name"),
        ({"dim": "ten"}, "dim must be a whole number"),
    ],
)
def test_wrong_words_are_refused(words, message):
    with pytest.raises(ValueError, match=message):
        Plan.of(**words)


def test_shards_are_a_partition():
    keys = small().keys()
    parts = [shard_of(keys, f"{i}/5") for i in range(1, 6)]
    assert sorted(itertools.chain(*parts)) == sorted(keys)
    assert {len(part) for part in parts} == {4, 5}
    for wrong in ("0/5", "6/5", "1", "a/b"):
        with pytest.raises(ValueError, match="shard must be I/N"):
            shard_of(keys, wrong)


def test_only():
    keys = small().keys()
    for word, count in {
        "rdex-csop:G04:2": 1,
        "rdex-csop:4:2": 1,
        "*:g2006/G04:2-3": 4,
        "cl-srde": 12,
        "*:*:1": 8,
    }.items():
        assert len(only_of(keys, [word])) == count, word
    assert len(only_of(keys, ["rdex-csop:4:2", "rdex-csop:G04:*"])) == 3
    with pytest.raises(ValueError, match="means no run"):
        only_of(keys, ["rdex-csop:G05:1"])
    with pytest.raises(ValueError, match="the run must be"):
        only_of(keys, ["*:*:first"])


def test_toml(tmp_path):
    (tmp_path / "mine.py").write_text("def solve(problem, budget, rng): pass")
    file = tmp_path / "plan.toml"
    file.write_text(
        'algorithms = ["rdex", "mine.py:solve", {name = "big", base = "rdex", n0 = 600}]\n'
        'suite = "g2006"\nproblems = [1, "G03"]\nruns = 2\nmaxfev = "1000D"\nout = "here"\n'
    )
    words = read_toml(file)
    assert words.pop("out") == "here"
    plan = Plan.of(**words)
    assert plan.names == ("rdex", "solve", "big")
    assert [problem[2] for problem in plan.problems] == [13000, 10000]
    file.write_text("seed = 3")
    with pytest.raises(ValueError, match="unknown word 'seed'"):
        read_toml(file)
    file.write_text("runs = = 3")
    with pytest.raises(ValueError, match=r"plan\.toml"):
        read_toml(file)


def test_every_part_of_a_key_decides_the_seed():
    key = RunKey("a", "cec2017/C07/d30/2017/official", 30, 600, 1, 2000, 0)
    others = [
        key._replace(algorithm="b"),
        key._replace(problem_id="cec2017/C08/d30/2017/official"),
        key._replace(problem_id="cec2017/C07/d30/2024/official"),
        key._replace(problem_id="cec2017/C07/d30/2017/1"),
        key._replace(problem_id="cec2018/C07/d30/2017/official"),
        key._replace(dim=10),
        key._replace(maxfev=601),
        key._replace(run=2),
        key._replace(rng=1),
    ]
    words = {tuple(each.seed().generate_state(4).tolist()) for each in (key, *others)}
    assert len(words) == 10
    same = key._replace(checkpoints=10).seed()  # records do not change a run
    assert np.array_equal(same.generate_state(4), key.seed().generate_state(4))


def test_seeds_are_the_same_in_every_process():
    key = RunKey("rdex-csop", "cec2017/C07/d30/2017/official", 30, 600000, 3)
    code = f"from rdex.store import RunKey; print({key!r}.seed().generate_state(4).tolist())"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={"PYTHONHASHSEED": "12345"},
    ).stdout  # fmt: skip
    # A recorded value: a change would make every published campaign unrepeatable.
    assert shown.strip() == str([2404756177, 1505961445, 2314094495, 3978748675])
