"""Report whether results agree, and name the layers whose values are wrong.

The results of the unmodified model are compared first. Then two sources give
the values of its layers. By default every layer of --b is computed from the
values of --a (isolated), so that a layer is named only if it is wrong itself.
A source is one of:

  reference                     the reference of irops
  numba, openvino, onnxruntime  a backend, layer by layer
  openvino:CPU[,PROPERTY=VALUE] a device of OpenVINO with the whole model
  onnxruntime:model.onnx        ONNX Runtime with a whole model
  model:other.xml               another model, layers matched as irops diff does
  values.npz, a folder          stored values, or blob dumps of OpenVINO

example:
  irops compare model.xml --b openvino:CPU --load-inputs in.npz
  irops compare model.xml --b openvino:CPU,PERFORMANCE_HINT=LATENCY --fill ones
  irops compare model.xml --b model:int8.xml --mode propagated --fill random
  irops compare model.xml --fill random --output-format html -o report.html
  irops compare model.xml --b openvino:CPU --fill random --repeat 10
  irops compare model.xml --b out.npz --load-inputs in.npz --rtol 1e-3
  irops compare model.xml --b numba --fill random --save-values recorded
"""

from __future__ import annotations

import argparse
import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.cli.command import CLEAN, FINDINGS, REFUSED, Command
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.input_options import add_inputs, inputs_of
from irops.cli.main import Refusal
from irops.cli.model_files import add_model
from irops.cli.options import (
    add_limits,
    add_overwrite,
    add_report,
    integer_at_least,
    limits_of,
    report_format,
    written,
)
from irops.cli.progress import progress_bar
from irops.cli.settings import settings
from irops.cli.streams import NOTHING, say
from irops.debugging.compare.comparison import (
    MODES,
    Comparison,
    UnsuitableMode,
    compared_sets,
    mode_of,
    require_known_names,
)
from irops.debugging.compare.given_tolerances import GivenTolerances
from irops.debugging.compare.html import page
from irops.debugging.compare.report import junit, report_text
from irops.debugging.sources.other_model import set_partners
from irops.debugging.sources.parse import source_of_text
from irops.debugging.sources.processes import Workers
from irops.debugging.sources.source import Context, Source, SourceFailed
from irops.debugging.sources.stored import SourceError, save_values
from irops.diagnostics.printable import Escaped, json_text, plural, printable, printable_lines
from irops.dialects.reading import read
from irops.files.limits import Limits
from irops.ir.pending import write_report
from irops.ir.targets import JUNIT, REPORT

COMMAND = Command(
    "name the layers whose values are wrong",
    90,
    code_1="a result or a layer differs, a result was not compared, or\nthe model has errors",
    code_2="nothing was compared,\nwrong usage, a file that cannot be read or written, or an internal\nerror",
    is_guarded=True,
)

FORMATS = ("full", "json", "junit", "html")


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "--a", metavar="SOURCE", default="reference", help="what gives the right values; default: reference"
    )
    parser.add_argument(
        "--b", metavar="SOURCE", default="openvino", help="what is compared with it; default: openvino"
    )
    parser.add_argument(
        "--mode",
        choices=MODES,
        help="isolated: each layer of --b from the inputs of --a; propagated: both run through; cuts: the"
        " smallest part that differs when --b compiles it as a whole; default: isolated where --b computes"
        " layers",
    )
    add_inputs(parser)
    tolerances = parser.add_argument_group("tolerances, in place of what rounding explains")
    for option, meaning in (("--rtol", "times the value of --a"), ("--atol", "as it is")):
        tolerances.add_argument(
            option,
            metavar="[NAME=]NUMBER",
            action="append",
            default=[],
            type=_tolerance,
            help=f"the difference that is accepted, {meaning}; of one layer, tensor or result; repeatable",
        )
    parser.add_argument(
        "--map",
        metavar="A=B",
        action="append",
        default=[],
        type=_partners,
        help="with --b model:FILE: layer or tensor A of MODEL is B of the other one; repeatable",
    )
    parser.add_argument(
        "--repeat",
        metavar="N",
        type=integer_at_least(1),
        default=1,
        help="with --fill random: compare for N seeds, and report the worst of each layer",
    )
    parser.add_argument(
        "--save-values",
        metavar="DIR",
        help="record the values of --b in a folder, which is a source; no comparison",
    )
    parser.add_argument("--all", action="store_true", help="list every layer")
    add_report(parser, FORMATS)
    parser.add_argument("--quiet", "-q", action="store_true", help="no report, only the exit code")
    add_overwrite(parser)
    add_limits(parser)
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    limits = limits_of(args, settings().limits)
    args.output_format = report_format(args)
    try:
        with ExitStack() as opened:
            workers = Workers.of(registry_of(args), limits)
            a, b = (source_of_text(text, workers) for text in (args.a, args.b))
            opened.callback(a.close)
            opened.callback(b.close)
            mode_of(args.mode, b)
            return _compared(args, a, b, limits)
    except (SourceError, SourceFailed, UnsuitableMode) as error:
        raise Refusal(str(error)) from None


