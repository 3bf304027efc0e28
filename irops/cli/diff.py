"""Report what differs between two models.

Layers added, removed, changed, rewired, renamed or moved; weights and how much
their elements differ; inputs and outputs; metadata. Layers are matched by name,
then by what surrounds them: a model that is renumbered, renamed or reordered
is the same. Weights that are stored in another type are compared by value.

example:
  irops diff before.xml after.xml
  irops diff before.xml after.xml --ignore names,rt_info
  irops diff before.xml after.xml -o differences.html
"""

import argparse
import json
import sys

from irops.analysis.model_analysis import analyse
from irops.cli import options
from irops.cli.display import deliver, print_diagnostics
from irops.cli.models import model_help, registry_of
from irops.cli.parser import CLEAN, FINDINGS, REFUSED
from irops.cli.settings import settings
from irops.diagnostics.printable import printable_lines
from irops.dialects.reading import read
from irops.editing.diff import IGNORABLE, Difference, diff, page
from irops.ir.weights import constant_faults

EXIT_1 = "the models differ, or one has errors"

FORMATS = ("full", "json", "html")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", metavar="A", help=model_help())
    parser.add_argument("b", metavar="B", help="the model to compare it with, in any of these formats")
    options.add_option(
        parser, "--ignore WHAT...", f"what to leave out, separated by commas: {', '.join(IGNORABLE)}"
    )
    options.add_report(parser, FORMATS)
    options.add_settings(parser)


def execute(args: argparse.Namespace) -> int:
    options.set_report_format(args, FORMATS)
    limits, registry = options.limits_of(args, settings(args.config).limits), registry_of(args)
    ignore = [word for text in args.ignore for word in text.split(",") if word]
    analyses = [analyse(read(path, limits=limits), registry, limits) for path in (args.a, args.b)]
    every = (fault for analysis in analyses for fault in constant_faults(analysis.model))
    faults = [] if "weights" in ignore else [fault for fault in every if fault.name == "missing-weights"]
    if faults:
        print_diagnostics(faults, sys.stderr)
        print("--ignore weights compares the rest", file=sys.stderr)
        return REFUSED
    with options.argument_errors("--ignore: "):
        difference = diff(analyses[0], analyses[1], ignore=ignore)
    deliver(_text(difference, args.output_format), args)
    return CLEAN if difference.same else FINDINGS


def _text(difference: Difference, style: str) -> str:
    match style:
        case "json":
            return json.dumps(difference.to_json(), indent=2) + "\n"
        case "html":
            return page(difference)
    return printable_lines(f"{difference}\n")
