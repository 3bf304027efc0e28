"""The options and arguments of every command, as scripts of shells need them."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from irops.cli.command_pages import help_of, parser_of
from irops.cli.main import COMMANDS
from irops.cli.shells.kinds import Kind, kind_of

LONGEST_HELP = 76
REPEATED = (argparse._AppendAction, argparse._ExtendAction)


@dataclass(frozen=True, slots=True)
class Option:
    """names: --output and -o; value: what is completed as its value, None for a flag; metavar: of the value;
    is_optional: whether the value may be missing; is_repeated: whether the option may occur again.
    """

    names: tuple[str, ...]
    help: str
    value: Kind | None
    metavar: str = ""
    is_optional: bool = False
    is_repeated: bool = False


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument without a name. is_repeated: whether it may occur again; it is the last one then."""

    metavar: str
    value: Kind
    is_repeated: bool


@dataclass(frozen=True, slots=True)
class CommandLine:
    """What may follow a command."""

    command: str
    options: tuple[Option, ...]
    arguments: tuple[Argument, ...]


def command_lines() -> list[CommandLine]:
    """One for each command, in their order."""
    return [_command_line(name) for name in COMMANDS]


def _command_line(name: str) -> CommandLine:
    actions = [action for action in parser_of(name)._actions if action.help is not argparse.SUPPRESS]
    return CommandLine(
        name,
        tuple(_option(name, action) for action in actions if action.option_strings),
        tuple(
            Argument(_metavar(action), kind_of(name, action), action.nargs in ("*", "+"))
            for action in actions
            if not action.option_strings
        ),
    )


def _option(command: str, action: argparse.Action) -> Option:
    names = tuple(sorted(action.option_strings, key=lambda name: not name.startswith("--")))
    if action.nargs == 0:
        return Option(names, _short(help_of(action)), None)
    return Option(
        names,
        _short(help_of(action)),
        kind_of(command, action),
        _metavar(action),
        action.nargs == "?",
        isinstance(action, REPEATED),
    )


def _metavar(action: argparse.Action) -> str:
    return action.metavar if isinstance(action.metavar, str) else action.dest


def _short(text: str) -> str:
    """One line that fits beside an option."""
    line = " ".join(text.split())
    if len(line) <= LONGEST_HELP:
        return line
    first = line.partition(";")[0]
    return (
        first if len(first) <= LONGEST_HELP else f"{line[:LONGEST_HELP].rpartition(' ')[0].rstrip(',;:')} …"
    )
