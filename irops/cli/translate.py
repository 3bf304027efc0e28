"""Say a model in the ops of another dialect: OpenVINO's, as IR, or ONNX's.

What the file relied upon is written out, since defaults differ: those of
ReverseSequence are the opposite of each other. What cannot be said is
told, layer by layer, and nothing is written.
Exit code: 0 if the file was written, 1 if the model cannot be translated.

example:
  irops translate model.xml --to onnx -o model.onnx
  irops translate model.onnx --to openvino -o model.xml
"""

from __future__ import annotations

import argparse

from irops.cli.main import CLEAN, Refusal
from irops.cli.models import model_help
from irops.cli.numbers import whole
from irops.diagnostics.printable import plural, printable
from irops.dialects import dialect_named, dialect_of_suffix
from irops.editing.translation.refusal import SPELLED
from irops.editing.translation.translate import OPSET, translate
from irops.reading import read
from irops.writing import write


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help=model_help())
    parser.add_argument(
        "--to", choices=tuple(sorted(SPELLED, reverse=True)), required=True, help="the dialect to say it in"
    )
    parser.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        required=True,
        help="where to write it: an .xml file, .bin beside it; or .onnx",
    )
    parser.add_argument(
        "--opset", metavar="N", type=whole(0), help=f"the opset of ONNX to say it in; default: {OPSET}"
    )
    parser.add_argument("--weights", metavar="FILE", help="the .bin file, if it does not lie beside the .xml")
    parser.add_argument("--quiet", "-q", action="store_true", help="say nothing where nothing is wrong")


def execute(args: argparse.Namespace) -> int:
    named, dialect = dialect_of_suffix(args.output), dialect_named(args.to)
    if named is not dialect:
        raise Refusal(
            f"--output {args.output} is the name of a model of {named.title}, and --to says {args.to}"
        )
    last = len(dialect_named("onnx").opsets)
    if args.opset is not None and not 1 <= args.opset <= last:
        raise Refusal(f"--opset {args.opset} is none that irops knows, must be 1 to {last}")
    model = read(args.model, args.weights)
    translated = translate(model, args.to, opset=args.opset)
    write(translated, args.output)
    if not args.quiet:
        opset = "".join(f", opset {number}" for number in translated.opsets.values())
        print(
            f"{printable(args.output)}: {plural(len(model.layers), 'layer')} said in {len(translated.layers)}"
            f" of {dialect.title}{opset}"
        )
    return CLEAN
