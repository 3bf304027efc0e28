"""Options that several commands have, and the types of their values."""

import argparse
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from irops.cli.main import Refusal
from irops.diagnostics.suggestions import meant_or_all
from irops.environment import missing_libraries
from irops.files.limits import Limits
from irops.files.output import TargetRefused, local_target

PLAIN = (KeyError, IndexError, ValueError)


@contextmanager
def argument_errors(prefix: str = "") -> Iterator[None]:
    """Turn a KeyError, an IndexError or a ValueError into a Refusal with its message.

    Errors of derived types pass: a DiagnosticError has findings, which are reported as such.
    """
    try:
        yield
    except PLAIN as error:
        if type(error) not in PLAIN:
            raise
        raise Refusal(f"{prefix}{error.args[0]}") from None


@contextmanager
def refusing(*errors: type[Exception]) -> Iterator[None]:
    """Turn errors of some types into a Refusal with their message."""
    try:
        yield
    except errors as error:
        raise Refusal(str(error)) from None


def of_text(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """An argparse type: what a function makes of a text. The message of its ValueError is what is wrong."""

    def parsed(text: str) -> Any:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parsed


def integer_at_least(minimum: int) -> Callable[[str], int]:
    """An argparse type: an integer that is not below the minimum."""

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = minimum - 1
        if not minimum <= number < 1 << 63:
            raise argparse.ArgumentTypeError(f"{text!r} is not an integer of {minimum} or more, below 2**63")
        return number

    return parse


def add_option(
    parser: argparse._ActionsContainer, words: str, help: str, *, at_least: int | None = None, **how: Any
) -> None:
    """Add an option as a line of help has it: "--output -o FILE"; "--op OP..." may be repeated, as a list.

    Without the name of a value or choices, it is a switch. The help is completed with the default.
    at_least: its value is an integer, not below this; how: other keywords of argparse
    """
    *names, last = words.split()
    if last.startswith("-"):
        names.append(last)
        how |= {} if "choices" in how else {"action": "store_true"}
    else:
        how["metavar"] = last.removesuffix("...")
    notes = [help] if help else []
    if last.endswith("..."):
        how |= {"action": "append", "default": None if "required" in how else []}
        notes += [] if "repeatable" in help else ["repeatable"]
    if at_least is not None:
        how["type"] = integer_at_least(at_least)
    if how.get("default") not in (None, "", []) and "default: " not in help and "nargs" not in how:
        notes.append(f"default: {how['default']}")
    parser.add_argument(*names, help="; ".join(notes), **how)


def sources_of(texts: Sequence[str]) -> list[str]:
    """The sources of texts, some of them separated by commas; a comma before PROPERTY=VALUE belongs to the
    source.
    """
    sources: list[str] = []
    for part in ",".join(texts).split(","):
        if sources and "=" in part:
            sources[-1] = f"{sources[-1]},{part.strip()}"
        elif part.strip():
            sources.append(part.strip())
    return sources


def written(text: str) -> str:
    """An argparse type: a path to write to. What it names is local, and holds no model; see ir/output.py."""
    return _target(text, of_model=False)


def written_model(text: str) -> str:
    """An argparse type: a path for a model, which may replace one."""
    return _target(text, of_model=True)


def written_folder(text: str) -> str:
    """An argparse type: a folder to write to, which need not exist."""
    if os.path.exists(_target(text, of_model=True)) and not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"{text} is a file, must be a folder")
    return text


