"""Argument types for integer options."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def integer_at_least(minimum: int) -> Callable[[str], int]:
    """An argparse type: an integer that is not below the minimum."""

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = minimum - 1
        if number < minimum:
            raise argparse.ArgumentTypeError(f"{text!r} is not an integer of {minimum} or more")
        return number

    return parse
