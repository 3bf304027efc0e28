"""Say all that is wrong with IR files, each finding with its line, in one pass.

Exit code: 0 if there is no error, 1 if there is one.

example:
  irops check model.xml
  irops check a.xml b.xml --ignore IR208 --output-format github
"""
from __future__ import annotations

import argparse
import sys

from irops.checks.run import check
from irops.cli.bounded import add_limits, limits_of
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.findings import write
from irops.cli.main import CLEAN, FINDINGS, Refusal
from irops.cli.progress import each
from irops.cli.settings import settings
from irops.diagnostics.report import Report
from irops.diagnostics.reporters import FOR_PEOPLE, FORMATS
from irops.diagnostics.selection import rules_of


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("models", nargs="+", metavar="MODEL", help="an .xml file; its .bin lies beside it")
    parser.add_argument("--weights", metavar="FILE", help="the .bin file, if it does not lie beside the .xml")
    parser.add_argument("--output-format", choices=FORMATS, default="full", help="default: full")
    parser.add_argument("--select", metavar="RULES", type=_rules, action="extend", default=[],
                        help="only these rules: codes, beginnings of codes or names, separated by commas")
    parser.add_argument("--ignore", metavar="RULES", type=_rules, action="extend", default=[], help="not these rules")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if there are warnings, too")
    parser.add_argument("--quiet", "-q", action="store_true", help="no summary, no progress")
    add_limits(parser)
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    if args.weights is not None and len(args.models) > 1:
        raise Refusal("--weights goes with one model")
    registry, preset = registry_of(args), settings()
    limits = limits_of(args, preset.limits)
    select, ignore = args.select or preset.select, [*preset.ignore, *args.ignore]
    for_people = args.output_format in FOR_PEOPLE
    reports: list[Report] = []
    for model in each(args.models, "checking", quiet=args.quiet or len(args.models) < 10):
        report = check(model, args.weights, registry=registry, limits=limits).narrowed(select, ignore)
        reports.append(report)
        if for_people:
            write([report], args.output_format)
    if not for_people:
        write(reports, args.output_format)
    elif not args.quiet:
        from irops.diagnostics.summary import summary
        sys.stdout.write(f"{summary(reports)}\n")
    failed = any(not report.ok or ((args.strict or preset.strict) and len(report)) for report in reports)
    return FINDINGS if failed else CLEAN


def _rules(text: str) -> list[str]:
    words = [word.strip() for word in text.split(",")]
    try:
        rules_of(words)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return words
