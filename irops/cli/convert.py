"""Convert a model to what another release of OpenVINO, or an opset, reads, or
between OpenVINO and ONNX operators, or give its inputs other shapes.

For a release or an opset, layers that it does not read get an older version of
their op that means the same, or become simpler ops; constants of newer element
types are stored in older ones. All other layers stay as they are, unless
--upgrade brings them to the newest version. What rounds is reported. --upgrade
and --ir-version do the same for a model that stays with its release.

Between OpenVINO and ONNX, attributes are written out, since defaults differ
(those of ReverseSequence are opposite). Without --target the suffix of the
output says which of them it is.

--shape makes a batch dynamic, or fixes it; all shapes behind follow.

If layers have no equal form in the target, all of them are reported and no file
is written.

example:
  irops convert model.xml --target 2023.0 -o old.xml
  irops convert model.xml --target opset:8 -o old.xml
  irops convert model.xml --target newest -o new.xml
  irops convert model.xml --target 2024.0 --ir-version 10 -o old.xml
  irops convert model.xml --ir-version 10 -o old.xml
  irops convert model.xml --target onnx:17 -o model.onnx
  irops convert model.onnx -o model.xml
  irops convert model.xml --shape image:-1,3,224,224 -o dynamic.xml
"""

import argparse
from collections.abc import Sequence
from typing import Any

from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.cli.main import Refusal
from irops.cli.models import add_model, analysis_of
from irops.cli.options import Pair, add_option, add_settings, add_shapes, written_model
from irops.cli.parser import CLEAN
from irops.cli.writing import write_model
from irops.diagnostics.diagnostic import DiagnosticError
from irops.diagnostics.printable import plural, printable
from irops.diagnostics.suggestions import did_you_mean_word
from irops.dialects import dialect_named, dialect_of_suffix
from irops.editing.conversion.convert import converted
from irops.editing.conversion.targets import Conversion, target_named
from irops.editing.graph.graph import Graph
from irops.editing.translation.node import DIALECT_NAMES
from irops.editing.translation.translate import OPSET, translated
from irops.ir.build import READ
from irops.spec.definition import OPENVINO

EXIT_1 = "the model has errors, or a layer has no equal form in the target"

ONNX = "onnx"


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    add_option(
        parser,
        "--target TARGET",
        "a release of OpenVINO (2023.0), an opset (opset:8), newest, openvino, onnx, or an opset of ONNX"
        f" (onnx:17; onnx is onnx:{OPSET}); default: that of the suffix of the output",
        type=_target,
    )
    add_shapes(parser, "another shape of an input, such as image:-1,3,224,224 or x:1..8,N; repeatable")
    output = "the output: an .xml file, with its .bin next to it, or an .onnx file"
    add_option(parser, "--output -o FILE", output, type=written_model, required=True)
    parser.add_argument(
        "--upgrade",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="bring all layers to the newest version of their op that the target reads, where it means the"
        " same; default: for --target newest",
    )
    ir_version = "the IR version of the file; default: that of the model"
    add_option(parser, "--ir-version", ir_version, type=int, choices=READ)
    add_option(parser, "--quiet -q", "no summary and no notes")
    add_settings(parser)


def _target(text: str) -> str:
    """An argparse type: the text of a target that exists."""
    name, colon, opset = text.partition(":")
    last = len(dialect_named(ONNX).opsets)
    # nine digits: int() refuses texts of thousands
    if name == ONNX and colon and not (opset.isascii() and opset.isdigit() and 1 <= int(opset[:9]) <= last):
        raise argparse.ArgumentTypeError(f"ONNX has no opset {opset!r}; expected onnx:1 to onnx:{last}")
    if name != ONNX and text not in DIALECT_NAMES:
        try:
            target_named(text)
        except ValueError as error:
            hint = did_you_mean_word(text, DIALECT_NAMES)
            raise argparse.ArgumentTypeError(f"{error}, {', '.join(DIALECT_NAMES)}{hint}") from None
    return text


def execute(args: argparse.Namespace) -> int:
    written = dialect_of_suffix(args.output).name
    name, _, opset = (args.target or written).partition(":")
    dialect = dialect_named(ONNX if name == ONNX else OPENVINO)
    if dialect_of_suffix(args.output) is not dialect:
        must = f"must end with {dialect.suffixes[0]}"
        raise Refusal(f"--output {args.output} is not a path for an {dialect.title} model, {must}")
    between_dialects = name in DIALECT_NAMES
    of_versions = args.upgrade is not None or args.ir_version is not None
    if of_versions and name == ONNX:
        raise Refusal(f"--upgrade and --ir-version are for models of OpenVINO, not for {name}")
    analysis = analysis_of(args)
    if not (args.target or args.shapes or of_versions) and analysis.model.dialect == written:
        raise Refusal(
            "the output has the format of the model; give --target, --shape, --upgrade or --ir-version"
        )
    if args.shapes and analysis.model.dialect == written == ONNX:
        raise Refusal("--shape is for models of OpenVINO; give an --output that ends with .xml")
    source = analysis.model
    if args.shapes:
        analysis = _reshaped(analysis, args.shapes)
    if between_dialects and not of_versions:
        target = translated(analysis, dialect.name, int(opset) if opset else None)
        write_model(source, target, target.registry, args)
        if not args.quiet:
            opsets = "".join(f", opset {number}" for number in target.model.opsets.values())
            unit = "ONNX node" if dialect.name == ONNX else f"{dialect.title} layer"
            translates = source.dialect != dialect.name
            done = f"converted {plural(len(source.layers), 'layer')} to" if translates else "wrote"
            print(f"{printable(args.output)}: {done} {plural(len(target.model.layers), unit)}{opsets}")
    else:
        if source.dialect != OPENVINO and between_dialects:
            analysis = translated(analysis, OPENVINO)
        release = None if between_dialects else args.target
        conversion = converted(analysis, release, upgrade=args.upgrade, ir_version=args.ir_version)
        write_model(source, conversion.model, analysis.registry, args)
        if not args.quiet:
            _report(conversion, args.output, len(analysis.model.layers))
    for port in analysis.signature.inputs if args.shapes and not args.quiet else ():
        print(f"  input {printable(port.name)}: {port.fact}")
    return CLEAN


def _reshaped(analysis: ModelAnalysis, shapes: Sequence[Pair]) -> ModelAnalysis:
    """The model with other shapes of inputs, which all others follow."""
    wanted: dict[str | int, Any] = {
        analysis.signature.input_of_text(name).name: shape for name, shape, _ in shapes
    }
    errors = [error for error in analysis.infer(wanted).errors if error.name != "missing-weights"]
    if errors:  # at their places in the file
        raise DiagnosticError(errors)
    model = translated(analysis, OPENVINO).model
    graph = Graph(model, registry=analysis.registry, limits=analysis.limits)
    graph.reshape(wanted)
    return analyse(graph)


def _report(conversion: Conversion, path: str, layers: int) -> None:
    changes = len(conversion.changes)
    done = f"converted {changes} of {plural(layers, 'layer')}" if changes else "no layer had to be converted"
    print(f"{printable(path)}: {done} for {conversion.label}")
    for line in conversion.summary():
        print(f"  {printable(line)}")
    for note in conversion.notes:
        print(f"note: {printable(note)}")
