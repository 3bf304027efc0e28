"""Say all that is wrong with IR files, each finding with its line, in one pass.

Of a folder, all models in it and below it are checked. Many files are
shared out among processes; what is told keeps the order of the files.
Exit code: 0 if there is no error, 1 if there is one, 2 if a file could not
be checked.

example:
  irops check model.xml
  irops check models/ --ignore IR208 --output-format github
  irops check models/ --baseline known.json
  irops check model.xml --diff
  irops check --stdin-filename model.xml < buffer
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from errno import EACCES
from itertools import chain
from pathlib import Path

from irops.cli import baseline
from irops.cli.bounded import add_limits, limits_of
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.findings import write
from irops.cli.main import CLEAN, FINDINGS, REFUSED, Refusal
from irops.cli.many import Answer, Asked, answers, unchecked
from irops.cli.models import found_in, model_help
from irops.cli.numbers import whole
from irops.cli.progress import counted
from irops.cli.settings import settings
from irops.diagnostics.printable import printable_lines
from irops.diagnostics.report import Report
from irops.diagnostics.reporters import FOR_PEOPLE, FORMATS
from irops.diagnostics.selection import rules_of
from irops.limits import Limits


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "models",
        nargs="*",
        metavar="MODEL",
        help=f"{model_help()}; or a folder",
    )
    parser.add_argument("--weights", metavar="FILE", help="the .bin file, if it does not lie beside the .xml")
    parser.add_argument(
        "--stdin-filename", metavar="FILE", help="check what comes in, as if it were this file"
    )
    parser.add_argument("--output-format", choices=FORMATS, default="full", help="default: full")
    parser.add_argument(
        "--select",
        metavar="RULES",
        type=_rules,
        action="extend",
        default=[],
        help="only these rules: codes, beginnings of codes or names, separated by commas",
    )
    parser.add_argument(
        "--ignore", metavar="RULES", type=_rules, action="extend", default=[], help="not these rules"
    )
    known = parser.add_mutually_exclusive_group()
    known.add_argument(
        "--baseline", metavar="FILE", type=Path, help="leave out the findings that this file lists"
    )
    known.add_argument(
        "--write-baseline",
        metavar="FILE",
        type=Path,
        help="list all findings in this file, as known from now on",
    )
    fixing = parser.add_mutually_exclusive_group()
    fixing.add_argument(
        "--fix",
        action="store_true",
        help="put right what has one right answer: in the .xml file, never in weights",
    )
    fixing.add_argument(
        "--diff", action="store_true", help="show what --fix would change, and change nothing"
    )
    parser.add_argument("--strict", action="store_true", help="exit with 1 if there are warnings, too")
    parser.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever is found")
    parser.add_argument(
        "--jobs",
        "-j",
        metavar="N",
        type=whole(1),
        default=0,
        help="how many processes; default: one for each core where there are many files",
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="no summary, no progress")
    add_limits(parser)
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    preset = settings()
    known = args.baseline or (None if args.write_baseline else preset.baseline)
    asked = Asked(
        args.weights,
        limits_of(args, preset.limits),
        args.select or preset.select,
        [*preset.ignore, *args.ignore],
        None if known is None else baseline.Baseline.read(known),
        "fix" if args.fix else "diff" if args.diff else "",
    )
    for_people = args.output_format in FOR_PEOPLE and not (args.write_baseline or args.diff)
    reports: list[Report] = []
    left_out, changes = 0, False
    with counted("checking", quiet=args.quiet) as tell:
        files, others, found = _found(args, asked)
        for one in found:
            left_out += one.known
            changes = changes or bool(one.diff)
            reports.append(one.report)
            if for_people:
                write([one.report], args.output_format)
            sys.stdout.write(printable_lines(one.diff))
            if tell is not None:
                tell(len(reports), files, one.report.path or "")
    if args.write_baseline:
        return _accept(args.write_baseline, reports)
    if args.diff:
        return (
            FINDINGS
            if changes and not args.exit_zero
            else _status(reports, args.strict or preset.strict, args.exit_zero)
        )
    if not for_people:
        write(reports, args.output_format)
    elif not args.quiet:
        from irops.diagnostics.summary import summary

        sys.stdout.write(f"{summary(reports, left_out, others)}\n")
    return _status(reports, args.strict or preset.strict, args.exit_zero)


def _without_models(folder: str) -> Answer:
    if not os.access(folder, os.R_OK | os.X_OK):
        return unchecked(
            folder, "unreadable-file", f"the folder {folder} cannot be read: {os.strerror(EACCES)}"
        )
    return unchecked(folder, "file-not-found", f"the folder {folder} holds no file of a model")


def _found(args: argparse.Namespace, asked: Asked) -> tuple[int, int, Iterator[Answer]]:
    """How many files there are to check, how many in folders are no models, and the answers, in order."""
    registry = registry_of(args)
    if args.stdin_filename is not None:
        if args.models not in ([], ["-"]):
            raise Refusal("--stdin-filename takes the place of models")
        if args.fix:
            raise Refusal("--fix writes files, and what comes in is none; --diff shows what it would change")
        return 1, 0, answers([args.stdin_filename], asked, args, registry, text=_incoming(asked.limits))
    if not args.models:
        raise Refusal("give a model or a folder, or --stdin-filename FILE; usage: irops check MODEL ...")
    if "-" in args.models and not os.path.exists("-"):
        raise Refusal("to check what comes in, say as which file: --stdin-filename FILE")
    meant = found_in(args.models)
    if args.weights is not None and (len(meant.files) != 1 or len(args.models) != 1):
        raise Refusal("--weights goes with one model")
    empty = map(_without_models, meant.empty)
    return (
        len(meant.files) + len(meant.empty),
        meant.others,
        chain(answers(meant.files, asked, args, registry), empty),
    )


def _incoming(limits: Limits) -> bytes:
    most = limits.xml_bytes
    return sys.stdin.buffer.read(int(min(most, sys.maxsize - 1)) + 1)


def _accept(path: Path, reports: Sequence[Report]) -> int:
    baseline.write(path, reports)
    count = sum(map(len, reports))
    sys.stdout.write(f"{count} finding{'s' * (count != 1)} accepted in {path}\n")
    return CLEAN


def _status(reports: Sequence[Report], strict: bool, exit_zero: bool) -> int:
    if any(d.name == "unchecked-file" for report in reports for d in report):
        return REFUSED
    failed = any(not report.ok or (strict and len(report)) for report in reports)
    return FINDINGS if failed and not exit_zero else CLEAN


def _rules(text: str) -> list[str]:
    words = [word.strip() for word in text.split(",")]
    try:
        rules_of(words)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return words
