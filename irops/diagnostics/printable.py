"""Text that media may show: a type for each medium, and the escape that makes it of any text.

A plain str counts as text of a file, which may hold line ends, terminal control codes and markup; no sink
takes it. At run time all these types are str. mypy separates them with tests/house/escaped_text.py, which
gives an f-string, a join or a sum of escaped text, numbers and literals the type of its parts; see
docs/decisions/0019-types-of-escaped-text.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:

    class Printable(str):
        """Text for terminals and logs, whose only control characters are line ends and tabs of irops' own."""

    class Markup(str):
        """HTML, SVG, MathML or other XML."""

    class Markdown(Printable):
        """Markdown, in which text of others is neither markup nor a cell of a table."""

    class Cells(str):
        """Rows of CSV, of which a spreadsheet computes none."""

    class Dot(str):
        """The language of Graphviz."""

    class Json(Printable):
        """JSON, and the formats that are made of it: SARIF, GitLab, traces, graphs of Model Explorer."""

    class Commands(str):
        """Commands of a CI service, one a line."""

    class Code(str):
        """Code of a shell or of Python."""

    class OwnText(Json, Markdown, Markup, Cells, Dot, Commands, Code):
        """Text of irops' own, written for the medium that it is put into."""

else:
    Printable = Markup = Markdown = Cells = Dot = Json = Commands = Code = OwnText = str

Escaped: TypeAlias = "Printable | Markup | Cells | Dot | Commands | Code"
"""What may be written to a stream or a file."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_LOG_COMMAND = re.compile(r"#(?=#\w*\[)")
"""The beginning of ##[error], ##vso[…] and ##teamcity[…], which CI services execute anywhere in a line."""


_MARKS = re.compile(r"[\\`*_\[\]<>|#]")
_FORMULA = ("=", "+", "-", "@")
"""What spreadsheets take for the beginning of a formula, control characters apart."""


def literal(text: str) -> OwnText:
    """A text that stands in the source; mypy refuses any other."""
    return OwnText(text)


def printable(text: str) -> Printable:
    """The text on one line, with control characters escaped as in Python source."""
    text = _CONTROL.sub(_escaped, text)
    return Printable(_LOG_COMMAND.sub(r"\\x23", text) if "##" in text else text)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    return _NAMED.get(character) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def in_html(text: str) -> Markup:
    """The text on one line, escaped for HTML, SVG and quoted attributes."""
    text = escape(_CONTROL.sub(_escaped, text))
    return Markup(_LOG_COMMAND.sub("&#35;", text) if "##" in text else text)


def in_markdown(text: str) -> Markdown:
    """The text on one line, without meaning as Markdown."""
    return Markdown(_MARKS.sub(r"\\\g<0>", printable(text)))


def code_in_markdown(text: str) -> Markdown:
    """The text on one line, as code within a paragraph."""
    shown = printable(text).replace("`", "'")
    return Markdown(f"`{shown}`" if shown else "` `")


def in_dot(text: str) -> Dot:
    """The text on one line, escaped for a string in double quotes."""
    return Dot(printable(text).replace("\\", "\\\\").replace('"', '\\"'))


