"""The inputs of a model: loaded from files that a command names, or generated."""

from __future__ import annotations

import argparse
import sys

from irops.analysis.made_up import FILLS, MadeUp, made_up_inputs
from irops.analysis.model_analysis import ModelAnalysis
from irops.cli.main import Refusal
from irops.cli.options import add_shapes, integer_at_least, value_of_input
from irops.diagnostics.printable import printable
from irops.ir import numpy_files
from irops.ir.numpy_files import DEFAULT, UnreadableFileError, as_declared
from irops.limits import Limits
from irops.values.element import Array


def load_all(path: str, limits: Limits = DEFAULT) -> dict[str, Array]:
    """The arrays of an .npz file by name.

    Raises:  Refusal if the file is not an .npz file; DiagnosticError if its arrays exceed limits.tensor_bytes
    """
    try:
        return numpy_files.load_all(path, limits)
    except UnreadableFileError as error:
        raise Refusal(str(error)) from None


def load_one(path: str, limits: Limits = DEFAULT) -> Array:
    """The array of an .npy file, or the only one of an .npz file. Raises the errors of load_all."""
    try:
        return numpy_files.load_one(path, limits)
    except UnreadableFileError as error:
        raise Refusal(str(error)) from None


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Add --load-inputs, --input, --fill, --seed and --shape."""
    inputs = parser.add_argument_group("inputs")
    inputs.add_argument("--load-inputs", metavar="FILE", help="an .npz file with one array per input")
    inputs.add_argument(
        "--input",
        metavar="NAME=FILE",
        action="append",
        default=[],
        type=value_of_input,
        dest="inputs",
        help="an .npy file for one input; repeatable",
    )
    inputs.add_argument("--fill", choices=FILLS, help="generate values for the remaining inputs")
    inputs.add_argument(
        "--seed",
        type=integer_at_least(0),
        default=0,
        metavar="N",
        help="seed of the random values; default: 0",
    )
    add_shapes(
        inputs,
        "the shape of a generated input (x:2,7); without it, dynamic sizes are distinct"
        " and above 1 where inference allows that; repeatable",
    )


def inputs_of(analysis: ModelAnalysis, args: argparse.Namespace) -> dict[str | int, Array]:
    """Arrays for all inputs, by layer name. Raises: Refusal if one has no value"""
    signature, limits = analysis.signature, analysis.limits
    loaded_arrays = {
        **(load_all(args.load_inputs, limits) if args.load_inputs else {}),
        **{name: load_one(file, limits) for name, file, _ in args.inputs},
    }
    arrays: dict[str | int, Array] = {}
    for name, array in loaded_arrays.items():
        port = signature.input_of_text(name)
        arrays[port.name] = as_declared(array, port.fact.element_type)
    shapes = {signature.input_of_text(name).position: shape for name, shape, _ in args.shapes}
    missing = [port for port in signature.inputs if port.name not in arrays]
    if missing and not args.fill:
        names = ", ".join(repr(port.name) for port in missing)
        raise Refusal(
            f"no value for {names}: use --load-inputs FILE, --input NAME=FILE, or --fill {'|'.join(FILLS)}"
        )
    given = {signature.input(name).position: array for name, array in arrays.items()}
    for filled in made_up_inputs(analysis, args.fill, args.seed, given, shapes, limits) if missing else ():
        arrays[filled.port.name] = filled.array
        if filled.assumed and not args.quiet:
            print(_assumption(filled), file=sys.stderr)
    return arrays


def _assumption(filled: MadeUp) -> str:
    """Which sizes were chosen for an input, and which are 1."""
    name, sizes = printable(filled.port.name), ",".join(map(str, filled.array.shape))
    ones = f" (size 1 in axes {filled.ones}, as inference refuses others)" if filled.ones else ""
    return f"{name}: {filled.port.fact} is filled as [{sizes}]{ones}; --shape {name}:{sizes} sets it"
