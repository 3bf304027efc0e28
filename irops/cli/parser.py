"""The parser of arguments: that of argparse, with suggestions for mistyped words, and help in colours.

Colours are added to finished lines, so the text and its width are the same with and without them.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from irops.cli.streams import uses_colour
from irops.diagnostics.printable import printable
from irops.diagnostics.suggestions import did_you_mean_word


class Written(argparse._StoreAction):
    """The action of an option that names a file or a folder to write: it must not be a URL."""


class Parser(argparse.ArgumentParser):
    """Options are not abbreviated: a script must not change its meaning when an option is added."""

    def __init__(self, prog: str, description: str | None, epilog: str, usage: str | None = None) -> None:
        super().__init__(
            prog=prog,
            usage=usage,
            description=description,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self.color = self.suggest_on_error = False  # of later versions of Python: irops does both itself

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """The values of the options; exits with 2 for a word that is none."""
        known, others = self.parse_known_args(words)
        if others:
            option = others[0].partition("=")[0]
            self.error(
                f"unrecognized arguments: {' '.join(others)}{did_you_mean_word(option, self._options())}"
            )
        return known

    @property
    def written(self) -> list[argparse.Action]:
        """The options that name what the command writes."""
        return [action for action in self._actions if isinstance(action, Written)]

    def error(self, message: str) -> NoReturn:
        """Print the usage and a message, which may quote an argument, and exit with 2."""
        super().error(printable(message))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += did_you_mean_word(value, action.choices or ())
            raise

    def _print_message(self, message: str, file: Any = None) -> None:
        stream = file or sys.stderr
        if message:  # an error of the stream is not dropped, as argparse does
            stream.write(coloured(message) if uses_colour(stream) else message)

    def _options(self) -> list[str]:
        return [option for action in self._actions for option in action.option_strings if len(option) > 2]


HEADING, PROGRAM, ERROR, OPTION, VALUE = "1;33", "1", "1;31", "36", "32"
"""Parameters of escape sequences: of the eight colours that every terminal has for its own background."""
# Patterns are compiled when they are first used: most help goes to pipes and has no colours.
_HEADING = r"(usage:)( .*)|([a-z][a-z ]*:)"
_ENTRY = r"(  \S.*?)(  .*|$)"
_COMMAND = r"  ([\w-]+)(.*)"
_ERROR = r"(irops(?: [\w-]+)?: )(error: )?(.*)"
_MENTION = r"(?<![\w-])--[a-z][a-z-]*[a-z]"
_OPTION_OR_VALUE = (
    r"(?<![\w-])(?P<option>--?[A-Za-z][\w-]*)|(?P<value>\{[^}]*\}|\b[A-Z]+(?:[=:/,.][A-Za-z]+)*\b)"
)


def coloured(text: str) -> str:
    """A help, a usage or an error of argparse, with colours."""
    lines, section = [], ""
    for line in text.split("\n"):
        heading = re.fullmatch(_HEADING, line)
        if heading is not None:
            section = heading[1] or heading[3]
        elif line[:1] not in ("", " "):
            section = ""
        lines.append(_line(line, section) if heading is None else _heading(section, heading[2] or ""))
    return "\n".join(lines)


def _heading(title: str, rest: str) -> str:
    """A line "options:", or the first one of the usage."""
    program, blank, words = rest.lstrip().partition(" ")
    shown = f" {_in(PROGRAM, program)}{blank}{_words(words)}" if program else ""
    return f"{_in(HEADING, title)}{shown}"


def _line(line: str, section: str) -> str:
    match section:
        case "":
            return _text(line)
        case "usage:" | "example:":
            return _words(line)
        case "commands:":
            return re.sub(_COMMAND, lambda match: f"  {_in(OPTION, match[1])}{match[2]}", line)
    entry = re.fullmatch(_ENTRY, line)
    return _mentions(line) if entry is None else _words(entry[1]) + _mentions(entry[2])


def _text(line: str) -> str:
    """A line of the description, or an error."""
    error = re.fullmatch(_ERROR, line)
    if error is None:
        return _mentions(line)
    return f"{_in(PROGRAM, error[1])}{_in(ERROR, error[2] or '')}{error[3]}"


def _words(text: str) -> str:
    """Options and the names of their values."""
    return re.sub(_OPTION_OR_VALUE, lambda match: _in(OPTION if match["option"] else VALUE, match[0]), text)


def _mentions(text: str) -> str:
    """Options within sentences."""
    return re.sub(_MENTION, lambda match: _in(OPTION, match[0]), text)


def _in(colour: str, text: str) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if text else ""
