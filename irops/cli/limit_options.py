"""Limits set on the command line (--limit NAME=VALUE) or in the configuration file."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from typing import Any

from irops.diagnostics.suggestions import meant_or_all
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
            "set a resource limit to a number, or to 512M, 16G, inf; repeatable; NAME is one of"
            f" {', '.join(Limits.described())}"
        ),
    )


def limits_of(args: argparse.Namespace, configured: Mapping[str, float]) -> Limits:
    """The limits: options override the configuration file, which overrides the defaults."""
    values: dict[str, float] = dict(configured)
    for option in args.limits:
        values.update(option)
    return Limits(**values)


def limit(name: str, value: Any) -> dict[str, float]:
    """Parse the value of a limit: a number, or a text such as 16G, 512M or inf.

    Raises:  ValueError
    """
    if name not in Limits.described():
        raise ValueError(f"unknown limit {name!r}; {meant_or_all(name, Limits.described())}")
    number = _number(value) if isinstance(value, str) else value
    Limits(**{name: number})
    return {name: number}


def _number(text: str) -> float:
    if text.strip() == "inf":
        return float("inf")
    match = re.fullmatch(r"([0-9][0-9_]*(?:\.[0-9]+)?)([KMGT]?)", text.strip(), re.ASCII)
    if not match or len(text) > 30:
        raise ValueError(f"{text!r} is not a number such as 1000, 16G, 512M or inf")
    number = float(match[1]) if "." in match[1] else int(match[1].replace("_", ""))
    return number * (1 << 10 * UNITS.index(match[2] or " "))


def _option(text: str) -> dict[str, float]:
    name, sign, value = text.partition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    try:
        return limit(name.strip(), value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
