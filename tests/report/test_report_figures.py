"""Printed figures: the font that their PDF files hold, and labels without mathematics."""

import re

import pytest
from made_up_trials import made_up

from rdex.report import fonts
from rdex.report.contents import Options, contents_of
from rdex.report.drawing import STYLE, new_figure, save
from rdex.report.figures import figures

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def forgotten_families():
    fonts.families.cache_clear()
    yield
    fonts.families.cache_clear()


def drawn(folder, words):
    """The PDF of a figure that shows the words."""
    with matplotlib.rc_context({**STYLE, "font.family": fonts.families()}):
        figure = new_figure(3, 1, layout="none")
        figure.text(0.1, 0.5, words)
        return save(figure, folder, "words")[0].read_bytes()


def test_a_cut_font_is_made_once_and_used(tmp_path, monkeypatch):
    monkeypatch.setenv("RDEX_CACHE_DIR", str(tmp_path / "cache"))
    assert fonts.families() == [fonts.CUT, fonts.WHOLE]
    (made,) = (tmp_path / "cache" / "fonts").iterdir()
    assert made.stat().st_size < 200_000
    before = made.stat().st_mtime_ns
    content = drawn(tmp_path, "Größe ε ≤ 10⁻³ → −1")
    assert b"/FontFile2" in content and b"/Type3" not in content
    fonts.families.cache_clear()
    fonts.families()
    assert made.stat().st_mtime_ns == before


def test_other_characters_come_from_the_whole_font(tmp_path, monkeypatch, recwarn):
    monkeypatch.setenv("RDEX_CACHE_DIR", str(tmp_path / "cache"))
    plain, more = drawn(tmp_path, "plain"), drawn(tmp_path, "plain and Жук")
    embedded = [len(re.findall(rb"/FontFile2", content)) for content in (plain, more)]
    assert embedded[1] > embedded[0] == 1
    assert not [each for each in recwarn if "Glyph" in str(each.message)]


def test_without_a_cache_the_whole_font_is_used(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("RDEX_CACHE_DIR", str(tmp_path / "file"))
    assert fonts.families() == [fonts.WHOLE]
    assert b"/FontFile2" in drawn(tmp_path, "plain")


def test_a_broken_font_file_is_no_error(tmp_path, monkeypatch):
    monkeypatch.setenv("RDEX_CACHE_DIR", str(tmp_path))
    path = fonts._cut_file()
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no font")
    assert fonts.families() == [fonts.WHOLE]


def test_no_figure_sets_mathematics(monkeypatch):
    from matplotlib import mathtext

    def refuse(self, text, *others, **more):
        raise AssertionError(f"mathematics: {text}")

    monkeypatch.setattr(mathtext.MathTextParser, "parse", refuse)
    with matplotlib.rc_context(STYLE):
        for _, figure in figures(contents_of(made_up(), Options())):
            figure.canvas.draw()
