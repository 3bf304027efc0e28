"""Convert a model between OpenVINO (IR) and ONNX operators.

Defaults differ between dialects (those of ReverseSequence are opposite), so
attributes are written out. If layers are not representable in the target, all
of them are reported and no file is written.

example:
  irops translate model.xml --to onnx -o model.onnx
  irops translate model.onnx --to openvino -o model.xml
"""

from __future__ import annotations

import argparse

from irops.analysis.model_analysis import analyse
from irops.cli.command import CLEAN, Command
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.main import Refusal
from irops.cli.model_files import add_weights, model_help
from irops.cli.options import add_limits, add_overwrite, integer_at_least, limits_of
from irops.cli.parser import Written
from irops.cli.settings import settings
from irops.cli.streams import say
from irops.diagnostics.printable import Printable, printable
from irops.dialects import dialect_named, dialect_of_suffix
from irops.dialects.reading import read
from irops.editing.translation.node import DIALECT_NAMES
from irops.editing.translation.translate import OPSET, translated
from irops.editing.writing import write

COMMAND = Command(
    "convert a model into another dialect",
    130,
    code_1="the model has errors, or is not representable in the target",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help=model_help())
    parser.add_argument(
        "--to", choices=tuple(sorted(DIALECT_NAMES, reverse=True)), required=True, help="the target dialect"
    )
    parser.add_argument(
        "--output",
        "-o",
        action=Written,
        metavar="FILE",
        required=True,
        help="the output: an .xml file, with its .bin next to it, or an .onnx file",
    )
    parser.add_argument(
        "--opset",
        metavar="N",
        type=integer_at_least(0),
        help=f"the target ONNX opset; default: {OPSET}",
    )
    add_weights(parser)
    parser.add_argument("--quiet", "-q", action="store_true", help="no summary")
    add_overwrite(parser)
    add_limits(parser)
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    output_dialect, dialect = dialect_of_suffix(args.output), dialect_named(args.to)
    if output_dialect is not dialect:
        raise Refusal(
            f"--output {args.output} has the extension of {output_dialect.title} models,"
            f" but --to is {args.to}"
        )
    last = len(dialect_named("onnx").opsets)
    if args.opset is not None and not 1 <= args.opset <= last:
        raise Refusal(f"--opset {args.opset} is not supported; expected 1 to {last}")
    limits = limits_of(args, settings().limits)
    analysis = analyse(read(args.model, args.weights, limits=limits), registry_of(args), limits)
    target = translated(analysis, args.to, args.opset)
    write(target, args.output)
    if not args.quiet:
        opset: Printable = "".join(f", opset {number}" for number in target.model.opsets.values())
        count, unit = len(target.model.layers), "ONNX node" if args.to == "onnx" else f"{dialect.title} layer"
        say(
            f"{printable(args.output)}: converted {analysis.model.layer_count} to"
            f" {count} {printable(unit)}{'' if count == 1 else 's'}{opset}"
        )
    return CLEAN
