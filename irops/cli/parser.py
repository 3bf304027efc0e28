"""The parser of arguments: that of argparse, with suggestions for mistyped words."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from irops.cli.removed import REMOVED
from irops.diagnostics.suggestions import did_you_mean_word


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
        """The values of the options; exits with 2 for a word that is none."""
        known, others = self.parse_known_args(words)
        if others:
            option = others[0].partition("=")[0]
            removed = REMOVED.get(f"{self.prog} {option}")
            hint = f"; {removed}" if removed else did_you_mean_word(option, self._options())
            self.error(f"unrecognized arguments: {' '.join(others)}{hint}")
        return known

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += did_you_mean_word(value, action.choices or ())
            raise

    def _options(self) -> list[str]:
        return [option for action in self._actions for option in action.option_strings if len(option) > 2]
