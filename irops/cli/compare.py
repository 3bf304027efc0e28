"""Compare the results of two sources, and name the layers whose values are wrong.

Both sources first compute the model as it is, and its results are compared.
Then, by default, every layer of --b is computed from the values of --a
(isolated), so that a layer is named only if it is wrong itself. Another model
and stored values are compared as they ran (propagated); with --mode isolated,
--a computes each of their layers again from the values of --b before it. If
neither a result nor a layer can be compared, the exit code is 2. A source is
one of:

  reference                     the reference of irops
  numba, openvino, onnxruntime  a backend, layer by layer
  openvino:CPU[,PROPERTY=VALUE] a device of OpenVINO with the whole model
  onnxruntime:model.onnx        ONNX Runtime with a whole model
  model:other.xml               another model, layers matched as irops diff does
  values.npz, a folder          stored values

example:
  irops compare model.xml --b openvino:CPU --load-inputs in.npz
  irops compare model.xml --b openvino:CPU,PERFORMANCE_HINT=LATENCY --fill ones
  irops compare model.xml --b model:int8.xml --fill random --rtol 0.02
  irops compare model.xml --fill random -o report.html
  irops compare model.xml --b numba --fill random --save-values recorded
"""

import argparse
import json
import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from irops.analysis.model_analysis import ModelAnalysis
from irops.cli import options
from irops.cli.display import deliver, progress_bar, table_width
from irops.cli.main import Refusal
from irops.cli.models import add_inputs, add_model, analysis_of, inputs_of, registry_of
from irops.cli.parser import CLEAN, FINDINGS, REFUSED
from irops.cli.settings import settings
from irops.debugging.compare.comparison import MODES, UnsuitableMode, compared, mode_of, require_partners
from irops.debugging.compare.report import Comparison, junit, page, report_text, worst_of
from irops.debugging.compare.tolerances import Tolerances
from irops.debugging.sources.parse import source_of_text
from irops.debugging.sources.source import Context, Source, SourceFailed
from irops.debugging.sources.stored import SourceError, save_values
from irops.debugging.sources.workers import SourceWorkers
from irops.diagnostics.printable import plural, printable
from irops.files.limits import Limits

EXIT_1 = "a result or a layer is wrong, or a result cannot be computed or compared"
FORMATS = ("full", "json", "junit", "html")


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    options.add_option(parser, "--a SOURCE", "what gives the right values", default="reference")
    options.add_option(parser, "--b SOURCE", "what is compared with it", default="openvino")
    options.add_option(
        parser,
        "--mode",
        "isolated: each layer of --b from the inputs of --a; propagated: both run through; cuts: the"
        " smallest part that differs when --b compiles it as a whole; default: isolated where --b computes"
        " layers",
        choices=MODES,
    )
    for option, words in (("--rtol", "relative"), ("--atol", "absolute")):
        place = "everywhere or in a layer, tensor or result; repeatable"
        allowed = f"the {words} difference that is allowed, in place of error bounds, {place}"
        options.add_option(parser, f"{option} [NAME=]NUMBER...", allowed, type=_tolerance)
    partners = "the layer or tensor A of the model is B in model:OTHER, where irops finds another"
    options.add_option(parser, "--map A=B...", partners, type=_partners)
    add_inputs(parser, "an .npz file with one array per input, or a folder of such files, one a set")
    several = "compare with N sets of values by --fill random, of seeds from --seed on, in one report"
    parser.add_argument("--repeat", metavar="N", type=options.integer_at_least(1), default=1, help=several)
    save_values = "record the values of --b in a folder, which is a source; no comparison"
    options.add_option(parser, "--save-values DIR", save_values, type=options.written_folder)
    options.add_option(parser, "--all", "list every layer")
    options.add_report(parser, FORMATS)
    options.add_settings(parser)


def _tolerance(text: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    try:
        return name, float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{number!r} is not a number") from None


def _partners(text: str) -> tuple[str, str]:
    name, separator, other = text.partition("=")
    if not (name and separator and other):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form A=B")
    return name, other


def execute(args: argparse.Namespace) -> int:
    options.set_report_format(args, FORMATS)
    limits = options.limits_of(args, settings(args.config).limits)
    with options.refusing(SourceError, SourceFailed, UnsuitableMode), ExitStack() as opened:
        workers = SourceWorkers.of(registry_of(args), limits)
        a, b = (source_of_text(text, workers) for text in (args.a, args.b))
        opened.callback(a.close)
        opened.callback(b.close)
        mode_of(args.mode, a, b)
        require_partners(b, dict(args.map))
        return _compared(args, a, b, limits)


def _compared(args: argparse.Namespace, a: Source, b: Source, limits: Limits) -> int:
    """Read the model, and compare or record. The sources were checked before, as this may take minutes.

    Raises:  SourceError, SourceFailed; Refusal for wrong arguments
    """
    analysis = analysis_of(args, limits)
    first, *others = _sets(args)
    if others and args.save_values:
        raise Refusal("--save-values records one set of values, and there are several")
    inputs = inputs_of(analysis, first)
    with options.argument_errors("--"):
        tolerances = Tolerances.of(analysis, dict(args.rtol), dict(args.atol))
    context = Context(analysis, analysis.signature.arrays(inputs), tolerances=tolerances)
    if args.save_values:
        count = save_values(b, context, args.save_values)
        if not args.quiet:
            print(printable(f"{args.save_values}: {plural(count, 'value')} of {b.name}"))
        return CLEAN
    contexts = [context]
    for again in others:
        contexts.append(replace(context, inputs=analysis.signature.arrays(inputs_of(analysis, again))))
    with progress_bar("comparing", quiet=args.quiet) as progress:
        comparison = worst_of([compared(one, a, b, args.mode, progress) for one in contexts])
    deliver(_text(comparison, analysis, args), args)
    if comparison.coverage.is_nothing:
        return REFUSED
    return CLEAN if comparison.ok else FINDINGS


def _sets(args: argparse.Namespace) -> list[argparse.Namespace]:
    """The arguments of each set of inputs: one a seed, or one a file of a folder. Raises: Refusal"""
    if args.load_inputs and os.path.isdir(args.load_inputs):
        if args.repeat > 1:
            raise Refusal("--load-inputs names a folder with sets of inputs, and --repeat makes others")
        folder = Path(args.load_inputs)
        changes = [{"load_inputs": os.fspath(file)} for file in sorted(folder.glob("*.npz"))]
        if not changes:
            raise Refusal(f"the folder {args.load_inputs!r} has no .npz files")
    elif args.repeat > 1 and args.fill != "random":
        raise Refusal("--repeat needs --fill random, since other values are the same each time")
    else:
        changes = [{"seed": args.seed + k} for k in range(args.repeat)]
    quiet = {"quiet": True}  # of all but the first, whose lines say what was assumed
    return [
        argparse.Namespace(**{**vars(args), **change, **(quiet if k else {})})
        for k, change in enumerate(changes)
    ]


def _text(comparison: Comparison, analysis: ModelAnalysis, args: argparse.Namespace) -> str:
    match args.output_format:
        case "json":
            return json.dumps(comparison.to_json(), indent=2) + "\n"
        case "junit":
            return junit(comparison)
        case "html":
            return page(comparison, analysis)
    width = None if args.output else table_width()
    return f"{report_text(comparison, all_layers=args.all, width=width)}\n"
