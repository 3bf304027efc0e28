"""The exit codes of all commands. What 1 means is stated by each command, as EXIT_1."""

from __future__ import annotations

from collections.abc import Iterable

from irops.diagnostics.diagnostic import PATH_RULES, USAGE_RULES

CLEAN, FINDINGS, REFUSED = 0, 1, 2
INTERRUPTED, PIPE_CLOSED = 130, 141  # 128 + the number of the signal, as in shells
DEFINITION_ERRORS = "a definition or a custom rule has errors"
"""What 1 means for commands about definitions and rules."""


def exit_codes(meaning_of_1: str | None) -> str:
    """The part of a command's help about exit codes. meaning_of_1: None for commands that never end so"""
    findings = "" if meaning_of_1 is None else f"  1  {meaning_of_1}\n"
    return (
        f"exit codes:\n  0  success\n{findings}"
        "  2  wrong usage, a file that cannot be read or written, or an internal\n"
        "     error"
    )


def refuses(rules: Iterable[str]) -> bool:
    """Whether findings of some rules, by name, are about the arguments or the files of a command, not about
    what a model says.
    """
    return any(name in USAGE_RULES or name in PATH_RULES for name in rules)
