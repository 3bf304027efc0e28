"""What is written where: to a person at a terminal, into a pipe, or nowhere."""

from __future__ import annotations

import os
import signal
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

NARROW = 80
"""Columns of what is not written to a terminal."""


def take_any_text() -> None:
    """Let the streams escape what their encoding cannot say, rather than fail."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started the process
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def heed_signals() -> None:
    """Let Ctrl-C, once, and what asks a process to end, end it as an error does: what was begun is put
    away.
    """

    def interrupted(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_IGN)
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + number)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:  # nohup, say
            signal.signal(number, interrupted)


def drop_output() -> None:
    """Send what is still to be written nowhere, so that closing the stream cannot fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def looked_at(stream: TextIO) -> bool:
    """Whether a person reads the stream at a terminal."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def in_colour(stream: TextIO) -> bool:
    """Whether to write colours, as NO_COLOR and FORCE_COLOR ask for."""
    if os.environ.get("NO_COLOR"):
        return False
    return looked_at(stream) or bool(os.environ.get("FORCE_COLOR"))


def console(stream: TextIO | None = None) -> Console:
    """A console of rich's; 80 columns wide where nobody looks."""
    from rich.console import Console

    stream = stream or sys.stdout
    width = None if looked_at(stream) else NARROW
    return Console(
        file=stream,
        width=width,
        highlight=False,
        soft_wrap=False,
        force_terminal=in_colour(stream),
        emoji=False,
        markup=False,
    )


def show(*items: RenderableType) -> None:
    """Print tables and texts; without blanks at the ends of lines where nobody looks."""
    out = console()
    if looked_at(sys.stdout):
        for item in items:
            out.print(item)
        return
    with out.capture() as capture:
        for item in items:
            out.print(item)
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in capture.get().splitlines()))