def _compared(args: argparse.Namespace, a: Source, b: Source, limits: Limits) -> int:
    """Read the model, and compare or record. The sources were checked before, as this may take minutes.

    Raises:  SourceError, SourceFailed; Refusal for wrong arguments
    """
    analysis = analyse(read(args.model, args.weights, limits=limits), registry_of(args), limits)
    tolerances = _tolerances(args, analysis)
    sets, notes, generated = [], [], []
    for one in _sets(args):
        inputs, chosen = inputs_of(analysis, one, limits)
        sets.append(Context(analysis, analysis.signature.arrays(inputs)))
        generated.append(chosen)
        notes += [line for line in chosen.lines if line not in notes]
    if args.save_values:
        if len(sets) > 1:
            raise Refusal("--save-values records the values for one set of inputs")
        count = save_values(b, sets[0], args.save_values)
        if not args.quiet:
            say(f"{printable(args.save_values)}: {plural(count, 'value')} of {printable(b.name)}")
        return CLEAN
    set_partners(b, analysis, dict(args.map))
    with progress_bar("comparing", quiet=args.quiet) as progress:
        comparison = compared_sets(sets, a, b, args.mode, progress, tolerances)
    comparison = replace(comparison, notes=(*comparison.notes, *notes), inputs=tuple(generated))
    _deliver(comparison, analysis, args)
    if comparison.coverage.is_nothing:
        return REFUSED
    return CLEAN if comparison.ok else FINDINGS


def _sets(args: argparse.Namespace) -> list[argparse.Namespace]:
    """The arguments of each set of inputs: a file of the folder, a seed. Raises: Refusal"""
    if args.repeat > 1 and args.fill != "random":
        raise Refusal("--repeat draws other random values each time, it needs --fill random")
    files = [args.load_inputs]
    if args.load_inputs and os.path.isdir(args.load_inputs):
        files = sorted(str(path) for path in Path(args.load_inputs).glob("*.npz"))
        if not files:
            raise Refusal(f"--load-inputs {args.load_inputs}: the folder has no .npz files")
    sets = [(file, args.seed + number) for file in files for number in range(args.repeat)]
    return [
        # the report says what was chosen
        argparse.Namespace(**{**vars(args), "load_inputs": file, "seed": seed, "quiet": not args.save_values})
        for file, seed in sets
    ]


def _tolerances(args: argparse.Namespace, analysis: ModelAnalysis) -> GivenTolerances:
    """Raises: Refusal for a name that the model does not have"""
    try:
        tolerances = GivenTolerances.of(dict(args.rtol), dict(args.atol))
        require_known_names(analysis, tolerances)
    except ValueError as error:
        raise Refusal(str(error)) from None
    return tolerances


def _partners(text: str) -> tuple[str, str]:
    """A=B."""
    one, equals, other = text.partition("=")
    if not (one and equals and other):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form A=B")
    return one, other


def _tolerance(text: str) -> tuple[str, float]:
    """NAME=NUMBER, or a number for all."""
    name, _, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NUMBER or NAME=NUMBER, at least 0")
    return name, value


def _deliver(comparison: Comparison, analysis: ModelAnalysis, args: argparse.Namespace) -> None:
    text = _text(comparison, analysis, args)
    if args.output:
        output = JUNIT if args.output_format == "junit" else REPORT
        write_report(args.output, output, text)
        if not args.quiet:
            say(written(args))
    elif not args.quiet:
        say(text, end=NOTHING)


def _text(comparison: Comparison, analysis: ModelAnalysis, args: argparse.Namespace) -> Escaped:
    match args.output_format:
        case "json":
            return json_text(comparison.to_json())
        case "junit":
            return junit(comparison)
        case "html":
            return page(comparison, analysis)
    return printable_lines(f"{report_text(comparison, all_layers=args.all)}\n")
