"""Options of several commands, and the types of their values."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from irops.cli.parser import Written
from irops.diagnostics.printable import Printable, printable
from irops.diagnostics.suggestions import meant_or_all
from irops.files.limits import Limits

UNITS = " KMGT"


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


def add_format(parser: argparse.ArgumentParser) -> None:
    """Add --output-format, for people or for programs."""
    parser.add_argument("--output-format", choices=("full", "json"), default="full", help="default: full")


def add_report(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """Options of a report that may be written to a file; see report_format. formats: the default first"""
    parser.add_argument(
        "--output-format",
        choices=formats,
        help=f"default: that of the suffix of --output (.html, .json), else {formats[0]}",
    )
    parser.add_argument("--output", "-o", action=Written, metavar="FILE", help="write the report to a file")


def report_format(args: argparse.Namespace, default: str = "full") -> str:
    """The format of a report: the one that is given, that of the suffix of the file, or the default."""
    suffix = os.path.splitext(args.output or "")[1].lower()
    by_suffix = {".html": "html", ".htm": "html", ".json": "json"}
    return str(args.output_format or by_suffix.get(suffix, default))


def written(args: argparse.Namespace) -> Printable:
    """Where a report was written, and in which format."""
    form = printable("text" if args.output_format == "full" else args.output_format)
    return f"{printable(args.output)}: the report as {form}"


def add_overwrite(parser: argparse.ArgumentParser) -> None:
    """Add --overwrite; see irops.ir.targets."""
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="let files whose names irops chooses, such as the .bin beside an .xml, replace files of others",
    )


def add_cache(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--no-cache",
        action="store_true",
        help="neither use nor keep results in the cache; irops cache describes it",
    )


def add_extensions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--definitions",
        metavar="FOLDER",
        action="append",
        default=[],
        help="a folder with the definitions and modules of custom ops; repeatable",
    )
    parser.add_argument(
        "--module",
        metavar="NAME",
        action="append",
        default=[],
        dest="modules",
        help="a Python module with the functions of custom ops; repeatable",
    )


def add_trust(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--trust-settings",
        action="store_true",
        help="load the custom rules that the settings name, although irops trust does not list their folder",
    )


def has_extensions(args: argparse.Namespace) -> bool:
    """Whether the options add custom ops."""
    return bool(args.definitions or args.modules)


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
