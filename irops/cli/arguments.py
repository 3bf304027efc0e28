"""Errors of functions about the arguments of a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from irops.cli.main import Refusal

PLAIN = (KeyError, IndexError, ValueError)


@contextmanager
def argument_errors(prefix: str = "") -> Iterator[None]:
    """Turn a KeyError, an IndexError or a ValueError into a Refusal with its message.

    Errors of derived types pass: a DiagnosticError has findings, which are reported as such.
    """
    try:
        yield
    except PLAIN as error:
        if type(error) not in PLAIN:
            raise
        raise Refusal(f"{prefix}{error.args[0]}") from None
