"""Evaluate a model and show its results.

Inputs are loaded from files or generated. An input is identified by its tensor
name, the name of its layer, or its position.

example:
  irops run model.xml --fill random --seed 7
  irops run model.xml --load-inputs in.npz --save-outputs out.npz
  irops run model.xml --input x=x.npy --fill zeros --shape lengths:2 --keep all
"""

from __future__ import annotations

import argparse
import sys

from irops.analysis.made_up import FILLS, made_up
from irops.analysis.signature import Signature
from irops.backends.catalogue import backend_names
from irops.cli.exit_codes import CLEAN
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.findings import print_diagnostics
from irops.cli.limit_options import add_limits, limits_of
from irops.cli.main import Refusal
from irops.cli.model_files import model_help
from irops.cli.numbers import integer_at_least
from irops.cli.numpy_files import load_all, load_one
from irops.cli.pairs import shape_of_input, value_of_input
from irops.cli.progress import progress_bar
from irops.cli.settings import settings
from irops.cli.streams import show
from irops.cli.tables import table
from irops.cli.values import first_elements, minimum_mean_maximum
from irops.diagnostics.printable import printable, shown
from irops.ir.tensor_files import as_declared, save_all
from irops.limits import Limits
from irops.reading import read
from irops.runtime.session import Results, Session
from irops.values.element import Array, element_type_of
from irops.values.shape import Shape


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help=model_help())
    parser.add_argument("--weights", metavar="FILE", help="the .bin file, if it is not next to the .xml file")
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
    inputs.add_argument(
        "--shape",
        metavar="NAME:SHAPE",
        action="append",
        default=[],
        type=shape_of_input,
        dest="shapes",
        help="the shape of a generated input (x:2,7); without it, dynamic sizes are 1; repeatable",
    )
    outputs = parser.add_argument_group("outputs")
    outputs.add_argument("--save-outputs", metavar="FILE", help="write the results to an .npz file")
    outputs.add_argument(
        "--keep",
        metavar="LAYERS",
        action="append",
        default=[],
        help="also keep the outputs of these layers: names separated by commas, or all",
    )
    parser.add_argument(
        "--backend",
        metavar="NAME",
        action="append",
        default=[],
        dest="backends",
        help=(
            f"a backend, in order of preference: {', '.join(backend_names())}; repeatable; default: the"
            " fastest installed one"
        ),
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="compare every result with the inferred type and shape, and with the reference",
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="show no results, no progress")
    add_limits(parser)
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    limits = limits_of(args, settings().limits)
    model = read(args.model, args.weights, limits=limits)
    keep = [name for text in args.keep for name in text.split(",") if name]
    with progress_bar("evaluating", quiet=args.quiet) as progress:
        backends = (*(b for b in args.backends if b != "reference"), "reference") if args.backends else None
        session = Session(
            model,
            backends=backends,
            registry=registry_of(args),
            limits=limits,
            verify=args.verify,
            progress=progress,
        )
        inputs = _inputs(session.signature, args, limits)
        try:
            kept = frozenset[int]() if keep == ["all"] else session.kept(keep)
        except KeyError as error:
            raise Refusal(f"--keep: {error.args[0]}") from None
        outcome = session.run(inputs, keep="all" if keep == ["all"] else kept)
    if args.save_outputs:
        for name, written in save_all(args.save_outputs, outcome).items():
            print(f"result {shown(name)!r} is saved as {written!r}", file=sys.stderr)
    if not args.quiet:
        _show(session.signature, outcome)
    if outcome.warnings:
        sys.stdout.flush()
        print_diagnostics(outcome.warnings, sys.stderr)
    if args.verify and not args.quiet:
        print(outcome.record.verification(), file=sys.stderr)
    return CLEAN


def _inputs(signature: Signature, args: argparse.Namespace, limits: Limits) -> dict[str | int, Array]:
    """Arrays for all inputs, by layer name."""
    loaded_arrays = {
        **(load_all(args.load_inputs, limits) if args.load_inputs else {}),
        **{name: load_one(file, limits) for name, file, _ in args.inputs},
    }
    arrays: dict[str | int, Array] = {}
    for name, array in loaded_arrays.items():
        port = signature.input_of_text(name)
        arrays[port.name] = as_declared(array, port.fact.element_type)
    shapes = {signature.input_of_text(name).name: shape for name, shape, _ in args.shapes}
    missing = [port for port in signature.inputs if port.name not in arrays]
    if missing and not args.fill:
        names = ", ".join(repr(port.name) for port in missing)
        raise Refusal(
            f"no value for {names}: use --load-inputs FILE, --input NAME=FILE, or --fill {'|'.join(FILLS)}"
        )
    for port in missing:
        shape = shapes.get(port.name)
        arrays[port.name], assumed = made_up(signature.model, port, args.fill, args.seed, shape, limits)
        if assumed and not args.quiet:
            name, sizes = printable(port.name), ",".join(map(str, arrays[port.name].shape))
            message = f"{name}: {port.fact} is filled as [{sizes}]; --shape {name}:{sizes} sets it"
            print(message, file=sys.stderr)
    return arrays


def _show(signature: Signature, outcome: Results) -> None:
    result_names = {port.name for port in signature.results}
    for title, names in (
        ("results", [n for n in outcome if n in result_names]),
        ("kept", [n for n in outcome if n not in result_names]),
    ):
        if names:
            out = table(title, "name", "type", "shape", "values", ">min", ">mean", ">max")
            for name in names:
                array = outcome[name]
                out.add_row(
                    shown(name),
                    str(element_type_of(array)),
                    str(Shape(array.shape)),
                    first_elements(array),
                    *minimum_mean_maximum(array),
                )
            show(out, *([""] if title == "results" and len(outcome) > len(names) else []))
