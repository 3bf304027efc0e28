"""The commands, and the exit codes of all of them.

A command is a module of this package: its docstring is the help, configure adds its options, execute runs it,
and COMMAND states what is known of it before it is imported. COMMAND consists of literals and is read from
the text of the module, so that the list of all commands imports none of them.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from textwrap import indent
from typing import Protocol, cast

from irops.cli.parser import Parser
from irops.diagnostics.rule import PATH_RULES, USAGE_RULES

CLEAN, FINDINGS, REFUSED = 0, 1, 2
INTERRUPTED, PIPE_CLOSED = 130, 141  # 128 + the number of the signal, as in shells

_FOLDER = Path(__file__).parent
_STATED = re.compile(r"^COMMAND = Command\((?:([^\n]+)\)$|\n(.*?)^\)$)", re.MULTILINE | re.DOTALL)


class CommandModule(Protocol):
    """The functions that the module of a command defines."""

    def configure(self, parser: argparse.ArgumentParser) -> None: ...
    def execute(self, args: argparse.Namespace) -> int: ...


@dataclass(frozen=True, slots=True)
class Command:
    """summary: its line in lists of commands; rank: its place in them

    code_1: what the exit code 1 means, None for a command that never ends with it
    code_2: what the exit code 2 means
    says_difference: whether 1 says that two things differ; errors of a model are then 2
    is_guarded: whether it runs in a child process, since it maps weights, and calls libraries that compute
    ends_at_once: whether it uses no library whose threads or files need Python to end in its usual way
    completion: what shells complete where the metavar does not say it, by option or argument: another
    metavar, the suffix of files, or "" for any text
    """

    summary: str
    rank: int
    code_1: str | None = "a definition or a custom rule has errors"
    code_2: str = "wrong usage, a file that cannot be read or written, or an internal\nerror"
    says_difference: bool = False
    is_guarded: bool = False
    ends_at_once: bool = False
    completion: Mapping[str, str] = field(default_factory=dict)

    def exit_codes(self) -> str:
        """The part of the help about exit codes."""
        meanings = {CLEAN: "success", FINDINGS: self.code_1, REFUSED: self.code_2}
        lines = [f"{code}  {text}".replace("\n", "\n   ") for code, text in meanings.items() if text]
        return "exit codes:\n" + indent("\n".join(lines), "  ")


@cache
def commands() -> Mapping[str, Command]:
    """All commands by name, in the order of their ranks."""
    stated = {path.stem: _stated(path) for path in _FOLDER.glob("*.py")}
    found = {name: command for name, command in stated.items() if command is not None}
    return dict(sorted(found.items(), key=lambda item: item[1].rank))


def command_named(name: str) -> Command | None:
    """The command of a name; None if there is none."""
    path = _FOLDER / f"{name}.py"
    return _stated(path) if name.isidentifier() and path.is_file() else None


def module_of(name: str) -> CommandModule:
    """The module of a command, imported."""
    return cast(CommandModule, import_module(f"irops.cli.{name}"))


def parser_of(name: str) -> Parser:
    """The parser of a command."""
    command, module = command_named(name), module_of(name)
    assert command is not None
    parser = Parser(f"irops {name}", module.__doc__, command.exit_codes())
    module.configure(parser)
    return parser


@cache
def _stated(path: Path) -> Command | None:
    """What the module at a path says of its command; None for a module that is no command."""
    match = _STATED.search(path.read_text("utf-8"))
    if match is None:
        return None
    call = ast.parse(f"f({match[1] or match[2]})", mode="eval").body
    assert isinstance(call, ast.Call)
    words = {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg is not None}
    return Command(*map(ast.literal_eval, call.args), **words)


def refuses(rules: Iterable[str]) -> bool:
    """Whether findings of some rules, by name, are about the arguments or the files of a command, not about
    what a model says.
    """
    return any(name in USAGE_RULES or name in PATH_RULES for name in rules)
