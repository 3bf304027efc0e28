"""Find the smallest model that still shows a fault.

Layers, shapes, values and attributes are taken away as long as the fault shows.
What feeds a part of the model becomes an input with the value that it has in a
run of irops. The folder gets reduced.xml, reduced.bin, inputs.npz and repro.py,
a program for a bug report, which needs the runtime and NumPy alone. Ctrl-C ends
the search and writes the smallest model so far, which can be reduced further.

A command (--command) gets the paths of the model and of an .npz file with its
inputs as its last two arguments, and as IROPS_MODEL and IROPS_INPUTS; it exits
with 0 if the fault shows. It runs in an empty folder.

example:
  irops reduce model.xml --source reference,openvino:CPU --fill random -o small
  irops reduce model.xml --crashes openvino --load-inputs in.npz -o small
  irops reduce model.xml --rule IR401 -o small
  irops reduce model.xml --command ./interesting.sh --fill random -o small
"""

import argparse
import json
import os
import shlex
import sys
from collections.abc import Sequence
from math import inf
from typing import Any

from irops.analysis.model_analysis import ModelAnalysis
from irops.cli.display import progress_bar
from irops.cli.main import Refusal
from irops.cli.models import add_inputs, add_model, analysis_of, inputs_of
from irops.cli.options import add_format, add_option, add_settings, refusing, sources_of, written_folder
from irops.cli.parser import CLEAN, FINDINGS, INTERRUPTED
from irops.debugging.reduce.attempts import InvalidQuestion
from irops.debugging.reduce.reduction import STOPPED_BY_USER, NoFault, Reduction, reduce
from irops.diagnostics.printable import plural, printable

EXIT_1 = "the fault does not show in the model, or the model has errors"

VERSION = 1
"""The version of the JSON output."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    fault = parser.add_argument_group("fault").add_mutually_exclusive_group(required=True)
    differs = "of two, results differ: reference, openvino:CPU, model:B; repeatable"
    add_option(fault, "--source A...", differs, dest="sources")
    add_option(fault, "--crashes A", "a source that fails on the model: openvino:CPU")
    add_option(fault, "--rule CODE", "a rule that irops check reports: IR401")
    add_option(fault, "--command CMD", "a command that exits with 0", type=_words)
    add_inputs(parser)
    search = parser.add_argument_group("search")
    add_option(search, "--tries N", "judge at most N candidates", at_least=1, default=150)
    add_option(search, "--seconds N", "search for at most N seconds", at_least=1)
    seconds_per_try = "end a process that judges a candidate after N seconds"
    add_option(search, "--seconds-per-try N", seconds_per_try, at_least=1, default=120)
    add_option(parser, "--output -o FOLDER", "the folder for the result", type=written_folder, required=True)
    add_format(parser)
    add_option(parser, "--quiet -q", "no summary, no progress")
    add_settings(parser)


def execute(args: argparse.Namespace) -> int:
    sources = sources_of(args.sources)
    if args.sources and len(sources) != 2:
        named = f"--source names {plural(len(sources), 'source')}"
        raise Refusal(f"{named}, must name two, such as reference and openvino:CPU")
    analysis = analysis_of(args)
    inputs = {} if args.rule else inputs_of(analysis, args)
    try:
        reduction = _reduction(args, sources, analysis, inputs)
    except NoFault as error:
        print(f"irops reduce: {printable(str(error))}", file=sys.stderr)
        return FINDINGS
    files = reduction.write(args.output)
    if args.output_format == "json":
        print(json.dumps(_content(reduction, files), indent=2))
    elif not args.quiet:
        print(_summary(reduction, files, args.output))
    return INTERRUPTED if reduction.stopped == STOPPED_BY_USER else CLEAN


def _reduction(
    args: argparse.Namespace, sources: Sequence[str], analysis: ModelAnalysis, inputs: Any
) -> Reduction:
    """Raises: Refusal for wrong arguments; DiagnosticError; NoFault"""
    with refusing(InvalidQuestion), progress_bar("reducing to", quiet=args.quiet) as progress:
        return reduce(
            analysis,
            inputs,
            differs=sources or None,
            crashes=args.crashes,
            rule=args.rule,
            command=args.command,
            tries=args.tries,
            seconds=args.seconds or inf,
            seconds_per_try=args.seconds_per_try,
            registry=analysis.registry,
            limits=analysis.limits,
            progress=progress,
        )


def _summary(reduction: Reduction, files: tuple[str, ...], folder: str) -> str:
    lines = [
        f"{printable(os.path.join(folder, files[0]))}: {reduction}",
        f"fault: {printable(reduction.reason)}",
        f"also written: {', '.join(files[1:])}",
    ]
    if reduction.unjudged:
        lines.append(f"not judged: {plural(reduction.unjudged, 'candidate')}; {printable(reduction.note)}")
    if reduction.stopped is not None:
        lines.append(f"the search ended early: {reduction.stopped}")
    return "\n".join(lines)


def _content(reduction: Reduction, files: tuple[str, ...]) -> dict[str, Any]:
    return {
        "schema_version": VERSION,
        "layers": reduction.layers,
        "of": reduction.of,
        "tries": reduction.tries,
        "reason": reduction.reason,
        "stopped": reduction.stopped,
        "unjudged": reduction.unjudged,
        "files": list(files),
    }


def _words(text: str) -> list[str]:
    """An argparse type: the words of a command; a program given by a relative path is found from here."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a command: {error}") from None
    if not words:
        raise argparse.ArgumentTypeError("the command is empty")
    program = os.path.abspath(words[0]) if os.sep in words[0] else words[0]
    return [program, *words[1:]]
