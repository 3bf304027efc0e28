"""The limits that a person sets: --limit NAME=VALUE, and the settings."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from typing import Any

from irops.limits import Limits

UNITS = " KMGT"


def add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--limit",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=_option,
        dest="limits",
        help=(
            "what the model may take: a number, or 512M, 16G, inf; NAME is one of"
            f" {', '.join(Limits.described())}"
        ),
    )


def limits_of(args: argparse.Namespace, set_before: Mapping[str, float]) -> Limits:
    """The limits of the options, else of the settings, else those that are built in."""
    values: dict[str, float] = dict(set_before)
    for one in args.limits:
        values.update(one)
    return Limits(**values)


def limit(name: str, value: Any) -> dict[str, float]:
    """A limit by its name, from a number, or from a text such as 16G, 512M or inf.

    Raises:  ValueError
    """
    if name not in Limits.described():
        from difflib import get_close_matches

        near = get_close_matches(name, Limits.described(), 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(Limits.described())}"
        raise ValueError(f"there is no limit {name!r}; {hint}")
    number = _number(value) if isinstance(value, str) else value
    Limits(**{name: number})
    return {name: number}


def _number(text: str) -> float:
    if text.strip() == "inf":
        return float("inf")
    found = re.fullmatch(r"([0-9][0-9_]*(?:\.[0-9]+)?)([KMGT]?)", text.strip(), re.ASCII)
    if not found or len(text) > 30:
        raise ValueError(f"{text!r} is no number such as 1000, 16G, 512M or inf")
    number = float(found[1]) if "." in found[1] else int(found[1].replace("_", ""))
    return number * (1 << 10 * UNITS.index(found[2] or " "))


def _option(text: str) -> dict[str, float]:
    name, sign, value = text.partition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    try:
        return limit(name.strip(), value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
