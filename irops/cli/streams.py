"""The output streams: terminals and pipes, colour, encoding errors, signals."""

from __future__ import annotations

import os
import re
import signal
import sys
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import IO, TYPE_CHECKING, TextIO, TypeAlias

from irops.diagnostics.printable import Escaped, Printable, literal, printable

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text
    from rich.tree import Tree

Shown: TypeAlias = "Printable | Text | Table | Tree"
"""What tables and texts on a terminal are made of."""

UNFOLDED = 1000
"""Width in columns of tables that do not go to a terminal: programs that read a table want one line per row.
Names of a million letters are folded even so, since every row is as wide as the widest.
"""
NEWLINE, NOTHING = literal("\n"), literal("")
_COMMAND = re.compile(r"^([ \t]*):(?=:)", re.MULTILINE)
"""The beginning of ::error …, which GitHub executes at the start of a line."""


def secure_streams() -> None:
    """Open the null device for standard streams that the parent closed, so that no file that is opened
    later takes their place, and texts that libraries print end in none. Let the error stream drop what it
    cannot write: there is no other place to say so, and the exit code stays what it is.
    """
    for number in range(3):  # all of them before Python's own streams, which would take a number that is free
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free, which is this one
            os.set_inheritable(number, True)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    raw = _Dropping(2, "w", closefd=False)
    sys.stderr = TextIOWrapper(
        BufferedWriter(raw), sys.stderr.encoding, "backslashreplace", line_buffering=True
    )


class _Dropping(FileIO):
    """A file whose writes do not fail: what it cannot take is dropped."""

    def write(self, data: Buffer, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def escape_unencodable() -> None:
    """Let the streams escape characters that their encoding lacks, instead of raising."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def handle_signals() -> None:
    """Turn the first Ctrl-C and other termination signals into exceptions, so that cleanup code runs."""

    def interrupted(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_IGN)
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + number)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:  # nohup, for example
            signal.signal(number, interrupted)


def flush_or_discard() -> None:
    """Write pending output, or discard it if that fails, so that closing the stream cannot fail."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_interactive(stream: IO[str]) -> bool:
    """Whether the stream is a terminal that can draw."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def uses_colour(stream: IO[str]) -> bool:
    """Whether to write colours; NO_COLOR, FORCE_COLOR and CLICOLOR_FORCE override the detection."""
    if os.environ.get("NO_COLOR"):
        return False
    return is_interactive(stream) or any(_is_set(name) for name in ("FORCE_COLOR", "CLICOLOR_FORCE"))


def _is_set(name: str) -> bool:
    return os.environ.get(name, "") not in ("", "0")


def columns() -> int | None:
    """The width that the environment variable COLUMNS asks for; None if it asks for none."""
    text = os.environ.get("COLUMNS", "")
    return int(text) if text.isascii() and text.isdigit() and 0 < int(text) <= UNFOLDED else None


def console(stream: TextIO | None = None) -> Console:
    """A rich Console: as wide as COLUMNS or the terminal; tables do not fold elsewhere."""
    from rich.console import Console

    class PlainConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich itself would end the process with 1, which means findings

    stream = stream or sys.stdout
    width = columns() or (None if is_interactive(stream) else UNFOLDED)
    return PlainConsole(
        file=stream,
        width=width,
        highlight=False,
        soft_wrap=False,
        force_terminal=uses_colour(stream),
        emoji=False,
        markup=False,
    )


def say(text: Escaped, stream: TextIO | None = None, *, end: Printable = NEWLINE) -> None:
    """Print text to standard output, or to another stream. No line of it is a command of a CI service."""
    lines = f"{text}{end}"
    write(Printable(_COMMAND.sub(r"\1\\x3a:", lines) if "::" in lines else lines), stream)


def write(text: Escaped, stream: TextIO | None = None) -> None:
    """Write text to standard output, or to another stream, as it is: commands of a CI service, too."""
    (stream or sys.stdout).write(text)


def show_wide(text: Text, stream: TextIO | None = None) -> None:
    """Print a text whose lines are not folded."""
    out = console(stream)
    with out.capture() as capture:
        out.print(text, soft_wrap=True)
    say(Printable(capture.get()), stream, end=NOTHING)


def show(*items: Shown) -> None:
    """Print tables and texts; without trailing blanks if the output is not a terminal."""
    out = console()
    if is_interactive(sys.stdout):
        for item in items:
            out.print(item)
        return
    with out.capture() as capture:
        for item in items:
            out.print(item)
    lines = (line.rstrip() for line in capture.get().split("\n")[:-1])
    shown_lines = map(Printable if out.is_terminal else printable, lines)  # in colour, rich adds codes
    say("".join(f"{line}\n" for line in shown_lines), end="")
