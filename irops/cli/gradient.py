"""Write a model that computes the gradients of another one.

The model has the inputs and results of the old one, a further input
cotangent/RESULT for each result in --of, and a result grad/NAME for each input
or constant in --wrt that a gradient reaches. A model of another dialect is
converted first; the suffix of the output says which dialect is written. If
layers on the way have no derivative, all of them are reported and no file is
written.

example:
  irops gradient model.xml --of y --wrt w -o gradient.xml
  irops gradient model.xml --of loss --wrt conv.weight,conv.bias -o gradient.xml
"""

from __future__ import annotations

import argparse

from irops.analysis.model_analysis import analyse
from irops.cli.command import CLEAN, Command
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.main import Refusal, argument_errors
from irops.cli.model_files import add_weights, model_help
from irops.cli.options import add_limits, add_overwrite, limits_of
from irops.cli.parser import Written
from irops.cli.settings import settings
from irops.cli.streams import say
from irops.diagnostics.printable import literal, printable
from irops.dialects import dialect_of_suffix
from irops.dialects.reading import read
from irops.editing.derivatives import gradient_model
from irops.editing.translation.node import DIALECT_NAMES
from irops.editing.translation.translate import translated
from irops.editing.writing import write

COMMAND = Command(
    "write a model that computes gradients",
    135,
    code_1="the model has errors, or layers without a derivative",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help=model_help())
    parser.add_argument(
        "--of",
        metavar="RESULTS",
        action="append",
        help="results whose gradients are computed, separated by commas; default: all of floating types",
    )
    parser.add_argument(
        "--wrt",
        metavar="NAMES",
        action="append",
        help="inputs, and constants by the names of their layers, separated by commas; default: all inputs of"
        " floating types",
    )
    parser.add_argument(
        "--output",
        "-o",
        action=Written,
        metavar="FILE",
        required=True,
        help="the output: an .xml file, with its .bin next to it, or a file of another dialect",
    )
    add_weights(parser)
    parser.add_argument("--quiet", "-q", action="store_true", help="no summary")
    add_overwrite(parser)
    add_limits(parser)
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    dialect = dialect_of_suffix(args.output).name
    if dialect not in DIALECT_NAMES:
        raise Refusal(
            f"--output {args.output} cannot hold a gradient, must be of {' or '.join(DIALECT_NAMES)}"
        )
    limits, registry = limits_of(args, settings().limits), registry_of(args)
    model = read(args.model, args.weights, limits=limits)
    analysis = translated(analyse(model, registry, limits), "openvino")
    of, wrt = _names(args.of), _names(args.wrt)
    with argument_errors():
        gradients = analyse(
            gradient_model(analysis, of=of, wrt=wrt, registry=registry, limits=limits), registry
        )
    reached = gradients.signature.results[len(analysis.signature.results) :]
    if not reached:
        raise Refusal("no gradient reaches what --wrt names: each path ends at an op whose derivative is 0")
    target = translated(gradients, dialect)
    write(target, args.output)
    if not args.quiet:
        names = literal(", ").join(printable(port.name) for port in reached)
        say(f"{printable(args.output)}: {target.model.layer_count}, with the results {names}")
    return CLEAN


def _names(texts: list[str] | None) -> list[str] | None:
    return [name for text in texts for name in text.split(",") if name] if texts else None
