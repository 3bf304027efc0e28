"""The options and arguments of every command, as scripts of shells need them, and what completes them."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from enum import StrEnum

from irops.cli.command import commands, parser_of
from irops.cli.command_pages import help_of
from irops.cli.index import part


class How(StrEnum):
    """nothing: any text. word: one of some words; words: several, separated by commas. path: a file with one
    of some suffixes, or a folder; folder: a folder. source: a word, a file, or a prefix with a file. pair: a
    word, "=" and any text; named_path: any text, "=" and a path.
    """

    NOTHING = "nothing"
    WORD = "word"
    WORDS = "words"
    PATH = "path"
    FOLDER = "folder"
    SOURCE = "source"
    PAIR = "pair"
    NAMED_PATH = "named_path"


@dataclass(frozen=True, slots=True)
class CompletionKind:
    """list: the name of a list of words, see word_lists.py; words: the words themselves, where they are few;
    suffixes: of files, empty for all files.
    """

    how: How
    list: str = ""
    words: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()


NOTHING = CompletionKind(How.NOTHING)
ANY_FILE = CompletionKind(How.PATH)
FOLDER = CompletionKind(How.FOLDER)
SOURCE = CompletionKind(How.SOURCE, "sources", suffixes=(".npz", ".npy"))
BY_METAVAR = {
    "BACKEND": CompletionKind(How.WORD, "backends"),
    "B": CompletionKind(How.PATH, list="models"),
    "C": CompletionKind(How.WORD, "categories"),
    "CMD": ANY_FILE,
    "CODE": CompletionKind(How.WORD, "subjects"),
    "DIR": FOLDER,
    "FILE": ANY_FILE,
    "FOLDER": FOLDER,
    "MODEL": CompletionKind(How.PATH, list="models"),
    "NAME=FILE": CompletionKind(How.NAMED_PATH, suffixes=(".npy",)),
    "NAME=VALUE": CompletionKind(How.PAIR, "limits"),
    "OP": CompletionKind(How.WORD, "ops"),
    "PATH": CompletionKind(How.PATH, list="models"),
    "RELEASES": CompletionKind(How.WORDS, "releases"),
    "REPORT": ANY_FILE,
    "SOURCES": CompletionKind(How.WORDS, "sources"),
    "TASKS": CompletionKind(How.WORDS, "tasks"),
    "RELEASE": CompletionKind(How.WORD, "releases"),
    "RULE": CompletionKind(How.WORD, "rules"),
    "RULES": CompletionKind(How.WORDS, "rules"),
    "SOURCE": SOURCE,
    "TARGET": CompletionKind(How.WORD, "targets"),
    "TRACE.json": CompletionKind(How.PATH, suffixes=(".json",)),
    "WHAT": CompletionKind(How.WORDS, "differences"),
}
BY_NAME = {
    "--load-inputs": CompletionKind(How.PATH, suffixes=(".npz",)),
    "--weights": CompletionKind(How.PATH, suffixes=(".bin",)),
}
"""Options of several commands whose metavar does not say it; see also Command.completion."""


def kind_of(command: str, action: argparse.Action) -> CompletionKind:
    """What a shell completes for an action of the parser of a command."""
    if action.choices:
        return CompletionKind(How.WORD, words=tuple(map(str, action.choices)))
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    names = action.option_strings or [metavar]
    stated = commands()[command].completion
    kind = next((BY_NAME[name] for name in names if name in BY_NAME), None) or _kind(
        next((stated[name] for name in names if name in stated), metavar)
    )
    return CompletionKind(How.PATH, suffixes=model_suffixes()) if kind.list == "models" else kind


def _kind(word: str) -> CompletionKind:
    """What a metavar stands for, or files with a suffix."""
    if word.startswith("."):
        return CompletionKind(How.PATH, suffixes=(word,))
    return BY_METAVAR.get(word, NOTHING)


def model_suffixes() -> tuple[str, ...]:
    """How the names of the files of models end."""
    return tuple(dict.fromkeys(suffix for dialect in part("dialects") for suffix in dialect["suffixes"]))


LONGEST_HELP = 76
REPEATED = (argparse._AppendAction, argparse._ExtendAction)


@dataclass(frozen=True, slots=True)
class Option:
    """names: --output and -o; value: what is completed as its value, None for a flag; metavar: of the value;
    is_optional: whether the value may be missing; is_repeated: whether the option may occur again.
    """

    names: tuple[str, ...]
    help: str
    value: CompletionKind | None
    metavar: str = ""
    is_optional: bool = False
    is_repeated: bool = False


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument without a name. is_repeated: whether it may occur again; it is the last one then."""

    metavar: str
    value: CompletionKind
    is_repeated: bool


@dataclass(frozen=True, slots=True)
class CommandLine:
    """What may follow a command."""

    command: str
    options: tuple[Option, ...]
    arguments: tuple[Argument, ...]


def command_lines() -> list[CommandLine]:
    """One for each command, in their order."""
    return [_command_line(name) for name in commands()]


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