def in_command(text: str) -> Commands:
    """The text, with its line ends, escaped for a command of GitHub."""
    lines = "\n".join("\r".join(map(printable, line.split("\r"))) for line in text.split("\n"))
    return Commands(lines.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def as_property(text: Commands) -> Commands:
    """The same within a property of a command."""
    return Commands(text.replace(":", "%3A").replace(",", "%2C"))


def in_cells(row: Iterable[object]) -> Cells:
    """A row of CSV, with its line end. A text that begins like a formula gets a quotation mark before it."""
    import csv
    from io import StringIO

    out = StringIO()
    csv.writer(out, lineterminator="\n").writerow(map(_cell, row))
    return Cells(out.getvalue())


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def own_file(package: OwnText, name: OwnText) -> Markup:
    """A file of irops that is a part of a page: a style, a script, or HTML."""
    from importlib.resources import files

    return Markup((files(package) / name).read_text(encoding="utf-8"))


def in_json(value: object, *, indent: int | None = None, compact: bool = False) -> Json:
    """A value as JSON in ASCII, on one line unless an indent is given. Raises: TypeError"""
    import json

    text = json.dumps(value, indent=indent, separators=(",", ":") if compact else None)
    return Json(_LOG_COMMAND.sub(r"\\u0023", text) if "##" in text else text)


def json_text(content: object, *, indent: int = 2) -> Json:
    """A document of JSON, which ends with a line end. Raises: TypeError"""
    return Json(f"{in_json(content, indent=indent)}\n")


def json_in_html(content: object) -> Markup:
    """JSON for a script element, which it cannot end, as text that a page may show."""
    import json

    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


MAX_NAME = 200
"""The greatest number of characters of a name that is printed: a name in a file may be of any length."""


def printable_lines(text: str) -> Printable:
    """The same for text of many lines, whose line ends and tabs are kept."""
    return "".join(
        "\t".join(map(printable, line.removesuffix("\r").split("\t"))) + "\r" * line.endswith("\r") + "\n"
        for line in text.split("\n")[:-1]
    )


def shortened(text: str, width: int = 60) -> Printable:
    """The text on one line of at most width characters, cut off with an ellipsis."""
    line = printable(text[: width + 1])
    return line if len(line) <= width else f"{line[: width - 1]}…"


def abridged(text: str, width: int) -> str:
    """The text, of at most width characters: the middle of a longer one is replaced by an ellipsis.

    Characters are not escaped: what prints the text does that.
    """
    if len(text) <= width:
        return text
    end = width // 4
    return f"{text[: width - end - 1]}…{text[len(text) - end :]}"


def shown(name: str) -> Printable:
    """A name from a file as tables show it: on one line, and not longer than MAX_NAME."""
    return printable(abridged(name, MAX_NAME))


def plural(count: int, word: OwnText) -> OwnText:
    """A count with its noun: 1 error, 2 errors."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, which are separated by blank lines, each joined to one line."""
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


MAX_ROWS = 100
"""Further rows are counted, not shown."""
MAX_CELL = 400
"""Longer texts are cut off."""
# The class is named twice, so that these rules precede those of notebooks, which align cells to the right.
_STYLE = literal("""<style>
.irops-table { border-collapse: collapse; font: 13px/1.4 system-ui, sans-serif; margin: 4px 0; }
.irops-table.irops-table caption { text-align: left; font-weight: 600; padding: 4px 0; white-space: nowrap; }
.irops-table.irops-table td, .irops-table.irops-table th {
  padding: 2px 12px 2px 0; text-align: left; vertical-align: top; border-bottom: 1px solid #8884;
}
</style>""")


def html_table(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> Markup:
    """A table with a caption; all texts are escaped, and rows and texts are bounded."""
    shown: list[Sequence[object]] = []
    more = 0
    for row in rows:
        if len(shown) < MAX_ROWS:
            shown.append(row)
        else:
            more += 1
    titles: Markup = (
        f"<tr>{''.join(f'<th>{in_html(title)}</th>' for title in head)}</tr>"
        if any(head) and shown
        else literal("")
    )
    body = "".join(f"<tr>{''.join(f'<td>{_table_cell(cell)}</td>' for cell in row)}</tr>" for row in shown)
    rest: Markup = f'<tr><td colspan="{len(head)}">and {more} more</td></tr>' if more else literal("")
    top = f'{_STYLE}<table class="irops-table"><caption>{_table_cell(caption)}</caption>'
    return f"{top}{titles}{body}{rest}</table>"


def _table_cell(value: object) -> Markup:
    text = str(value)
    text = text if len(text) <= MAX_CELL else f"{text[: MAX_CELL - 1]}…"
    return in_html(text)
