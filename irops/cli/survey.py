"""Examine many models with many tasks, and write one table.

Each model and task is a cell, done in a process of bounded time and memory. The
report is a folder: results.csv, results.json, timings.csv, index.html, and the
rows in Parquet. A survey that was interrupted goes on where it stopped, and
cells are done again only if the model, irops, the runtime or an option changed.

example:
  irops survey models/
  irops survey models/ --tasks check,target --targets 2023.3,2025.0 -o report
  irops survey 'zoo/**/*.xml' --tasks compare --sources reference,openvino:CPU
  irops survey @list.txt -o tonight --against last_night
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from irops.backends.extras import missing_libraries
from irops.cli.exit_codes import CLEAN, FINDINGS, INTERRUPTED
from irops.cli.extension_options import add_config
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.limit_options import add_limits, limit, limits_of
from irops.cli.main import Refusal
from irops.cli.progress import progress_bar
from irops.cli.settings import settings
from irops.cli.survey_summary import show_summary, summary_json
from irops.cli.worker_options import add_workers, workers_of
from irops.diagnostics.printable import printable
from irops.diagnostics.selection import rules_of
from irops.limits import Limits
from irops.surveys.faults import Interrupted, SurveyError
from irops.surveys.listing import listing
from irops.surveys.row import STATUSES
from irops.surveys.settings import SECONDS, Settings
from irops.surveys.surveying import Request, surveyed
from irops.surveys.table import SurveyTable
from irops.surveys.tasks import KINDS, parted_sources, tasks_of

OUTPUT = "irops-survey"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a model, a folder, a pattern in quotes, a URL, or @FILE, which lists one path on each line",
    )
    parser.add_argument(
        "--tasks", metavar="TASKS", default="check", help=f"some of {','.join(KINDS)}; default: check"
    )
    parser.add_argument(
        "--sources",
        metavar="SOURCES",
        default="",
        help="what run and compare compute with: backends, openvino:DEVICE; compare takes the first as right;"
        " default: reference, and openvino:CPU for compare",
    )
    parser.add_argument(
        "--targets", metavar="RELEASES", default="", help="releases of OpenVINO for the task target: 2023.3"
    )
    parser.add_argument(
        "--output",
        "-o",
        metavar="FOLDER",
        type=Path,
        default=Path(OUTPUT),
        help=f"the report: new, or that of an earlier survey; default: {OUTPUT}",
    )
    parser.add_argument(
        "--against",
        metavar="REPORT",
        type=Path,
        help="report what is better, worse, new and gone since another report",
    )
    parser.add_argument(
        "--again",
        metavar="STATUSES",
        default="",
        help=f"do cells of these statuses again, although nothing changed: some of {','.join(STATUSES)}",
    )
    parser.add_argument(
        "--seconds",
        metavar="N",
        type=_seconds,
        default=SECONDS,
        help=f"how long a cell may take; default: {SECONDS:.0f}",
    )
    parser.add_argument(
        "--memory",
        metavar="BYTES",
        type=_bytes,
        help="how much memory a cell may use: 4G; default: limit process_bytes, divided among the processes",
    )
    parser.add_argument("--select", metavar="RULES", default="", help="only these rules, as in irops check")
    parser.add_argument("--ignore", metavar="RULES", default="", help="not these rules")
    parser.add_argument("--output-format", choices=("full", "json"), default="full", help="default: full")
    parser.add_argument("--quiet", "-q", action="store_true", help="no summary, no progress")
    add_workers(parser)
    add_limits(parser)
    add_config(parser)
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    lacking = missing_libraries("survey", "pyarrow")
    if lacking is not None:
        raise Refusal(lacking)
    try:
        table = _surveyed(args)
    except Interrupted as interrupted:
        print(f"irops survey: interrupted; {interrupted}; the same command goes on", file=sys.stderr)
        return INTERRUPTED
    except SurveyError as error:
        raise Refusal(str(error)) from None
    if args.output_format == "json":
        sys.stdout.write(summary_json(table))
    elif not args.quiet:
        show_summary(table)
    if table.differences is not None:
        return FINDINGS if table.differences.is_worse else CLEAN
    return CLEAN if table.ok else FINDINGS


def _surveyed(args: argparse.Namespace) -> SurveyTable:
    config = settings(args.config)
    limits = limits_of(args, config.limits)
    tasks = tasks_of(_words(args.tasks), parted_sources(args.sources), _words(args.targets))
    again = _statuses(args.again)
    models = listing(args.paths)
    registry = registry_of(args)  # faults of custom ops are reported before any work
    with workers_of(args) as workers:
        memory = limits.process_memory / workers.count if args.memory is None else args.memory
        options = Settings(
            limits,
            args.seconds,
            memory,
            _rules("--select", args.select) or tuple(config.select),
            (*config.ignore, *_rules("--ignore", args.ignore)),
            tuple(config.rules),
            () if registry is None else registry.folders,
            () if registry is None else registry.modules,
        )
        dashboard = getattr(workers, "dashboard", "")
        _note(args, *models.notes, *([f"dashboard: {dashboard}"] if dashboard else []))
        request = Request(models, tasks, options, args.output, args.against, again)
        with progress_bar("surveying", quiet=args.quiet) as report_progress:
            table = surveyed(request, workers, report_progress)
        _note(args, *getattr(workers, "refused", ()))
        return table


def _note(args: argparse.Namespace, *sentences: str) -> None:
    if not args.quiet:
        for sentence in sentences:
            print(f"irops survey: {printable(sentence)}", file=sys.stderr)


def _words(text: str) -> list[str]:
    return [word for part in text.split(",") if (word := part.strip())]


def _statuses(text: str) -> tuple[str, ...]:
    words = tuple(_words(text))
    for word in words:
        if word not in STATUSES:
            raise Refusal(f"--again: unknown status {word!r}; expected some of {', '.join(STATUSES)}")
    return words


def _rules(option: str, text: str) -> tuple[str, ...]:
    words = tuple(_words(text))
    try:
        rules_of(words)
    except ValueError as error:
        raise Refusal(f"{option}: {error}") from None
    return words


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not number > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return number


def _bytes(text: str) -> float:
    try:
        Limits(**limit("process_bytes", text))
        return limit("process_bytes", text)["process_bytes"]
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
