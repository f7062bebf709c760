"""The organisers' data files: where they are looked for, and what is refused."""

import hashlib
import shutil
import zipfile

import numpy as np
import pytest

from rdex.common import extras
from rdex.suites import cec2017
from rdex.suites.cec2017 import official
from rdex.suites.cec2017.instance import official_files, official_instance


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path):
    """No data in the environment or in the cache, and none remembered."""
    monkeypatch.delenv(official.ENVIRONMENT, raising=False)
    monkeypatch.setattr(official, "data_folder", lambda: tmp_path / "cache" / "cec2017")
    official.read_numbers.cache_clear()
    yield
    official.read_numbers.cache_clear()


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """Files for all problems with made-up numbers, and their checksums."""
    folder = tmp_path_factory.mktemp("written")
    sums = {}
    rng = np.random.default_rng(7)
    for name in official.checksums():
        values = rng.normal(size=official.count_of(name))
        (folder / name).write_text("  ".join(f"{value:.16e}" for value in values))
        sums[name] = hashlib.sha256(values.astype("<f8").tobytes()).hexdigest()
    return folder, sums


@pytest.fixture
def made_up(monkeypatch, tmp_path, written):
    """A folder of made-up files that are taken for the official ones."""
    folder, sums = written
    monkeypatch.setattr(official, "checksums", lambda: sums)
    return shutil.copytree(folder, tmp_path / "made_up")


@pytest.fixture
def offline(monkeypatch):
    """Every download fails; returns the list of addresses that were tried."""
    pooch = pytest.importorskip("pooch")
    tried = []

    def retrieve(url, *args, **kwargs):
        tried.append(url)
        raise ConnectionError("no route to host")

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    return tried


