"""The parser of arguments: that of argparse, with suggestions for mistyped options and choices."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any

from irops.diagnostics.suggestions import did_you_mean_word

_CHOICE = re.compile(r"invalid choice: '([^']*)'")


class Parser(argparse.ArgumentParser):
    """Options are not abbreviated: a script must not change its meaning when an option is added."""

    def __init__(self, prog: str, description: str | None, epilog: str) -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """The values of the options; exits with 2 for a word that is none."""
        known, others = self.parse_known_args(words)
        if others:
            option = others[0].partition("=")[0]
            self.error(
                f"unrecognized arguments: {' '.join(others)}{did_you_mean_word(option, self._options())}"
            )
        return known

    def error(self, message: str) -> Any:
        """Print the usage and the message, with the choice that may be meant; exit with 2."""
        wrong = _CHOICE.search(message)
        choices = () if wrong is None else self._choices(message)
        super().error(message if wrong is None else message + did_you_mean_word(wrong[1], choices))

    def _options(self) -> list[str]:
        return [option for action in self._actions for option in action.option_strings if len(option) > 2]

    def _choices(self, message: str) -> list[str]:
        """The choices of the option that a message names."""
        for action in self._actions:
            if (
                action.choices
                and action.option_strings
                and f"argument {'/'.join(action.option_strings)}:" in message
            ):
                return [str(choice) for choice in action.choices]
        return []
