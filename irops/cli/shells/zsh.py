"""The script for zsh: lists of words with descriptions, and for each command the arguments of _arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from irops.cli.shells.command_lines import Argument, CommandLine, CompletionKind, How, Option, model_suffixes
from irops.cli.shells.word_lists import Words, file_prefixes

TEMPLATE = Path(__file__).with_name("irops.zsh")


def script(lines: Sequence[CommandLine], lists: Mapping[str, Words]) -> str:
    parts = {
        "lists": "\n".join(_list(name, words) for name, words in lists.items()),
        "models": _pattern(model_suffixes()),
        "prefixes": "|".join(file_prefixes()),
        "commands": "\n".join(map(_command, lines)),
    }
    text = TEMPLATE.read_text("utf-8")
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def _list(name: str, words: Words) -> str:
    """A function that offers the words of a list."""
    rows = [_quoted(_coloned(word) + (f":{text}" if text else "")) for word, text in words.items()]
    return f'_irops_{name}() {{\n  local -a words=({" ".join(rows)})\n  _describe {name} words "$@"\n}}'


def _command(line: CommandLine) -> str:
    specs = [spec for option in line.options for spec in _options(option)]
    specs += [_argument(argument, place) for place, argument in enumerate(line.arguments, 1)]
    return f"  {line.command}) _arguments -s -S {' '.join(map(_quoted, specs))} ;;"


def _options(option: Option) -> list[str]:
    """A specification for each name of an option: (other names)--name=[help]:metavar:action."""
    alone = option.names == ("--help", "-h")
    others = "(- *)" if alone else f"({' '.join(option.names)})"
    start = "*" if option.is_repeated else others
    text = f"[{_coloned(option.help).replace('[', '(').replace(']', ')')}]"
    if option.value is None:
        return [f"{start}{name}{text}" for name in option.names]
    colon = "::" if option.is_optional else ":"
    value = f"{colon}{_coloned(option.metavar)}:{_action(option.value)}"
    return [f"{start}{name}{'=' if name[:2] == '--' else '+'}{text}{value}" for name in option.names]


def _argument(argument: Argument, place: int) -> str:
    return f"{'*' if argument.is_repeated else place}:{_coloned(argument.metavar)}:{_action(argument.value)}"


def _action(kind: CompletionKind) -> str:
    """What offers the values. After a blank, zsh calls a function without options of its own."""
    words = f"({' '.join(kind.words)})" if kind.words else f"_irops_{kind.list}"
    pattern = _pattern(kind.suffixes)
    actions = {
        How.NOTHING: " ",
        How.WORD: words,
        How.WORDS: f"_sequence {words}",
        How.PATH: f"_files -g {_quoted(pattern)}" if kind.suffixes else "_files",
        How.FOLDER: "_files -/",
        How.SOURCE: "_irops_source",
        How.PAIR: f" _irops_pair {words}",
        How.NAMED_PATH: f" _irops_named_path {_quoted(pattern)}",
    }
    return actions[kind.how]


def _pattern(suffixes: Sequence[str]) -> str:
    """A pattern of file names. In parentheses at its end, a single suffix would be a qualifier of zsh."""
    names = [suffix.lstrip(".") for suffix in suffixes]
    return f"*.({'|'.join(names)})" if len(names) > 1 else f"*.{''.join(names)}"


def _coloned(text: str) -> str:
    return text.replace("\\", "\\\\").replace(":", "\\:")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
