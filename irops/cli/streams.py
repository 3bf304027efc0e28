"""The output streams: terminals and pipes, colour, encoding errors, signals."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import IO, TYPE_CHECKING, TextIO

from irops.diagnostics.printable import printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

UNFOLDED = 1000
"""Width in columns of tables that do not go to a terminal: programs that read a table want one line per row.
Names of a million letters are folded even so, since every row is as wide as the widest.
"""


def escape_unencodable() -> None:
    """Let the streams escape characters that their encoding lacks, instead of raising."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the parent process
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def handle_signals() -> None:
    """Turn the first Ctrl-C and other termination signals into exceptions, so that cleanup code runs.

    Signals that this process was started to ignore stay ignored: nohup and shells that start a process in the
    background expect that.
    """

    def interrupted(number: int, _: object) -> None:
        signal.signal(number, _do_nothing)
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + number)  # as in shells

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupted)


def _do_nothing(number: int, _: object) -> None:
    """Handle a signal in place of SIG_IGN: processes that are started later do not inherit it, and Python
    prints no complaint about a signal that came just before.
    """


def discard_output() -> None:
    """Discard pending output, so that closing the streams cannot fail."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(null, stream.fileno())


def is_interactive(stream: IO[str]) -> bool:
    """Whether the stream is a terminal that can draw."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def uses_colour(stream: IO[str]) -> bool:
    """Whether to write colours; NO_COLOR, FORCE_COLOR and CLICOLOR_FORCE override the detection."""
    if os.environ.get("NO_COLOR"):
        return False
    forced = (os.environ.get(name, "") for name in ("FORCE_COLOR", "CLICOLOR_FORCE"))
    return is_interactive(stream) or any(text not in ("", "0") for text in forced)


@contextmanager
def coloured(choice: str) -> Iterator[None]:
    """Colours always or never, in this process and those that it starts; "auto" as uses_colour says."""
    if choice == "auto":
        yield
        return
    names = ("NO_COLOR", "FORCE_COLOR")
    before = {name: os.environ.pop(name, None) for name in names}
    os.environ[names[choice == "always"]] = "1"
    try:
        yield
    finally:
        for name in names:
            os.environ.pop(name, None)
        os.environ.update({name: text for name, text in before.items() if text is not None})


def columns() -> int | None:
    """The width that the environment variable COLUMNS asks for; None if it asks for none."""
    text = os.environ.get("COLUMNS", "")
    return int(text) if text.isascii() and text.isdigit() and 0 < int(text) <= UNFOLDED else None


def console(stream: TextIO | None = None) -> "Console":
    """A rich Console: as wide as COLUMNS or the terminal; tables do not fold elsewhere."""
    from rich.console import Console

    stream = stream or sys.stdout
    width = columns() or (None if is_interactive(stream) else UNFOLDED)
    return Console(
        file=stream,
        width=width,
        highlight=False,
        soft_wrap=False,
        force_terminal=uses_colour(stream),
        emoji=False,
        markup=False,
    )


def show(*items: "RenderableType") -> None:
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
    shown_lines = lines if out.is_terminal else map(printable, lines)
    sys.stdout.write("".join(f"{line}\n" for line in shown_lines))
