"""Text and identifiers use the field's terms, not private idiom.

WORDS are searched in comments, docstrings and messages of irops and its tests, in definitions and in pages,
across line breaks; NAMES in the identifiers of irops, split at underscores and capitals. Both list only
idiom: ordinary technical uses, such as "a Dim holds an interval" or "at least 2", do not match.
"""

import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = sorted((ROOT / "irops").rglob("*.py"))
TESTS = sorted(p for p in (ROOT / "tests").rglob("*.py") if p.name != Path(__file__).name)
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CHANGELOG.md"]
DEFINITIONS = sorted((ROOT / "schemas").rglob("*.xml"))
TEXTS = (tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))

WORDS = {
    r"told|tell|tells|telling": "report, print, describe",
    r"held\s+to|hold(s|ing)?\s+(it|them|this|that|each|all|its|their|the|a|an|what|\w+s)(\s+\w+){0,3}?"
    r"\s+to\s+"
    r"(the|its|a|an|what|their|it|them)": "validate, check against",
    r"heard": "warning",
    r"remark|remarks|remarked": "warning, note",
    r"advise|advises|advised": "warn",
    r"maimed": "partially read",
    r"mend|mends|mended|mending": "fix",
    r"put\s+right|puts\s+right|put\s+(it|them|this)\s+right": "fix",
    r"settle|settles|settled|settling": "force, static",
    r"knot|knots": "cycle",
    r"echoes": "cascading findings",
    r"promising": "may have a value",
    r"labour|so\s+many\s+times": "cost, number of times",
    r"(the\s+)?way\s+(forward|back)": "forward pass, backward pass",
    r"no\s+way\s+leads|a\s+way\s+leads": "path",
    r"crowded": "multiple producers",
    r"unfed": "unconnected",
    r"(cannot|can|could|may)\s+be\s+said": "not representable; nothing is known",
    r"without\s+a\s+word": "silently",
    r"one's\s+own|of\s+your\s+own": "custom, user-defined",
    r"lest": "so that … not",
    r"let\s+be": "accept",
    r"by\s+right": "declared",
    r"takes?\s+no\s+\w+\s+as": "does not accept … for input …",
    r"work(s|ed)?\s+out|working\s+out": "compute",
}
"""Each pattern, and the terms to use instead. Matched as whole words, without regard to case."""

NAMES = {
    "told", "tell", "tells", "telling", "untold", "heard", "remark", "remarks", "advise", "maimed", "mend",
    "mended", "settle", "settled", "knot", "knots", "echo", "echoes", "promising", "labour", "crowded",
    "unfed", "lest",
}  # fmt: skip
"""Words that occur in no identifier."""

BARE_NAMES = {"spread", "least", "taken", "said", "hold", "held"}
"""Words that are not an identifier on their own; `at_least` and `min_held_bytes` are fine."""

ALLOWED = {"irops/cli": {"echo"}}
"""Names that are terms of the field in a folder: echo of a terminal."""

_PATTERNS = {re.compile(rf"\b(?:{words})\b", re.IGNORECASE): instead for words, instead in WORDS.items()}
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def offences_in_text(path: Path, text: str, first_line: int = 1) -> Iterator[str]:
    for pattern, instead in _PATTERNS.items():
        for match in pattern.finditer(text):
            line = first_line + text.count("\n", 0, match.start())
            phrase = " ".join(match[0].split())
            yield f"{path.relative_to(ROOT)}:{line}: {phrase!r}, use: {instead}"


def offences_in_module(path: Path) -> Iterator[str]:
    comments: list[tuple[int, str]] = []
    allowed = {name for folder, names in ALLOWED.items() if folder in path.as_posix() for name in names}
    for token in _tokens(path):
        if token.type == tokenize.NAME:
            words = {part.lower() for part in _PARTS.findall(token.string)}
            if (words & NAMES | {token.string.lower()} & BARE_NAMES) - allowed:
                yield f"{path.relative_to(ROOT)}:{token.start[0]}: the name {token.string!r}"
        elif token.type in TEXTS:
            comments.append((token.start[0], token.string))
    for line, text in _joined(comments):
        yield from offences_in_text(path, text, line)


def _tokens(path: Path) -> Iterator[tokenize.TokenInfo]:
    with path.open("rb") as file:
        yield from tokenize.tokenize(file.readline)


def _joined(comments: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The texts, with those on consecutive lines joined, since phrases run across lines."""
    start, text = 0, ""
    for line, piece in comments:
        last = start + text.count("\n")
        if text and line in (last, last + 1):
            text += ("\n" if line > last else " ") + piece.lstrip("# \"'f(")
        else:
            if text:
                yield start, text
            start, text = line, piece
    if text:
        yield start, text


@pytest.mark.parametrize("package", sorted({p.relative_to(ROOT).parts[1] for p in PYTHON}))
def test_code_uses_the_terms_of_the_field(package: str) -> None:
    modules = [p for p in PYTHON if p.relative_to(ROOT).parts[1] == package]
    offences = [offence for path in modules for offence in dict.fromkeys(offences_in_module(path))]
    assert not offences, "\n".join(("", *offences))


@pytest.mark.parametrize("part", sorted({path.relative_to(ROOT).parts[1] for path in TESTS}))
def test_tests_use_the_terms_of_the_field(part: str) -> None:
    offences: list[str] = []
    for path in [path for path in TESTS if path.relative_to(ROOT).parts[1] == part]:
        comments = [token for token in _tokens(path) if token.type in TEXTS]
        joined = _joined([(token.start[0], token.string) for token in comments])
        offences += [offence for line, text in joined for offence in offences_in_text(path, text, line)]
    assert not offences, "\n".join(("", *offences))


def test_pages_use_the_terms_of_the_field() -> None:
    offences = [offence for path in PAGES for offence in offences_in_text(path, path.read_text())]
    assert not offences, "\n".join(("", *offences))


@pytest.mark.parametrize("folder", sorted({p.parent for p in DEFINITIONS}), ids=lambda folder: folder.name)
def test_definitions_use_the_terms_of_the_field(folder: Path) -> None:
    offences = [o for p in DEFINITIONS if p.parent == folder for o in offences_in_text(p, p.read_text())]
    assert not offences, "\n".join(("", *offences))


@pytest.mark.parametrize(
    ("is_idiom", "text"),
    [
        (True, "OpenVINO drops it without\na word"),
        (True, "the results are held to the reference"),
        (True, "What is told twice"),
        (True, "an op of one's own"),
        (True, "hold the results to the reference"),
        (True, "it cannot be said in ONNX"),
        (True, "takes no f32 as axis"),
        (False, "a Dim holds an interval"),
        (False, "at least 2 inputs"),
        (False, "the lock is held by the writer"),
        (False, "the axis to which the value is broadcast holds zeros"),
        (False, "the intellectual"),
        (False, "the forward pass and the backward pass"),
    ],
)
def test_idiom_is_found_and_ordinary_uses_are_fine(is_idiom: bool, text: str) -> None:
    assert bool(list(offences_in_text(ROOT / "README.md", text))) is is_idiom


def test_docstrings_begin_with_what_they_describe() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in PYTHON
        for number, line in enumerate(path.read_text("utf-8").split("\n"), 1)
        if line.lstrip().startswith('"""What ')
    ]
    assert wrong == []
