"""Write a part of a model as a model of its own.

The part computes the values of --to from those of --from, or lies around a
layer. Values are named by their tensor or their layer (layer:1 where a layer
has several outputs). Where the part is cut it gets Parameters, with the types
and shapes that are inferred; constants that it needs are included.

example:
  irops extract model.xml --from conv_1 --to relu_9 -o part.xml
  irops extract model.xml --around matmul_4 --hops 2 -o part.xml
  irops extract model.xml --from a --to b --load-inputs in.npz -o part.xml
  irops extract model.xml --path loop/body --to next -o body.xml
"""

import argparse
import os
from pathlib import Path

from irops.analysis.model_analysis import ModelAnalysis, path_of_text
from irops.cli.main import Refusal
from irops.cli.models import add_model, analysis_of, load_all
from irops.cli.options import add_option, add_settings, argument_errors, written_model
from irops.cli.parser import CLEAN
from irops.cli.writing import write_model
from irops.diagnostics.printable import plural, printable
from irops.dialects import dialect_of, dialect_of_suffix
from irops.editing.extraction import Boundary, Part, cut_values, extracted
from irops.files.urls import without_credentials
from irops.ir.numpy_files import as_declared, save_all
from irops.values.element import Array

EXIT_1 = "the model has errors, or the part cannot be taken"


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    part = parser.add_argument_group("part")
    for option, what, dest in (("--from", "inputs", "inputs"), ("--to", "results", "outputs")):
        values = f"values that become {what}, separated by commas; default: the model's {what}"
        part.add_argument(option, metavar="VALUES", action="append", dest=dest, help=values)
    add_option(part, "--around LAYER", "take what lies around a layer")
    add_option(part, "--hops N", "how many edges the part reaches from --around", at_least=0, default=1)
    add_option(part, "--path LAYER/BODY", "take the part from a body: loop/body", default="")
    add_option(parser, "--output -o FILE", "the .xml file of the part", type=written_model, required=True)
    add_option(
        parser,
        "--load-inputs FILE",
        "run the model on the arrays of an .npz file, and write the values at the cut to an .npz file"
        " beside the output",
    )
    add_option(parser, "--quiet -q", "no summary")
    add_settings(parser)


def execute(args: argparse.Namespace) -> int:
    if args.around is not None and (args.inputs or args.outputs):
        raise Refusal("--around is given together with --from or --to; give it alone")
    if args.around is None and not args.inputs and not args.outputs and not args.path:
        raise Refusal("no part is named; give --from, --to, --around or --path")
    analysis = analysis_of(args)
    model = analysis.model
    if dialect_of_suffix(args.output) is not dialect_of(model):
        part_of = f"a part of {without_credentials(args.model)}"
        raise Refusal(f"--output {args.output} cannot hold {part_of}: it has another format")
    with argument_errors():
        path = path_of_text(analysis, args.path)
        boundary = Boundary(_names(args.inputs), _names(args.outputs), args.around, args.hops, path)
        part = extracted(analysis, boundary)
    arrays = _values(part, analysis, args.load_inputs) if args.load_inputs else {}
    write_model(model, part.model, analysis.registry, args)
    beside = Path(args.output).with_suffix(".npz")
    if args.load_inputs:
        save_all(os.fspath(beside), arrays)
    if not args.quiet:
        layers = plural(len(part.model.layers), "layer")
        values = f"; {plural(len(arrays), 'value')} in {printable(str(beside))}" if args.load_inputs else ""
        print(f"{printable(args.output)}: {layers} of {part.whole}{values}")
        for name in part.rounded:
            kind = part.model.layer(name).data["element_type"]
            where = f"note: input {printable(name)!r} is among constants, which irops computes in f32"
            print(f"{where}; as an input of the part it is rounded to {kind}")
    return CLEAN


def _names(texts: list[str] | None) -> list[str] | None:
    return [name for text in texts for name in text.split(",") if name] if texts else None


def _values(part: Part, analysis: ModelAnalysis, path: str) -> dict[str, Array]:
    """The values at the cut, when the model is run on the arrays of a file."""
    inputs: dict[str | int, Array] = {}
    for name, array in load_all(path, analysis.limits).items():
        port = analysis.signature.input_of_text(name)
        inputs[port.name] = as_declared(array, port.fact.element_type)
    return cut_values(part, analysis, inputs)
