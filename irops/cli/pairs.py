"""Options that are about one input: --shape NAME:SHAPE and --input NAME=FILE, in all commands."""

from __future__ import annotations

import argparse
from typing import NamedTuple


class PairForm(NamedTuple):
    """An option, what separates the name of the input from the rest, and what the rest is."""

    option: str
    separator: str
    rest: str

    def __str__(self) -> str:
        return f"NAME{self.separator}{self.rest}"


SHAPE, VALUE = PairForm("--shape", ":", "SHAPE"), PairForm("--input", "=", "FILE")
ARRAYS = (".npy", ".npz")


class InputPair(NamedTuple):
    """The name of an input, and a shape or a file."""

    name: str
    rest: str
    form: PairForm


def shape_of_input(text: str) -> InputPair:
    """An argparse type: the name of an input and a shape."""
    return _pair(text, SHAPE, VALUE)


def value_of_input(text: str) -> InputPair:
    """An argparse type: the name of an input and a file."""
    return _pair(text, VALUE, SHAPE)


def value_or_shape(text: str) -> InputPair:
    """An argparse type: the name of an input and a file or, as irops 0.1 had it, a shape."""
    is_shape = SHAPE.separator in text and not text.endswith(ARRAYS)
    return shape_of_input(text) if is_shape else value_of_input(text)


def add_shapes(
    parser: argparse.ArgumentParser | argparse._ArgumentGroup, help: str, dest: str = "shapes"
) -> None:
    """Add --shape NAME:SHAPE, repeatable, as a list of pairs in args.<dest>."""
    parser.add_argument(
        "--shape",
        metavar=str(SHAPE),
        action="append",
        default=[],
        type=shape_of_input,
        dest=dest,
        help=help,
    )


def _pair(text: str, form: PairForm, other: PairForm) -> InputPair:
    """A name and the rest, split at the last separator, since names may contain it."""
    name, found, rest = text.rpartition(form.separator)
    if found and name:
        return InputPair(name, rest, form)
    hint = f"; {other.option} {other} gives a {other.rest.lower()}" if other.separator in text else ""
    raise argparse.ArgumentTypeError(f"{text!r} is not of the form {form}{hint}")
