"""Evaluate a model and show its results.

Inputs come from files, or are made up. An input is known by its tensor name,
its layer's name or its position.
Exit code: 0, or 1 if the model cannot be read or evaluated.

example:
  irops run model.xml --fill random --seed 7
  irops run model.xml --load-inputs in.npz --save-outputs out.npz
  irops run model.xml --input x=x.npy --fill zeros --shape lengths:2 --keep all
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from irops.analysis.made_up import FILLS, made_up
from irops.analysis.signature import Signature
from irops.backends.backend import backend_names
from irops.cli.bounded import add_limits, limits_of
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.main import CLEAN, Refusal
from irops.cli.models import model_help
from irops.cli.numbers import whole
from irops.cli.pairs import named
from irops.cli.progress import counted
from irops.cli.settings import settings
from irops.cli.stored import as_declared, load_all, load_one, save_all
from irops.diagnostics.printable import printable
from irops.limits import Limits
from irops.reading import read
from irops.runtime.session import Results, Session

if TYPE_CHECKING:
    from irops.values.element import Array


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help=model_help())
    parser.add_argument("--weights", metavar="FILE", help="the .bin file, if it does not lie beside the .xml")
    inputs = parser.add_argument_group("inputs")
    inputs.add_argument("--load-inputs", metavar="FILE", help="an .npz file with arrays by input")
    inputs.add_argument(
        "--input",
        metavar="NAME=FILE",
        action="append",
        default=[],
        type=named("="),
        dest="inputs",
        help="an .npy file for one input",
    )
    inputs.add_argument("--fill", choices=FILLS, help="make up the inputs that were given no value")
    inputs.add_argument(
        "--seed", type=whole(0), default=0, metavar="N", help="what random values follow from, default: 0"
    )
    inputs.add_argument(
        "--shape",
        metavar="NAME:SIZES",
        action="append",
        default=[],
        type=named(":"),
        dest="shapes",
        help="the shape of an input that is made up (x:2,7); sizes that are not known are 1 without it",
    )
    outputs = parser.add_argument_group("outputs")
    outputs.add_argument("--save-outputs", metavar="FILE", help="write the results to an .npz file")
    outputs.add_argument(
        "--keep",
        metavar="LAYERS",
        action="append",
        default=[],
        help="keep the outputs of these layers too: names separated by commas, or all",
    )
    parser.add_argument(
        "--backend",
        metavar="NAME",
        action="append",
        default=[],
        dest="backends",
        help=(
            f"what computes, in order of preference: {', '.join(backend_names())}; default: the fastest that"
            " is installed"
        ),
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="hold each result to the inferred type and shape, and to the reference",
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="show no results, no progress")
    add_limits(parser)
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    limits = limits_of(args, settings().limits)
    model = read(args.model, args.weights, limits=limits)
    keep = [name for text in args.keep for name in text.split(",") if name]
    with counted("evaluating", quiet=args.quiet) as progress:
        named = (*(b for b in args.backends if b != "reference"), "reference") if args.backends else None
        session = Session(
            model,
            backends=named,
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
        found = session.run(inputs, keep="all" if keep == ["all"] else kept)
    if args.save_outputs:
        save_all(args.save_outputs, found)
    if not args.quiet:
        _show(session.signature, found)
    return CLEAN


def _inputs(signature: Signature, args: argparse.Namespace, limits: Limits) -> dict[str | int, Array]:
    """Arrays for all inputs, by layer name."""
    loaded = {
        **(load_all(args.load_inputs) if args.load_inputs else {}),
        **{name: load_one(file) for name, file in args.inputs},
    }
    given: dict[str | int, Array] = {}
    for name, array in loaded.items():
        port = signature.input_of_text(name)
        given[port.name] = as_declared(array, port.fact.element_type)
    shapes = {signature.input_of_text(name).name: shape for name, shape in args.shapes}
    missing = [port for port in signature.inputs if port.name not in given]
    if missing and not args.fill:
        names = ", ".join(repr(port.name) for port in missing)
        raise Refusal(
            f"no value for {names}: give --load-inputs FILE, --input NAME=FILE, or --fill {'|'.join(FILLS)}"
        )
    for port in missing:
        shape = shapes.get(port.name)
        given[port.name], assumed = made_up(signature.model, port, args.fill, args.seed, shape, limits)
        if assumed and not args.quiet:
            name, sizes = printable(port.name), ",".join(map(str, given[port.name].shape))
            message = f"{name}: {port.fact} is filled as [{sizes}]; --shape {name}:{sizes} sets it"
            print(message, file=sys.stderr)
    return given


def _show(signature: Signature, found: Results) -> None:
    from irops.cli.streams import show
    from irops.cli.tables import table
    from irops.cli.values import first, spread
    from irops.values.element import element_type_of
    from irops.values.shape import Shape

    own = {port.name for port in signature.results}
    for title, names in (
        ("results", [n for n in found if n in own]),
        ("kept", [n for n in found if n not in own]),
    ):
        if names:
            out = table(title, "name", "type", "shape", "values", ">min", ">mean", ">max")
            for name in names:
                array = found[name]
                out.add_row(
                    printable(name),
                    str(element_type_of(array)),
                    str(Shape(array.shape)),
                    first(array),
                    *spread(array),
                )
            show(out, *([""] if title == "results" and len(found) > len(names) else []))
