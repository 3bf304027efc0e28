"""Options of the form NAME:SHAPE and NAME=FILE."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def name_and_value(separator: str) -> Callable[[str], tuple[str, str]]:
    """An argparse type: a name and a value, split at the last separator, since names may contain it."""

    def parse(text: str) -> tuple[str, str]:
        name, matched_separator, value = text.rpartition(separator)
        if not matched_separator or not name:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not of the form NAME{separator}{'SHAPE' if separator == ':' else 'FILE'}"
            )
        return name, value

    return parse
