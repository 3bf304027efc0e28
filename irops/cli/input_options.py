"""Options for the inputs of a model: loaded from files, or generated."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping

from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.synthetic_inputs.generate import FILLS, ChosenInputs, synthetic_inputs
from irops.cli.array_files import load_all, load_one
from irops.cli.main import Refusal
from irops.cli.options import integer_at_least
from irops.cli.pairs import add_shapes, value_of_input
from irops.cli.streams import say
from irops.diagnostics.printable import printable
from irops.files.limits import Limits
from irops.ir.tensor_files import as_declared
from irops.values.element import Array


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
    inputs.add_argument(
        "--fill",
        choices=FILLS,
        help="generate values for the remaining inputs; random values fit what the layers ask of them:"
        " indices within their table, lengths, masks, boxes",
    )
    inputs.add_argument(
        "--seed",
        type=integer_at_least(0),
        default=0,
        metavar="N",
        help="seed of the random values; default: 0",
    )
    add_shapes(
        inputs,
        "the shape of a generated input (x:2,7); without it, dynamic sizes are small, distinct and above 1"
        " where inference accepts that; repeatable",
    )


def inputs_of(
    analysis: ModelAnalysis, args: argparse.Namespace, limits: Limits
) -> tuple[dict[str | int, Array], ChosenInputs]:
    """Arrays for all inputs, by layer name, and what was chosen for those that were generated.

    Raises:  Refusal if an input has no value
    """
    signature = analysis.signature
    loaded_arrays = {
        **(load_all(args.load_inputs, limits) if args.load_inputs else {}),
        **{name: load_one(file, limits) for name, file, _ in args.inputs},
    }
    arrays: dict[str | int, Array] = {}
    given: dict[int, Array] = {}
    for name, array in loaded_arrays.items():
        port = signature.input_of_text(name)
        arrays[port.name] = as_declared(array, port.fact.element_type)
        given[port.position] = signature.fit(port.layer, arrays[port.name])
    shapes = {signature.input_of_text(name).position: shape for name, shape, _ in args.shapes}
    missing = [port for port in signature.inputs if port.name not in arrays]
    if not missing:
        return arrays, ChosenInputs()
    if not args.fill:
        names = ", ".join(repr(port.name) for port in missing)
        raise Refusal(
            f"no value for {names}: use --load-inputs FILE, --input NAME=FILE, or --fill {'|'.join(FILLS)}"
        )
    chosen = synthetic_inputs(analysis, args.fill, args.seed, shapes, given, limits)
    for entry in chosen.inputs:
        arrays[entry.name] = chosen.arrays[entry.position]
    if not args.quiet:
        _report(chosen, shapes)
    return arrays, chosen


def _report(chosen: ChosenInputs, shapes: Mapping[int, str]) -> None:
    """Say which sizes were chosen, and which values where a layer asks for them."""
    for entry in chosen.inputs:
        line, name = printable(entry.line), printable(entry.name)
        if entry.is_assumed and entry.position not in shapes:
            sizes = printable(",".join(map(str, entry.shape)))
            say(f"{line}; --shape {name}:{sizes} sets it", sys.stderr)
        elif entry.why:
            say(line, sys.stderr)
