"""Convert a model to what another release of OpenVINO, or an opset, reads.

Layers that the target does not read get an older version of their op that
means the same, or become simpler ops; constants of newer element types are
stored in older ones. All other layers stay as they are, unless --upgrade brings
them to the newest version. What rounds is reported; if a layer has no equal
form, all such layers are reported and no file is written.

example:
  irops convert model.xml --target 2023.0 -o old.xml
  irops convert model.xml --target opset:8 -o old.xml
  irops convert model.xml --target newest -o new.xml
  irops convert model.xml --target 2024.0 --ir-version 10 -o old.xml
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
from irops.cli.settings import settings
from irops.diagnostics.printable import plural, printable
from irops.dialects import dialect_named, dialect_of_suffix
from irops.editing.conversion.conversion import Conversion
from irops.editing.conversion.convert import converted
from irops.editing.conversion.targets import target_named
from irops.ir.versions import READ
from irops.reading import read
from irops.spec.types import OPENVINO
from irops.writing import write


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help=model_help())
    parser.add_argument(
        "--target",
        metavar="TARGET",
        required=True,
        help="a release of OpenVINO (2023.0), an opset (opset:8), or newest",
    )
    parser.add_argument("--output", "-o", metavar="FILE", required=True, help="the .xml file to write")
    parser.add_argument(
        "--upgrade",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="bring all layers to the newest version of their op that the target reads, where it means the"
        " same; default: for --target newest",
    )
    parser.add_argument(
        "--ir-version",
        type=int,
        choices=READ,
        help="the IR version of the file; default: that of the model",
    )
    parser.add_argument("--weights", metavar="FILE", help="the .bin file, if it is not next to the .xml file")
    parser.add_argument("--quiet", "-q", action="store_true", help="no summary and no notes")
    add_limits(parser)
    add_config(parser)
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    if dialect_of_suffix(args.output) is not dialect_named(OPENVINO):
        raise Refusal(f"--output {args.output} is not a path for an OpenVINO model, must end with .xml")
    try:
        target_named(args.target)
    except ValueError as error:
        raise Refusal(f"--target: {error}") from None
    limits = limits_of(args, settings(args.config).limits)
    analysis = analyse(read(args.model, args.weights, limits=limits), registry_of(args), limits)
    conversion = converted(analysis, args.target, upgrade=args.upgrade, ir_version=args.ir_version)
    write(conversion.model, args.output, registry=analysis.registry)
    if not args.quiet:
        _report(conversion, args.output, len(analysis.model.layers))
    return CLEAN


def _report(conversion: Conversion, path: str, layers: int) -> None:
    changes = len(conversion.changes)
    done = f"converted {changes} of {plural(layers, 'layer')}" if changes else "no layer had to be converted"
    print(f"{printable(path)}: {done} for {conversion.label}")
    for line in conversion.summary():
        print(f"  {printable(line)}")
    for note in conversion.notes:
        print(f"note: {printable(note)}")
