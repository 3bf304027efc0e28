"""The exit codes of all commands, and what each command's help says of them."""

from __future__ import annotations

from collections.abc import Iterable

from irops.diagnostics.subjects import PATH_RULES, USAGE_RULES

CLEAN, FINDINGS, REFUSED = 0, 1, 2
INTERRUPTED, PIPE_CLOSED = 130, 141  # 128 + the number of the signal, as in shells
MEANING_OF_1 = {
    "check": "errors were found; with --strict, also warnings; with --diff, also fixes",
    "infer": "errors were found",
    "run": "the model has errors, cannot be evaluated, or --expect fails",
    "why": "the model has errors",
    "inspect": "the model cannot be read; with --weights, or constants have no bytes",
    "convert": "the model has errors, or a layer has no equal form in the target",
    "extract": "the model has errors, or the part cannot be taken",
    "diff": "the models differ, or one has errors",
    "compare": "a result or a layer is wrong, or a result cannot be computed or compared",
    "reduce": "the fault does not show in the model, or the model has errors",
    "draw": "the model has errors, or cannot be drawn",
    "conformance": "a case failed",
    "survey": "a cell is neither pass nor warn; with --against, if cells got worse",
}
"""What the code 1 means, by command; for other commands, an error in a definition or a custom rule."""
NEVER_1 = ("new", "server")


def exit_codes(command: str) -> str:
    """The part of a command's help about exit codes."""
    findings = f"  1  {MEANING_OF_1.get(command, 'a definition or a custom rule has errors')}\n"
    return (
        "exit codes:\n"
        "  0  success\n"
        f"{'' if command in NEVER_1 else findings}"
        "  2  wrong usage, a file that cannot be read or written, or an internal\n"
        "     error"
    )


def refuses(rules: Iterable[str]) -> bool:
    """Whether findings of some rules, by name, are about the arguments or the files of a command, not about
    what a model says.
    """
    return any(name in USAGE_RULES or name in PATH_RULES for name in rules)
