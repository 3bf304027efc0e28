"""Output of commands: tables, pages of text, values, diagnostics, and a bar for long work."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar

from irops.cli.streams import columns, console, is_interactive, uses_colour
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.formats import render, render_in_colour
from irops.diagnostics.printable import printable
from irops.diagnostics.report import Report
from irops.files.output import PendingFiles, local_target
from irops.files.urls import without_credentials

if TYPE_CHECKING:
    from rich.table import Table


def table(title: str, *columns: str) -> "Table":
    """An empty table; title: may be empty. Columns whose names begin with > are aligned to the right."""
    from rich import box
    from rich.table import Table

    out = Table(
        title=title or None,
        title_justify="left",
        title_style="bold",
        caption_justify="left",
        caption_style="dim",
        box=box.SIMPLE_HEAD,
        header_style="dim",
        show_edge=False,
        pad_edge=False,
        padding=(0, 1),
    )
    for column in columns:
        out.add_column(
            column.lstrip(">"), justify="right" if column.startswith(">") else "left", overflow="fold"
        )
    return out


NARROW, WIDE = 80, 100
"""The width of text that does not go to a terminal, and the largest: longer lines are hard to read."""


class Page:
    """Collects text piece by piece, and prints it at once."""

    def __init__(self) -> None:
        self.width = min(columns() or _terminal_width(), WIDE)
        self._lines: list[tuple[str, str]] = []

    def title(self, text: str) -> None:
        self._space()
        self._put(text, "bold cyan")

    def heading(self, text: str) -> None:
        self._space()
        self._put(text, "bold")

    def paragraph(self, text: str) -> None:
        """Add a paragraph; line breaks in the text are ignored."""
        self._space()
        self.lines(text)

    def lines(self, text: str, indent: int = 0, hanging: int = 0) -> None:
        """Add text without a blank line before it; hanging: extra indent of all lines but the first."""
        from textwrap import wrap  # slow to import

        margin = " " * indent
        wrapped = wrap(
            printable(" ".join(text.split())),
            self.width,
            initial_indent=margin,
            subsequent_indent=margin + " " * hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in wrapped:
            self._put(line, "")

    def entry(self, term: str, text: str) -> None:
        """Add an item of a list: a term and its description."""
        self.lines(f"{term}: {text}" if text else term, 2, 4)

    def verbatim(self, text: str, indent: int = 4) -> None:
        """Add text unwrapped."""
        self._lines.extend((" " * indent + printable(line), "") for line in text.splitlines())

    def show(self) -> None:
        if uses_colour(sys.stdout):
            from rich.text import Text

            console().print(Text("\n").join(Text(text, style) for text, style in self._lines), soft_wrap=True)
        else:
            sys.stdout.write("".join(f"{text}\n" for text, _ in self._lines))

    def _space(self) -> None:
        if self._lines:
            self._put("")

    def _put(self, text: str, style: str = "") -> None:
        self._lines.append((text, style))


def _terminal_width() -> int:
    if not is_interactive(sys.stdout):
        return NARROW
    from shutil import get_terminal_size  # slow to import

    return get_terminal_size().columns


def table_width() -> int | None:
    """How wide a table may be; None in a pipe, where each row has a line."""
    return columns() or (_terminal_width() if is_interactive(sys.stdout) else None)


def print_json(version: int, content: Mapping[str, object], model: str | None = None) -> None:
    """Print a report for programs. version: of its format; model: the path that it is about"""
    about = {} if model is None else {"path": without_credentials(model)}
    print(json.dumps({"version": version, **about, **content}, indent=2))


def print_diagnostics(diagnostics: Iterable[Diagnostic], stream: TextIO | None = None) -> None:
    """Write diagnostics in the full format, as irops check does."""
    write_reports([Report(tuple(diagnostics))], "full", stream)


def write_reports(reports: Sequence[Report], form: str, stream: TextIO | None = None) -> None:
    stream = stream or sys.stdout
    if form == "full" and uses_colour(stream):
        if any(map(len, reports)):
            console(stream).print(render_in_colour(reports), soft_wrap=True)
    elif text := render(reports, form):
        stream.write(text)


T = TypeVar("T")
ReportProgress = Callable[[int, int, object], None]
"""Called with the number of finished items, the number of all items, and the current item."""
DELAY = 1.0
"""Seconds before the bar appears, so that short work shows none."""


@contextmanager
def progress_bar(what: str, *, quiet: bool = False) -> Iterator[ReportProgress | None]:
    """A function that updates a bar on the error stream; None if that is not a terminal."""
    if quiet or not is_interactive(sys.stderr):
        yield None
        return
    from time import monotonic

    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    bar = Progress(
        console=Console(stderr=True), transient=True, redirect_stdout=is_interactive(sys.stdout)
    )  # redirected output stays unchanged
    task = bar.add_task(what, total=None)
    start = monotonic()

    def report_progress(done: int, of: int, item: object) -> None:
        if not bar.live.is_started and monotonic() - start > DELAY:
            bar.start()
        bar.update(task, completed=done, total=of, description=escape(f"{what} {printable(str(item))[:40]}"))

    try:
        yield report_progress
    finally:
        bar.stop()


def deliver(text: str, args: argparse.Namespace) -> None:
    """Write a report to the file of --output, or print it unless --quiet is given."""
    if args.output:
        with PendingFiles(local_target(args.output)) as (file,):
            file.write(text.encode())
        if not args.quiet:
            print(f"{printable(os.fspath(args.output))}: written as {args.output_format}", file=sys.stderr)
        show_written(args.output, args)
    elif not args.quiet:
        print(text, end="")


def show_written(path: str, args: argparse.Namespace) -> None:
    """Open what was written, if --open asks for it."""
    if args.open:
        import webbrowser

        if not webbrowser.open(Path(path).absolute().as_uri()):
            print(f"no browser was found that opens {printable(path)}", file=sys.stderr)
