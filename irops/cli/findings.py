"""Write diagnostics to a stream, in any of the output formats."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

from irops.cli.streams import console, uses_colour
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.full import render_in_colour
from irops.diagnostics.report import Report
from irops.diagnostics.reporters import render


def print_diagnostics(diagnostics: Iterable[Diagnostic], stream: TextIO | None = None) -> None:
    """Write diagnostics in the full format, as irops check does."""
    write_reports([Report(tuple(diagnostics))], "full", stream)


def write_reports(reports: Sequence[Report], form: str, stream: TextIO | None = None) -> None:
    stream = stream or sys.stdout
    if form == "full" and uses_colour(stream):
        if any(map(len, reports)):
            console(stream).print(render_in_colour(reports), soft_wrap=True)
    else:
        stream.write(render(reports, form))
