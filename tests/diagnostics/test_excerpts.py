"""The full format shows the line of the file with a caret under the column of a finding."""

from pathlib import Path

import pytest

import irops as package
from irops.cli.main import main
from irops.diagnostics import formats
from irops.diagnostics.diagnostic import Diagnostic, Location
from irops.diagnostics.report import Report
from irops.diagnostics.rules import rule
from irops.ir.locate import SourceText

RULES = Path(__file__).parents[2] / "irops/diagnostics/rules"


def shown(text: str | bytes, at: str | bytes) -> list[str]:
    """The lines of a finding at the first place of a word in a file."""
    data, word = (part.encode() if isinstance(part, str) else part for part in (text, at))
    place = SourceText("m.xml", data).location(data.index(word))
    lines = formats.render([Report((Diagnostic(rule("cycle"), "wrong", place),))], "full").splitlines()
    return lines[1:-1]


def test_the_line_is_shown_with_a_caret() -> None:
    expected = ['    2 | <layer id="7" name="a"/>', "      |               ^"]
    assert shown('<net>\n\t<layer id="7" name="a"/>\n</net>', "name") == expected


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_ends_at_any_line_end(end: str) -> None:
    assert shown(f"<a>{end}<b/>{end}</a>", "<b/>")[0] == "    2 | <b/>"


def test_a_long_line_is_cut_around_the_column() -> None:
    line, caret = shown(f"<a x='{'p' * 5000}' wrong='1' y='{'q' * 5000}'/>", "wrong")
    assert len(line) < 200
    assert line[caret.index("^") :].startswith("wrong='1'")
    assert line.endswith("…")
    assert "…ppp" in line


@pytest.mark.parametrize("name", ["ä", "漢字", "e\u0301", "🙂"])
def test_the_caret_is_below_the_column_on_a_terminal(name: str) -> None:
    line, caret = shown(f'<a n="{name}" wrong="1"/>', "wrong")
    width = {"ä": 1, "漢字": 4, "e\u0301": 1, "🙂": 2}[name]
    assert caret == "      | " + " " * (len('<a n="" ') + width) + "^"
    assert name in line


def test_a_line_cannot_write_to_the_terminal() -> None:
    line, caret = shown('<a n="\x1b[31m\u202e" wrong="1"/>', "wrong")
    assert "\x1b" not in line
    assert "\u202e" not in line
    assert line[caret.index("^") :].startswith("wrong")


def test_damaged_text_and_the_end_of_the_file_have_a_line() -> None:
    assert shown(b'<a n="\xff\xfe" wrong="1"/>', b"wrong")[0].endswith('wrong="1"/>')
    source = SourceText("m.xml", b"\xef\xbb\xbf<a>")
    assert source.location(3).excerpt == ("", "<a>")
    assert source.location(6).excerpt == ("<a>", "")


def test_equal_places_are_equal_whatever_they_show() -> None:
    assert Location("m", 1, 2, excerpt=("a", "b")) == Location("m", 1, 2)
    assert "excerpt" not in repr(Location("m", 1, 2, excerpt=("a", "b")))


@pytest.mark.parametrize("path", sorted(RULES.glob("IR[2345]*.xml")), ids=lambda path: path.stem)
def test_every_finding_points_at_what_its_column_is(path: Path) -> None:
    for diagnostic in package.check(path):
        where = diagnostic.location
        if where.line is None:
            continue
        line = path.read_bytes().decode("utf-8", "replace").splitlines()[where.line - 1]
        assert where.excerpt is not None
        head, tail = where.excerpt
        assert line[where.column - 1 :].startswith(tail.rstrip("…"))
        assert line[: where.column - 1].endswith(head.lstrip("…"))


def test_check_shows_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    broken = RULES / "IR401.xml"
    assert main(["check", str(broken)]) == 1
    lines = capsys.readouterr().out.splitlines()
    place = next(iter(package.check(broken))).location
    assert place.line is not None
    source = broken.read_text().splitlines()[place.line - 1].strip()
    assert lines[1].startswith(f"    {place.line} | {source[:40]}")
    assert lines[2].endswith("^")
    main(["check", str(broken), "--output-format", "concise"])
    assert "^" not in capsys.readouterr().out
