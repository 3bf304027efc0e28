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

from irops.analysis.inputs import declared_fact, parameter, parameters, results
from irops.backends.backend import backend_names
from irops.cli.bounded import add_limits, limits_of
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.filled import FILLS, filled
from irops.cli.main import CLEAN, Refusal
from irops.cli.models import model_help
from irops.cli.numbers import whole
from irops.cli.pairs import named
from irops.cli.progress import counted
from irops.cli.settings import settings
from irops.cli.stored import as_declared, load_all, load_one, save_all
from irops.diagnostics.printable import printable
from irops.ir.model import Model
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
    inputs = _inputs(model, args, limits)
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
        try:
            found = session.run(inputs, keep="all" if keep == ["all"] else keep)
        except KeyError as error:
            if not any(error.args[0] == f"there is no layer {name!r} to keep" for name in keep):
                raise
            raise Refusal(error.args[0]) from None
    if args.save_outputs:
        save_all(args.save_outputs, found)
    if not args.quiet:
        _show(model, found)
    return CLEAN


def _inputs(model: Model, args: argparse.Namespace, limits: Limits) -> dict[str | int, Array]:
    """Arrays for all inputs, by layer name."""
    loaded = {
        **(load_all(args.load_inputs) if args.load_inputs else {}),
        **{name: load_one(file) for name, file in args.inputs},
    }
    given: dict[str | int, Array] = {}
    for name, array in loaded.items():
        layer = parameter(model, int(name) if name.isdigit() and not _is_name(model, name) else name)
        given[layer.name] = as_declared(array, declared_fact(layer).element_type)
    for name, _ in args.shapes:
        parameter(model, name)
    missing = [layer for layer in parameters(model) if layer.name not in given]
    if missing and not args.fill:
        names = ", ".join(repr(layer.name) for layer in missing)
        raise Refusal(
            f"no value for {names}: give --load-inputs FILE, --input NAME=FILE, or --fill {'|'.join(FILLS)}"
        )
    for layer in missing:
        given[layer.name], assumed = filled(layer, args.fill, args.seed, dict(args.shapes), limits)
        if assumed and not args.quiet:
            name, shape = printable(layer.name), ",".join(map(str, given[layer.name].shape))
            print(
                f"{name}: {declared_fact(layer)} is filled as [{shape}]; --shape {name}:{shape} sets it",
                file=sys.stderr,
            )
    return given


def _is_name(model: Model, text: str) -> bool:
    return any(
        text == layer.name or any(text in port.names for port in layer.outputs) for layer in parameters(model)
    )


def _show(model: Model, found: Results) -> None:
    from irops.cli.streams import show
    from irops.cli.tables import table
    from irops.cli.values import first, spread
    from irops.values.element import element_type_of
    from irops.values.shape import Shape

    own = {layer.name for layer in results(model)}
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
