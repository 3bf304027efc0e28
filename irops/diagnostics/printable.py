"""Escapes text from files for printing: layer names may contain line ends and terminal control codes."""

import re

MAX_NAME = 200
"""The greatest number of characters of a name that is printed: a name in a file may be of any length."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


_COMMAND = re.compile(r"^(\s*):(?=:)|#(?=#\w*\[)")
"""The start of a command to GitHub Actions (::error::), to it, Azure Pipelines or TeamCity (##vso[)."""


def printable(text: str) -> str:
    """The text on one line, with control characters escaped as in Python source, and what services that run
    programs would take for a command.
    """
    line = without_controls(text)
    if "::" not in line and "##" not in line:
        return line
    return _COMMAND.sub(lambda match: r"\x23" if match[1] is None else rf"{match[1]}\x3a", line)


def without_controls(text: str) -> str:
    """The text on one line, with control characters escaped."""
    return _CONTROL.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    return _NAMED.get(character) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def printable_lines(text: str) -> str:
    """The same for text of many lines, whose line ends and tabs are kept."""
    return "".join(
        "\t".join(map(printable, line.removesuffix("\r").split("\t"))) + "\r" * line.endswith("\r") + "\n"
        for line in text.split("\n")[:-1]
    )


def shortened(text: str, width: int = 60) -> str:
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


def shown(name: str) -> str:
    """A name from a file as tables show it: on one line, and not longer than MAX_NAME."""
    return printable(abridged(name, MAX_NAME))


def plural(count: int, word: str) -> str:
    """A count with its noun: 1 error, 2 errors."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, which are separated by blank lines, each joined to one line."""
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
