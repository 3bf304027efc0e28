"""Write diagnostics to a stream, in any of the output formats."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

from irops.cli.streams import NOTHING, say, show_wide, uses_colour, write
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.report import Report
from irops.diagnostics.reporters import render, render_in_colour


def print_diagnostics(diagnostics: Iterable[Diagnostic], stream: TextIO | None = None) -> None:
    """Write diagnostics in the full format, as irops check does."""
    write_reports([Report(tuple(diagnostics))], "full", stream)


def write_reports(reports: Sequence[Report], form: str, stream: TextIO | None = None) -> None:
    stream = stream or sys.stdout
    if form == "full" and uses_colour(stream):
        if any(map(len, reports)):
            show_wide(render_in_colour(reports), stream)
    elif form == "github":
        write(render(reports, form), stream)
    else:
        say(render(reports, form), stream, end=NOTHING)
