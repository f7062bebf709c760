"""The organisers' data files: found, downloaded, checked, read.

They are looked for in an explicit folder or zip, then where RDEX_CEC2017_DATA points, then in the
user's cache; only then the organisers' zip, pinned by its sha256, is downloaded into that cache.
A place that was named is the only one tried.

Every file is checked by the sha256 of its *numbers* (little-endian float64, in file order), listed
in official_sha256.txt: line endings and spacing do not matter, a changed or missing digit does.
"""

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path, PurePosixPath
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from rdex.common.extras import MissingExtraError, require
from rdex.common.files import atomic_write
from rdex.common.folders import cache_folder

ENVIRONMENT = "RDEX_CEC2017_DATA"
REPOSITORY = "P-N-Suganthan/CEC2017"
COMMIT = "a8426383a5afd171ca0474d02c9eb030518e0344"
ARCHIVE = "CEC2017-Constr-C++Sept 2024.zip"
ARCHIVE_SHA256 = "b76a7f4ba0bcf8aedd56dd8c1843cda6d47528e190bc0b3159e83930b252c468"

#: The folder of the text files inside the archive.
INNER_FOLDER = "inputData"

#: The largest file has 250 kB; a "data file" far above that is not read into memory.
MAX_BYTES = 1_000_000


def archive_url() -> str:
    """Where the organisers' zip is, at the pinned commit."""
    return f"https://raw.githubusercontent.com/{REPOSITORY}/{COMMIT}/{quote(ARCHIVE, safe='+')}"


def data_folder() -> Path:
    """The user's cache of the text files."""
    return cache_folder() / "cec2017"


@cache
def checksums() -> dict[str, str]:
    """sha256 of the numbers of every file the suite reads, by name."""
    text = resources.files(__package__).joinpath("official_sha256.txt").read_text("ascii")
    pairs = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return {name: digest for digest, name in pairs}


def source_of(names: Iterable[str], data: str | os.PathLike[str] | None = None) -> Path:
    """The folder or zip to read `names` from, downloading them only if no place has them."""
    if data is not None:
        return _named_source(data, "data=")
    if os.environ.get(ENVIRONMENT):
        return _named_source(os.environ[ENVIRONMENT], ENVIRONMENT)
    folder = data_folder()
    if not all((folder / name).is_file() for name in names):
        download(folder)
    return folder


def _named_source(place: str | os.PathLike[str], label: str) -> Path:
    """The absolute path of a folder or zip that exists."""
    path = Path(place).expanduser().absolute()
    if not path.exists():
        raise FileNotFoundError(f"{label}: there is no folder or zip {str(path)!r}")
    return path


@lru_cache(maxsize=256)
def read_numbers(source: Path, name: str, count: int) -> NDArray[np.float64]:
    """The numbers of one data file, read-only, checked against the organisers'."""
    values = checked_numbers(read_file(source, name), f"{source / name}", name, count)
    values.setflags(write=False)
    return values


def read_file(source: Path, name: str) -> bytes:
    """The bytes of one data file of a folder or zip."""
    return _read_from_folder(source, name) if source.is_dir() else _read_from_zip(source, name)


def _read_from_folder(folder: Path, name: str) -> bytes:
    for path in (folder / name, folder / INNER_FOLDER / name):
        if path.is_file():
            if path.stat().st_size > MAX_BYTES:
                raise ValueError(f"{path}: larger than any file of the suite ({MAX_BYTES} bytes)")
            return path.read_bytes()
    raise FileNotFoundError(f"{folder}: no file {name} there or in {INNER_FOLDER}/")


def _read_from_zip(path: Path, name: str) -> bytes:
    """A member is found by the last part of its name and read, never extracted to its path."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = [m for m in archive.infolist() if PurePosixPath(m.filename).name == name]
            if not found:
                raise FileNotFoundError(f"{path}: no file {name} in this zip")
            found.sort(
                key=lambda member: PurePosixPath(member.filename).parent.name != INNER_FOLDER
            )
            if found[0].file_size > MAX_BYTES:
                raise ValueError(
                    f"{path}: {name} is larger than any file of the suite ({MAX_BYTES} bytes)"
                )
            return archive.read(found[0])
    except (zipfile.BadZipFile, EOFError) as error:
        raise ValueError(f"{path}: expected a folder or a sound zip file: {error}") from error


def checked_numbers(content: bytes, where: str, name: str, count: int) -> NDArray[np.float64]:
    """The numbers in a file's bytes, or a ValueError saying how they are not the organisers'."""
    try:
        values = np.array(content.split(), dtype=np.float64)
    except ValueError as error:
        raise ValueError(f"{where}: expected numbers separated by white space: {error}") from error
    if values.size != count:
        raise ValueError(
            f"{where}: expected {count} numbers, got {values.size}: truncated or altered"
        )
    expected = checksums()[name]
    received = hashlib.sha256(values.astype("<f8").tobytes()).hexdigest()
    if received != expected:
        raise ValueError(
            f"{where}: the numbers are not the organisers': "
            f"expected sha256 {expected}, got {received}: the file is altered"
        )
    return values


def count_of(name: str) -> int:
    """How many numbers the file of that name holds."""
    if name.startswith("shift"):
        return 100
    dim = int(name.removesuffix(".txt").rpartition("_D")[2])
    return dim * dim


def download(folder: Path) -> None:
    """Put the organisers' text files, and nothing else of their zip, into `folder`."""
    try:
        pooch = require("pooch", "bench")
        folder.mkdir(parents=True, exist_ok=True)
        # The zip lives only as long as it is read.
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            archive = pooch.retrieve(
                archive_url(), f"sha256:{ARCHIVE_SHA256}", fname="cec2017.zip", path=temporary
            )
            keep_data_files(Path(archive), folder)
    except (OSError, ValueError, MissingExtraError) as error:
        raise FileNotFoundError(no_data_message(folder, error)) from error


def keep_data_files(archive: Path, folder: Path) -> None:
    """Write every checked data file of a zip into `folder`, under the names we know."""
    for name in checksums():
        content = read_file(archive, name)
        checked_numbers(content, f"{archive}: {name}", name, count_of(name))
        with atomic_write(folder / name) as stream:
            stream.write(content)


def no_data_message(folder: Path, cause: Exception) -> str:
    """The ways to the official data, and the way without them."""
    return (
        "the official data of CEC 2017 are not here and could not be downloaded "
        f"({type(cause).__name__}: {cause}). Provide the organisers' text files, or their zip "
        f"{ARCHIVE!r} from the repository {REPOSITORY}, in one of three ways: pass the folder or "
        f"zip as data=; set the environment variable {ENVIRONMENT} to it; or put the text files "
        f"into {str(folder)!r}. A generated instance, such as instance=1, is another problem but "
        "needs no files."
    )
