"""The parser of arguments, options that several commands have, and exit codes."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from irops.diagnostics.diagnostic import PATH_RULES, USAGE_RULES
from irops.diagnostics.printable import printable
from irops.diagnostics.suggestions import did_you_mean_word

CLEAN, FINDINGS, REFUSED = 0, 1, 2
INTERRUPTED, PIPE_CLOSED = 130, 141  # 128 + the number of the signal, as in shells
DEFINITION_ERRORS = "a definition or a custom rule has errors"
"""The meaning of exit code 1 for commands about definitions and rules."""


def exit_codes(meaning_of_1: str | None) -> str:
    """The part of a command's help about exit codes. meaning_of_1: None for commands that never end so"""
    findings = "" if meaning_of_1 is None else f"  1  {meaning_of_1}\n"
    return (
        f"exit codes:\n  0  success\n{findings}"
        "  2  wrong usage, a file that cannot be read or written, or an internal\n"
        "     error"
    )


def refuses(rules: Iterable[str]) -> bool:
    """Whether findings of some rules, by name, are about the arguments or the files of a command, not about
    what a model says.
    """
    return any(name in USAGE_RULES or name in PATH_RULES for name in rules)


RENAMED = {
    "irops run --backend": "--source",
    "irops conformance --backend": "--source",
    "irops survey --sources": "--source",
    "irops reduce --differs": "--source",
    "irops ops --attribute": "--text",
}
"""The new names of options, by the words of the command line; the old ones are understood in this release."""


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add the options that every command has."""
    colour = "whether to write colours; default: auto, as the terminal and NO_COLOR, FORCE_COLOR say"
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help=colour)
    verbose = "also say which files were read, and how long it took, on standard error"
    parser.add_argument("--verbose", "-v", action="store_true", help=verbose)
    parser.add_argument("--debug", action="store_true", help="print the traceback of an internal error")


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
        self.color = self.suggest_on_error = False  # of later versions of Python: all show the same

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """The values of the options; exits with 2 for a word that no option takes."""
        known, others = self.parse_known_args([self._renamed(word) for word in words])
        if others:
            hint = did_you_mean_word(others[0].partition("=")[0], self._options())
            self.error(f"unrecognized arguments: {' '.join(others)}{hint}")
        return known

    def _renamed(self, word: str) -> str:
        """A word with the name that an option has now."""
        name, equals, value = word.partition("=")
        new = RENAMED.get(f"{self.prog} {name}")
        if new is None:
            return word
        print(f"{self.prog}: {name} is called {new} now", file=sys.stderr)
        return f"{new}{equals}{value}"

    def error(self, message: str) -> NoReturn:
        """Print the usage and a message, which quotes arguments; exit with 2."""
        super().error(printable(message))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += did_you_mean_word(value, action.choices or ())
            raise

    def _options(self) -> list[str]:
        return [option for action in self._actions for option in action.option_strings if len(option) > 2]
