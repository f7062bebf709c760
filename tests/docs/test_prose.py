"""The prose of the documentation: short sentences, modern words."""

import ast
import re
from pathlib import Path

import pytest
import yaml

PROJECT = Path(__file__).resolve().parents[2]
DOCS = PROJECT / "docs"

#: Pages made of docstrings and command help.
GENERATED = "reference"

#: Parts of the navigation whose pages lead the reader by the hand.
BY_THE_HAND = ("Get started", "How-to", "Gallery")


def leaves(part):
    """The pages of a part of the navigation."""
    if isinstance(part, str):
        return [part]
    inner = part.values() if isinstance(part, dict) else part
    return [page for each in inner for page in leaves(each)]


def how_to_pages():
    """Pages that answer one question each, as the navigation lists them."""
    site = yaml.safe_load((PROJECT / "mkdocs.yml").read_text(encoding="utf-8"))
    parts = {title: part for each in site["nav"] for title, part in each.items()}
    pages = [page for title in BY_THE_HAND for page in leaves(parts[title])]
    return [page for page in pages if page != "promises.md"]  # a list of promises


HOW_TO = how_to_pages()

PAGES = [
    PROJECT / "README.md",
    PROJECT / "CONTRIBUTING.md",
    *(path for path in sorted(DOCS.rglob("*.md")) if path.parent.name != GENERATED),
]
NAMES = [str(page.relative_to(PROJECT)) for page in PAGES]

LONGEST = 45
AVERAGE = 20

#: "20000 a variable", "one name a constraint", "once a generation": "per" is meant.
_UNITS = (
    "variable|constraint|core|run|runs|evaluation|second|minute|hour|problem|generation|worker|"
    "file|room|machine|process|piece|point|batch|checkpoint|row|cell|category|function|suite|page"
)
A_FOR_PER = re.compile(
    rf"\b(?:\d[\d ]*|one|two|three|once|twice|each)(?: (?!of|if|in|is|for|on|as|to|at)\w+)? an? "
    rf"(?:{_UNITS})\b(?! (?:of|that|with))",
    re.IGNORECASE,
)

#: Phrases of the old style.
OLD_FASHIONED = re.compile(
    r"\b(?:whoever|a plain word|a word about it|the bell rings|made room for|makes room for|"
    r"ebbs?|as it was seen|of one's own|some tens of|in the middle, )\b",
    re.IGNORECASE,
)


def prose(markdown):
    """Paragraphs and list items as plain text: no code, tables, headings, formulas or comments."""
    text = re.sub(r"```.*?\n```|<!--.*?-->|\$\$.*?\$\$", "\n\n", markdown, flags=re.DOTALL)
    text = re.sub(r"^(?:\||#|!\[|    |<|:::).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^ *(?:[-*]|\d+\.) ", "\n", text, flags=re.MULTILINE)  # items of lists
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`|\$[^$\n]*\$", "code", text)
    text = text.replace("**", "").replace("*", "")
    return [" ".join(each.split()) for each in re.split(r"\n\s*\n|\n(?=\n)", text) if each.strip()]


def sentences(paragraph):
    """A paragraph in sentences; abbreviations and decimals end none."""
    ends = re.split(r"(?<=[.!?:;])\s+(?=[\"(A-Z0-9code])", paragraph)
    joined = []
    for piece in ends:
        is_open = joined and re.search(r"(?:e\.g\.|i\.e\.|cf\.|vs\.|Eqs?\.|al\.|[;:])$", joined[-1])
        if is_open:
            joined[-1] += " " + piece
        else:
            joined.append(piece)
    return [each for each in joined if len(each.split()) >= 3]


def words(sentence):
    return [word for word in sentence.split() if re.search(r"\w", word)]


def found_sentences(text):
    return [each for paragraph in prose(text) for each in sentences(paragraph)]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_no_sentence_is_long(page):
    long = [
        f"{len(words(each))} words: {each}"
        for each in found_sentences(page.read_text(encoding="utf-8"))
        if len(words(each)) > LONGEST
    ]
    assert not long, "\n".join(long)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_per_is_written_per(page):
    text = " ".join(prose(page.read_text(encoding="utf-8")))
    found = [match[0] for match in A_FOR_PER.finditer(text)]
    assert not found, found


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_words_are_modern(page):
    found = OLD_FASHIONED.findall(" ".join(prose(page.read_text(encoding="utf-8"))))
    assert not found, found


@pytest.mark.parametrize("name", HOW_TO)
def test_sentences_of_how_to_pages_are_short(name):
    found = found_sentences((DOCS / name).read_text(encoding="utf-8"))
    average = sum(len(words(each)) for each in found) / len(found)
    assert average < AVERAGE, f"{average:.1f} words"


def docstrings(names=None):
    """Docstrings of public functions and classes, by file and name; of all, or of some names."""
    for path in sorted((PROJECT / "src" / "rdex").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                text = ast.get_docstring(node)
                if text and (names is None or node.name in names):
                    yield f"{path.relative_to(PROJECT)}: {node.name}", text


def documented_names():
    """What the reference shows."""
    pages = (DOCS / GENERATED).glob("*.md")
    return {
        name
        for page in pages
        for name in re.findall(r"^::: rdex\.\S*\.(\w+)$", page.read_text("utf-8"), re.M)
    }


def test_docstrings_write_per():
    wrong = [
        f"{where}: {match[0]}"
        for where, text in docstrings()
        for match in A_FOR_PER.finditer(" ".join(text.split()))
    ]
    assert not wrong, "\n".join(wrong)


def test_documented_names_have_short_sentences():
    names = documented_names()
    assert {"minimize", "Optimizer", "Result", "Problem", "Plan"} <= names
    wrong = [
        f"{where}: {each}"
        for where, text in docstrings(names)
        for paragraph in re.split(r"\n\s*\n|\n(?=\S[^\n]* : )|\n-{3,}\n|\n- ", text)
        for each in sentences(" ".join(paragraph.split()))
        if ">>>" not in each and len(words(each)) > LONGEST
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("text", "is_old"),
    [
        ("20000 a variable", True),
        ("20 000 evaluations a run", True),
        ("one name a constraint", True),
        ("one process a core", True),
        ("once a generation", True),
        ("5 runs a problem", True),
        ("20000 per variable", False),
        ("it is one of a problem's constraints", False),
        ("a run of a problem", False),
    ],
)
def test_the_pattern_itself(text, is_old):
    assert bool(A_FOR_PER.search(text)) == is_old


def test_sentences_are_counted_right():
    page = "# A heading\n\nOne two three. Four five six!\n\n- An item here\n- Another one there\n"
    page += "\n```x\nno no no\n```\n"
    assert found_sentences(page) == [
        "One two three.", "Four five six!", "An item here", "Another one there",
    ]  # fmt: skip