def zip_of(folder, path, prefix="inputData/"):
    """A zip with the files of a folder under `prefix`."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("source/main.cpp", "int main() { return 0; }")
        for file in sorted(folder.iterdir()):
            archive.write(file, prefix + file.name)
    return path


def read_c05(data=None):
    return official_instance(5, 10, data)


def test_folder_zip_and_environment_give_the_same(made_up, tmp_path, monkeypatch):
    expected = read_c05(made_up)
    assert expected.shift.shape == (10,)
    assert [matrix.shape for matrix in expected.matrices] == [(10, 10)] * 2
    values = np.array((made_up / "M2_5_D10.txt").read_text().split(), dtype=float)
    np.testing.assert_array_equal(expected.matrices[1].ravel(), values)

    outer = tmp_path / "outer"
    outer.mkdir()
    shutil.copytree(made_up, outer / "inputData")
    flat = zip_of(made_up, tmp_path / "flat.zip", "")
    deep = zip_of(made_up, tmp_path / "deep.zip", "CEC2017/inputData/")
    for place in (outer, flat, deep, str(deep)):
        np.testing.assert_array_equal(read_c05(place).flat(), expected.flat())
    monkeypatch.setenv(official.ENVIRONMENT, str(deep))
    np.testing.assert_array_equal(read_c05().flat(), expected.flat())


def test_explicit_place_comes_before_the_environment(made_up, tmp_path, monkeypatch):
    monkeypatch.setenv(official.ENVIRONMENT, str(tmp_path / "nowhere"))
    assert read_c05(made_up).shift.size == 10
    with pytest.raises(FileNotFoundError, match="RDEX_CEC2017_DATA: there is no folder or zip"):
        read_c05()


def test_cache_is_read_without_download(made_up, offline):
    shutil.copytree(made_up, official.data_folder())
    np.testing.assert_array_equal(read_c05().flat(), read_c05(made_up).flat())
    assert offline == []


def test_flat_data_are_shift_and_transposed_matrices(made_up):
    instance = read_c05(made_up)
    flat = instance.flat()
    np.testing.assert_array_equal(flat[:10], instance.shift)
    np.testing.assert_array_equal(flat[10:110].reshape(10, 10).T, instance.matrices[0])
    np.testing.assert_array_equal(flat[110:].reshape(10, 10).T, instance.matrices[1])
    assert flat.flags.writeable  # compiled signatures do not take read-only arrays
    assert not instance.shift.flags.writeable


def test_line_endings_and_spacing_do_not_matter(made_up):
    expected = read_c05(made_up).flat()
    official.read_numbers.cache_clear()
    path = made_up / "M1_5_D10.txt"
    path.write_bytes(b"\r\n".join(path.read_bytes().split()) + b"\r\n\r\n")
    np.testing.assert_array_equal(read_c05(made_up).flat(), expected)


def test_no_network_names_every_way(offline):
    with pytest.raises(FileNotFoundError) as caught:
        cec2017.problem(5, 10, instance="official")
    message = str(caught.value)
    for words in ("data=", "RDEX_CEC2017_DATA", str(official.data_folder()), "instance=1"):
        assert words in message
    assert "no route to host" in message
    assert offline == [official.archive_url()]
    assert list(official.data_folder().iterdir()) == []


def test_missing_downloader_names_every_way(monkeypatch):
    def require(module, extra):
        raise extras.MissingExtraError(f"this needs {module}")

    monkeypatch.setattr(official, "require", require)
    with pytest.raises(FileNotFoundError, match=r"this needs pooch.*data=.*instance=1"):
        read_c05()


def test_download_keeps_the_data_files_only(made_up, tmp_path, monkeypatch):
    pooch = pytest.importorskip("pooch")
    archive = zip_of(made_up, tmp_path / "organisers.zip")
    asked = {}

    def retrieve(url, known_hash, fname, path):
        asked.update(url=url, known_hash=known_hash)
        return shutil.copy(archive, f"{path}/{fname}")

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    np.testing.assert_array_equal(read_c05().flat(), read_c05(made_up).flat())
    kept = {path.name for path in official.data_folder().iterdir()}
    assert kept == set(official.checksums())
    assert asked["known_hash"] == (
        "sha256:b76a7f4ba0bcf8aedd56dd8c1843cda6d47528e190bc0b3159e83930b252c468"
    )
    assert asked["url"] == (
        "https://raw.githubusercontent.com/P-N-Suganthan/CEC2017/"
        "a8426383a5afd171ca0474d02c9eb030518e0344/CEC2017-Constr-C++Sept%202024.zip"
    )


@pytest.mark.parametrize("prefix", ["../../", "/", "../inputData/", "C:\\evil\\"])
def test_zip_cannot_write_outside_its_target(made_up, tmp_path, prefix):
    """Member names with ways out of the folder are never used as paths."""
    archive = tmp_path / "hostile.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name in official.checksums():
            file.writestr(prefix + name, (made_up / name).read_bytes())
        file.writestr(prefix + "evil.txt", "1 2 3")
    target = tmp_path / "a" / "b" / "target"
    target.mkdir(parents=True)
    before = {path for path in tmp_path.rglob("*")}
    if prefix.endswith("\\"):
        with pytest.raises(FileNotFoundError, match="no file"):
            official.keep_data_files(archive, target)
    else:
        official.keep_data_files(archive, target)
        assert {path.name for path in target.iterdir()} == set(official.checksums())
    outside = {path for path in tmp_path.rglob("*") if target not in path.parents}
    assert outside == before


def test_truncated_file_is_refused(made_up):
    path = made_up / "M1_5_D10.txt"
    path.write_text(" ".join(path.read_text().split()[:57]))
    with pytest.raises(ValueError, match=r"M1_5_D10\.txt: expected 100 numbers, got 57"):
        read_c05(made_up)


def test_altered_digit_is_refused(made_up):
    path = made_up / "shift_data_5.txt"
    text = path.read_text()
    digit = text[10]
    path.write_text(text[:10] + ("3" if digit != "3" else "4") + text[11:])
    with pytest.raises(ValueError, match=r"shift_data_5\.txt: the numbers are not the organisers'"):
        read_c05(made_up)


def test_text_that_is_no_number_is_refused(made_up):
    (made_up / "shift_data_5.txt").write_text("<html>404: not found</html>")
    with pytest.raises(ValueError, match="expected numbers separated by white space"):
        read_c05(made_up)


def test_missing_file_is_named(made_up, tmp_path):
    (made_up / "M2_5_D10.txt").unlink()
    with pytest.raises(FileNotFoundError, match=r"no file M2_5_D10\.txt"):
        read_c05(made_up)
    with pytest.raises(FileNotFoundError, match=r"no file M2_5_D10\.txt in this zip"):
        read_c05(zip_of(made_up, tmp_path / "short.zip"))
    with pytest.raises(FileNotFoundError, match="data=: there is no folder or zip"):
        read_c05(tmp_path / "nowhere")


def test_damaged_zip_is_refused(made_up, tmp_path):
    path = zip_of(made_up, tmp_path / "damaged.zip")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(ValueError, match=r"damaged\.zip: expected a folder or a sound zip"):
        read_c05(path)


@pytest.mark.parametrize("as_zip", [False, True])
def test_huge_file_is_refused_unread(made_up, tmp_path, as_zip):
    (made_up / "shift_data_5.txt").write_bytes(b"0 " * official.MAX_BYTES)
    place = zip_of(made_up, tmp_path / "huge.zip") if as_zip else made_up
    with pytest.raises(ValueError, match="larger than any file of the suite"):
        read_c05(place)


def test_every_file_of_the_suite_has_a_checksum(reference_dir):
    """The table is complete, and the organisers' files of the reference folder meet it."""
    needed = {
        name
        for number in cec2017.NUMBERS
        for dim in cec2017.DIMENSIONS
        for name in official_files(number, dim)
    }
    assert needed == set(official.checksums())
    for name in needed:
        official.read_numbers(reference_dir / "cec2017_official", name, official.count_of(name))
    problem = cec2017.problem(7, 30, instance="official", data=reference_dir / "cec2017_official")
    assert problem.id == "cec2017/C07/d30/2017/official"
    assert problem.info["instance"] == "official"