def _target(text: str, *, of_model: bool) -> str:
    try:
        local_target(text, of_model=of_model)
    except TargetRefused as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def add_format(parser: argparse.ArgumentParser) -> None:
    """Add --output-format, for people or for programs."""
    add_option(parser, "--output-format", "", choices=("full", "json"), default="full")


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add the options for limits, settings and custom ops, which all commands have that analyse models."""
    add_limits(parser)
    add_config(parser)
    add_extensions(parser)


def add_config(parser: argparse.ArgumentParser) -> None:
    config = "take the settings from this TOML file, and load the custom rules that it names"
    add_option(parser, "--config FILE", config)


def add_extensions(parser: argparse.ArgumentParser) -> None:
    add_option(parser, "--definitions FOLDER...", "a folder with the definitions and modules of custom ops")
    add_option(parser, "--module NAME...", "a Python module with the functions of custom ops", dest="modules")


def has_extensions(args: argparse.Namespace) -> bool:
    """Whether the options add custom ops."""
    return bool(args.definitions or args.modules)


UNITS = " KMGT"


def add_limits(parser: argparse.ArgumentParser) -> None:
    add_option(
        parser,
        "--limit NAME=VALUE...",
        "set a resource limit to a number, or to 512M, 16G, inf; repeatable; NAME is one of"
        f" {', '.join(Limits.described())}",
        type=of_text(_option),
        dest="limits",
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
    if not match or len(text) > 30:  # int() refuses texts of thousands of digits
        raise ValueError(f"{text!r} is not a number such as 1000, 16G, 512M or inf")
    number = float(match[1]) if "." in match[1] else int(match[1].replace("_", ""))
    return number * (1 << 10 * UNITS.index(match[2] or " "))


def _option(text: str) -> dict[str, float]:
    name, sign, value = text.partition("=")
    if not sign:
        raise ValueError(f"{text!r} is not of the form NAME=VALUE")
    return limit(name.strip(), value)


def seconds_above_zero(text: str) -> float:
    """An argparse type: a time."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not number > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return number


class InputForm(NamedTuple):
    """An option, what separates the name of the input from the rest, and what the rest is."""

    option: str
    separator: str
    rest: str

    def __str__(self) -> str:
        return f"NAME{self.separator}{self.rest}"


SHAPE, VALUE = InputForm("--shape", ":", "SHAPE"), InputForm("--input", "=", "FILE")


class Pair(NamedTuple):
    """The name of an input, and a shape or a file."""

    name: str
    rest: str
    form: InputForm


def shape_of_input(text: str) -> Pair:
    """An argparse type: the name of an input and a shape."""
    return _pair(text, SHAPE, VALUE)


def value_of_input(text: str) -> Pair:
    """An argparse type: the name of an input and a file."""
    return _pair(text, VALUE, SHAPE)


def add_shapes(parser: argparse._ActionsContainer, help: str, dest: str = "shapes") -> None:
    """Add --shape NAME:SHAPE, repeatable, as a list of pairs in args.<dest>."""
    add_option(parser, f"--shape {SHAPE}...", help, type=shape_of_input, dest=dest)


def _pair(text: str, form: InputForm, other: InputForm) -> Pair:
    """A name and the rest, split at the last separator, since names may contain it."""
    name, found, rest = text.rpartition(form.separator)
    if found and name:
        return Pair(name, rest, form)
    hint = f"; {other.option} {other} gives a {other.rest.lower()}" if other.separator in text else ""
    raise argparse.ArgumentTypeError(f"{text!r} is not of the form {form}{hint}")


def add_open(parser: argparse.ArgumentParser) -> None:
    """Add --open, which display.show_written reads."""
    add_option(parser, "--open", "show what was written in the browser, or in the program for its format")


SUFFIXES = {".html": "html", ".htm": "html", ".json": "json", ".xml": "junit", ".sarif": "sarif"}
"""Formats of reports by the suffixes of their files."""


def add_report(
    parser: argparse.ArgumentParser, formats: Sequence[str], quiet: str = "no report, only the exit code"
) -> None:
    """Add the form of a report and where it goes, which display.deliver reads."""
    default = "default: that of the suffix of --output, else full"
    parser.add_argument("--output-format", choices=formats, help=default)
    add_option(parser, "--output -o FILE", "write the report to a file", type=written)
    add_open(parser)
    add_option(parser, "--quiet -q", quiet)


def set_report_format(args: argparse.Namespace, formats: Sequence[str]) -> None:
    """Fill in the format of the report. Raises: Refusal where the library of its template is missing"""
    if args.open and not args.output:
        raise Refusal("--open is given without --output; name a file: -o report.html")
    found = SUFFIXES.get(os.path.splitext(args.output)[1].lower()) if args.output else None
    args.output_format = args.output_format or (found if found in formats else "full")
    require_page_library(args.output_format)


def require_page_library(output_format: str) -> None:
    """Refuse a page before any work where the library of its template is missing."""
    lacking = missing_libraries("html", "jinja2") if output_format == "html" else None
    if lacking is not None:
        raise Refusal(lacking)
