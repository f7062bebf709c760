"""What the hooks of mkdocs make of formulas and of tables read from files."""

from types import SimpleNamespace

import pytest

pytest.importorskip("latex2mathml")

import docs_math
import docs_tables


def test_formulas_become_mathml():
    page = r'<span class="arithmatex">\(a &lt; b\)</span><div class="arithmatex">\[x^2\]</div>'
    made = docs_math.on_page_content(page)
    assert made.count("<math") == 2 and "arithmatex" not in made
    assert 'display="inline"' in made and 'display="block"' in made
    assert "&#x0003C;" in made  # the sign, not the letters of its escape


def test_thousands_stay_on_one_line_except_in_code():
    made = docs_math.on_page_content("<p>20 000 of 5 runs, 1 234 567</p><pre>20 000</pre>")
    gap = "\N{NARROW NO-BREAK SPACE}"
    assert made == f"<p>20{gap}000 of 5 runs, 1{gap}234{gap}567</p><pre>20 000</pre>"


@pytest.fixture
def config(tmp_path):
    (tmp_path / "a.csv").write_text("name,x,y\none|two,0.123456,\nthree,12345.0,7\n", "utf-8")
    return SimpleNamespace(docs_dir=str(tmp_path))


def test_a_table_is_read_from_its_file(config):
    made = docs_tables.on_page_markdown('<!-- table: a.csv "All rows" -->', config=config)
    assert made == (
        '??? note "All rows"\n\n'
        "    | name | x | y |\n    | --- | ---: | ---: |\n"
        "    | one&#124;two | 0.1235 |  |\n    | three | 12345 | 7 |\n"
    )


def test_columns_can_be_chosen(config):
    made = docs_tables.on_page_markdown('<!-- table: a.csv "T" y,name -->', config=config)
    assert "| y | name |" in made and "0.1235" not in made


def test_a_column_that_is_not_there_is_an_error(config):
    with pytest.raises(ValueError, match="z"):
        docs_tables.on_page_markdown('<!-- table: a.csv "T" z -->', config=config)


def test_written_tables_are_made_again(config, tmp_path):
    page = "Text.\n\n<!-- from a.csv name=three: x,y -->\n| old |\n| --- |\n\nMore.\n"
    made = docs_tables.refreshed(page, tmp_path)
    assert made == (
        "Text.\n\n<!-- from a.csv name=three: x,y -->\n| x | y |\n| ---: | ---: |\n| 12345 | 7 |\n"
        "\nMore.\n"
    )
    assert docs_tables.refreshed(made, tmp_path) == made
    with pytest.raises(ValueError, match="no row"):
        docs_tables.refreshed(page.replace("three", "four"), tmp_path)
