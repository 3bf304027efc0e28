"""The files of a report for other programs: results.csv, results.json and timings.csv.

What is in results.* depends on the models and the settings alone: neither on time, nor on machine or order.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from io import StringIO

from irops.diagnostics.printable import printable
from irops.surveys.row import Row
from irops.surveys.store import SCHEMA


def results_csv(rows: Iterable[Row]) -> str:
    """Model, task, status, bytes and detail of each row."""
    return _csv(
        ("model", "task", "status", "bytes", "detail"),
        ((row.model, row.task, row.status, row.bytes, row.detail) for row in rows),
    )


def timings_csv(rows: Iterable[Row]) -> str:
    """Model, task and seconds of each row."""
    return _csv(
        ("model", "task", "seconds"),
        ((row.model, row.task, "" if row.seconds is None else f"{row.seconds:.6f}") for row in rows),
    )


def results_json(rows: Iterable[Row]) -> str:
    """The rows with their details as objects, one on each line."""
    lines = ",\n".join(
        f'{{"model":{json.dumps(row.model)},"task":{json.dumps(row.task)},"status":"{row.status}",'
        f'"bytes":{json.dumps(row.bytes)},"detail":{row.detail}}}'
        for row in rows
    )
    return f'{{"schema":{SCHEMA},"rows":[\n{lines}\n]}}\n'


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _cell(value: object) -> object:
    """A value as spreadsheets take it: control characters escaped, and no text taken for a formula."""
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
