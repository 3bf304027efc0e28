"""Options of the form NAME:SHAPE and NAME=FILE."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def named(sign: str) -> Callable[[str], tuple[str, str]]:
    """What turns an option's text into a name and what is said of it. The last sign parts them: names may
    hold others.
    """

    def parse(text: str) -> tuple[str, str]:
        name, found, rest = text.rpartition(sign)
        if not found or not name:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not of the form NAME{sign}{'SHAPE' if sign == ':' else 'FILE'}"
            )
        return name, rest

    return parse
