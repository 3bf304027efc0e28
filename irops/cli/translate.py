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

from irops.analysis.infer import analyse
from irops.cli.exit_codes import CLEAN
from irops.cli.extension_options import add_config
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.limit_options import add_limits, limits_of
from irops.cli.main import Refusal
from irops.cli.model_files import model_help
from irops.cli.numbers import integer_at_least
from irops.cli.settings import settings
from irops.diagnostics.printable import plural, printable
from irops.dialects import dialect_named, dialect_of_suffix
from irops.editing.translation.refusal import DIALECT_NAMES
from irops.editing.translation.translate import OPSET, translated
from irops.reading import read
from irops.writing import write


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help=model_help())
    parser.add_argument(
        "--to", choices=tuple(sorted(DIALECT_NAMES, reverse=True)), required=True, help="the target dialect"
    )
    parser.add_argument(
        "--output",
        "-o",
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
    parser.add_argument("--weights", metavar="FILE", help="the .bin file, if it is not next to the .xml file")
    parser.add_argument("--quiet", "-q", action="store_true", help="no summary")
    add_limits(parser)
    add_config(parser)
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
    limits = limits_of(args, settings(args.config).limits)
    analysis = analyse(read(args.model, args.weights, limits=limits), registry_of(args), limits)
    target = translated(analysis, args.to, args.opset)
    write(target, args.output)
    if not args.quiet:
        opset = "".join(f", opset {number}" for number in target.model.opsets.values())
        unit = "ONNX node" if args.to == "onnx" else f"{dialect.title} layer"
        print(
            f"{printable(args.output)}: converted {plural(len(analysis.model.layers), 'layer')} to"
            f" {plural(len(target.model.layers), unit)}{opset}"
        )
    return CLEAN
