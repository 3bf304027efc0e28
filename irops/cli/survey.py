"""Examine many models with many tasks, and write one table.

Each model and task is a cell, done in a process of bounded time and memory. The
report is a folder: results.csv, results.json, timings.csv, index.html, and the
rows. A survey that was interrupted goes on where it stopped, and cells are done
again only if the model, irops, the runtime or an option changed.

example:
  irops survey models/
  irops survey models/ --tasks check,target --targets 2023.3,2025.0 -o report
  irops survey 'zoo/**/*.xml' --tasks compare --source reference,openvino:CPU
  irops survey @list.txt -o tonight --against last_night
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from irops.cli.display import progress_bar, show_written, table
from irops.cli.main import Refusal
from irops.cli.models import registry_of
from irops.cli.options import (
    add_format,
    add_open,
    add_option,
    add_settings,
    argument_errors,
    limit,
    limits_of,
    of_text,
    refusing,
    seconds_above_zero,
    sources_of,
    written_folder,
)
from irops.cli.parser import CLEAN, FINDINGS, INTERRUPTED
from irops.cli.settings import settings
from irops.cli.streams import show
from irops.cli.worker_options import add_workers, workers_of
from irops.diagnostics.printable import abridged, plural, printable
from irops.diagnostics.rules import all_rules, rules_of
from irops.environment import missing_libraries
from irops.surveys.listing import listing
from irops.surveys.survey import INDEX, STATUSES, CellChange, Differences, Request, Row, SurveyTable, surveyed
from irops.surveys.tasks import KINDS, Interrupted, SurveyError, SurveySettings, tasks_of

EXIT_1 = "a cell is neither pass nor warn; with --against, if cells got worse"

OUTPUT = "irops-survey"


def configure(parser: argparse.ArgumentParser) -> None:
    paths = "a model, a folder, a pattern in quotes, a URL, or @FILE, which lists one path on each line"
    parser.add_argument("paths", nargs="+", metavar="PATH", help=paths)
    add_option(parser, "--tasks TASKS", f"some of {','.join(KINDS)}", default="check")
    add_option(
        parser,
        "--source SOURCE...",
        "what run and compare compute with: a backend, openvino:DEVICE; repeatable; compare takes the first"
        " as right; default: reference, and openvino:CPU for compare",
        dest="sources",
    )
    add_option(parser, "--targets RELEASES", "releases of OpenVINO for the task target: 2023.3", default="")
    output = "the report: new, or that of an earlier survey"
    add_option(parser, "--output -o FOLDER", output, type=written_folder, default=OUTPUT)
    against = "report what is better, worse, new and gone since another report"
    add_option(parser, "--against REPORT", against, type=Path)
    again = f"do cells of these statuses again, although nothing changed: some of {','.join(STATUSES)}"
    add_option(parser, "--again STATUSES", again, default="")
    default = SurveySettings().seconds
    seconds = f"how long a cell may take; default: {default:.0f}"
    add_option(parser, "--seconds N", seconds, type=seconds_above_zero, default=default)
    memory = "how much memory a cell may use: 4G; default: limit process_bytes, divided among the processes"
    add_option(
        parser,
        "--memory BYTES",
        memory,
        type=of_text(lambda text: limit("process_bytes", text)["process_bytes"]),
    )
    add_option(parser, "--select RULES", "only these rules, as in irops check", default="")
    add_option(parser, "--ignore RULES", "not these rules", default="")
    add_format(parser)
    add_open(parser)
    add_option(parser, "--quiet -q", "no summary, no progress")
    add_workers(parser)
    add_settings(parser)


def execute(args: argparse.Namespace) -> int:
    lacking = missing_libraries("survey", "jinja2")
    if lacking is not None:
        raise Refusal(lacking)
    try:
        with refusing(SurveyError):
            table = _surveyed(args)
    except Interrupted as interrupted:
        print(f"irops survey: interrupted; {interrupted}; the same command goes on", file=sys.stderr)
        return INTERRUPTED
    if args.output_format == "json":
        sys.stdout.write(summary_json(table))
    elif not args.quiet:
        show_summary(table)
    show_written(os.path.join(args.output, INDEX), args)
    if table.differences is not None:
        return FINDINGS if table.differences.is_worse else CLEAN
    return CLEAN if table.ok else FINDINGS


def _surveyed(args: argparse.Namespace) -> SurveyTable:
    config = settings(args.config)
    limits = limits_of(args, config.limits)
    tasks = tasks_of(_words(args.tasks), sources_of(args.sources), _words(args.targets))
    again = tuple(_words(args.again))
    for word in again:
        if word not in STATUSES:
            raise Refusal(f"--again: unknown status {word!r}; expected some of {', '.join(STATUSES)}")
    models = listing(args.paths)
    registry = registry_of(args)  # faults of custom ops are reported before any work
    with workers_of(args) as workers:
        memory = limits.process_memory / workers.count if args.memory is None else args.memory
        options = SurveySettings(
            limits,
            args.seconds,
            memory,
            _rules("--select", args.select) or tuple(config.select),
            (*config.ignore, *_rules("--ignore", args.ignore)),
            tuple(config.rules),
            () if registry is None else registry.folders,
            () if registry is None else registry.modules,
        )
        _note(args, *models.notes)
        request = Request(models, tasks, options, Path(args.output), args.against, again)
        with progress_bar("surveying", quiet=args.quiet) as report_progress:
            table = surveyed(request, workers, report_progress)
        _note(args, *table.notes[len(models.notes) :])
        return table


def _note(args: argparse.Namespace, *sentences: str) -> None:
    if not args.quiet:
        for sentence in sentences:
            print(f"irops survey: {printable(sentence)}", file=sys.stderr)


def _words(text: str) -> list[str]:
    return [word for part in text.split(",") if (word := part.strip())]


def _rules(option: str, text: str) -> tuple[str, ...]:
    words = tuple(_words(text))
    with argument_errors(f"{option}: "):
        rules_of(words)
    return words


VERSION = 1
MAX_CELLS = 20
"""How many cells with faults, and with each kind of change, are listed."""
MAX_REASON = 300


def show_summary(survey: SurveyTable) -> None:
    """Print the summary for people."""
    counts = survey.counts
    statuses = [status for status in STATUSES if any(status in of_task for of_task in counts.values())]
    by_task = table("", "task", *(f">{status}" for status in statuses))
    for task, of_task in counts.items():
        by_task.add_row(task, *(f"{of_task[status]:,}" if status in of_task else "" for status in statuses))
    show(by_task)
    rules = survey.rules()
    if rules:
        names = {rule.code: rule.name for rule in all_rules()}
        by_rule = table("", "rule", "", ">models", ">findings")
        for code, models, findings in rules:
            by_rule.add_row(code, names.get(code, ""), f"{models:,}", f"{findings:,}")
        show("", by_rule)
    faulty = [row for row in survey if not row.is_sound]
    if faulty and survey.differences is None:
        show("", *_faults(faulty))
    if survey.differences is not None:
        show("", *_changes(survey.differences))
    unchanged = f", {survey.unchanged:,} unchanged" if survey.unchanged else ""
    cells = "cell" if survey.done == 1 else "cells"
    show("", f"{survey.done:,} {cells} done{unchanged}; {printable(str(survey.output))}")


def summary_json(survey: SurveyTable) -> str:
    """The summary for programs; the rows are in results.json of the report."""
    found = survey.differences
    content = {
        "version": VERSION,
        "output": str(survey.output),
        "cells": len(survey),
        "done": survey.done,
        "unchanged": survey.unchanged,
        "ok": survey.ok,
        "tasks": survey.counts,
        "rules": [
            {"code": code, "models": models, "findings": findings}
            for code, models, findings in survey.rules()
        ],
        "notes": list(survey.notes),
        "against": None if found is None else found.to_json(),
    }
    return json.dumps(content, indent=2) + "\n"


def _faults(rows: Sequence[Row]) -> Iterator[str]:
    """A line for each cell with a fault, up to a number: its first finding, or its message."""
    for row in rows[:MAX_CELLS]:
        name = printable(abridged(row.model, 100))
        place = f"{row.status}: {row.task} of {name}"
        yield ": ".join(filter(None, (place, printable(abridged(row.reason, MAX_REASON)))))
    if len(rows) > MAX_CELLS:
        yield f"and {len(rows) - MAX_CELLS:,} more; results.csv lists all"


def _changes(found: Differences) -> Iterator[str]:
    kinds = {"worse": found.worse, "better": found.better, "new": found.new, "gone": found.gone}
    for kind, changes in kinds.items():
        yield from _listed(kind, changes)
    if not any(kinds.values()):
        yield "no cell differs from the other report"


def _listed(kind: str, changes: Sequence[CellChange]) -> Iterator[str]:
    if changes:
        yield f"{plural(len(changes), 'cell')} {kind}"
    for change in changes[:MAX_CELLS]:
        name = printable(abridged(change.model, 100))
        steps = " -> ".join(status for status in (change.before, change.after) if status is not None)
        yield f"  {name} {change.task}: {steps}"
    if len(changes) > MAX_CELLS:
        yield f"  and {len(changes) - MAX_CELLS:,} more"
