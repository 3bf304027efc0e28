"""Report what differs between two models.

Layers added, removed, changed, rewired, renamed or moved; weights and how much
their elements differ; inputs and outputs; metadata. Layers are matched by name,
then by what surrounds them: a model that is renumbered, renamed or reordered
is the same. Weights that are stored in another type are compared by value.

example:
  irops diff before.xml after.xml
  irops diff before.xml after.xml --ignore names,rt_info
  irops diff before.xml after.xml --output-format html -o differences.html
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.cli.command import CLEAN, FINDINGS, REFUSED, Command
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.main import argument_errors
from irops.cli.model_files import model_help
from irops.cli.options import add_limits, add_report, limits_of, report_format, written
from irops.cli.settings import settings
from irops.cli.streams import NOTHING, say
from irops.diagnostics.printable import Escaped, Markup, Printable, in_html, json_text, printable_lines
from irops.dialects.reading import read
from irops.drawing.changes import draw_changes
from irops.editing.diff.diff import IGNORABLE, diff, in_one_dialect, label_of
from irops.editing.diff.differences import Difference
from irops.editing.diff.html import page
from irops.files.extras import MissingExtraError
from irops.ir.pending import write_report
from irops.ir.targets import REPORT

COMMAND = Command(
    "report what differs between two models",
    80,
    code_1="the models differ",
    code_2="wrong usage, a file that cannot be read or written, a model with\nerrors, or an internal\nerror",
    says_difference=True,
    completion={"A": "MODEL"},
)

FORMATS = ("full", "json", "html")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", metavar="A", help=model_help())
    parser.add_argument("b", metavar="B", help="the model to compare it with, in any of these formats")
    parser.add_argument(
        "--ignore",
        metavar="WHAT",
        action="append",
        default=[],
        help=f"what to leave out, separated by commas: {', '.join(IGNORABLE)}; repeatable",
    )
    add_report(parser, FORMATS)
    parser.add_argument("--quiet", "-q", action="store_true", help="no report, only the exit code")
    add_limits(parser)
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    limits, registry = limits_of(args, settings().limits), registry_of(args)
    args.output_format = report_format(args)
    ignore = [word for text in args.ignore for word in text.split(",") if word]
    one, other = (analyse(read(path, limits=limits), registry, limits) for path in (args.a, args.b))
    a, b = in_one_dialect(one, other)
    with argument_errors("--ignore: "):
        difference = replace(diff(a, b, ignore=ignore), a=label_of(one, "a"), b=label_of(other, "b"))
    text: Escaped = (
        page(difference, _drawing(a, b, difference))
        if args.output_format == "html"
        else _text(difference, args.output_format)
    )
    if args.output:
        write_report(args.output, REPORT, text)
        if not args.quiet:
            say(written(args))
    elif not args.quiet:
        say(text, end=NOTHING)
    if not difference.compared:
        say("irops diff: the models may be the same: weights could not be computed", sys.stderr)
        return REFUSED
    return CLEAN if difference.same else FINDINGS


def _drawing(a: ModelAnalysis, b: ModelAnalysis, difference: Difference) -> Markup:
    """The pictures of what changed, as HTML."""
    try:
        pictures = draw_changes(a, b, difference)
    except MissingExtraError as missing:
        return f'<p class="faint">{in_html(str(missing))}</p>'
    return "".join(f'<div class="drawing">{picture.svg}</div>' for picture in pictures)


def _text(difference: Difference, style: str) -> Printable:
    if style == "json":
        return json_text(difference.to_json())
    return printable_lines(f"{difference}\n")
