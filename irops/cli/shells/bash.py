"""The script for bash: tables of words, options and kinds, and the functions of irops.bash that use them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from irops.cli.shells.command_lines import CommandLine, CompletionKind, model_suffixes
from irops.cli.shells.word_lists import Words, file_prefixes

TEMPLATE = Path(__file__).with_name("irops.bash")


def script(lines: Sequence[CommandLine], lists: Mapping[str, Words]) -> str:
    """The script. Words hold no character that a shell expands, see word_lists.py."""
    parts = {
        "lists": _cases((f"@{name}", "words", " ".join(words)) for name, words in lists.items()),
        "options": _cases(
            (line.command, "words", " ".join(name for one in line.options for name in one.names))
            for line in lines
        ),
        "kinds": _cases(
            [("help 0", "kind", "word @commands")]
            + [(name, "kind", _kind(kind)) for line in lines for name, kind in _kinds(line)]
        ),
        "models": " ".join(model_suffixes()),
        "prefixes": "|".join(f"{prefix}*" for prefix in file_prefixes()),
    }
    text = TEMPLATE.read_text("utf-8")
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def _cases(rows: Iterable[tuple[str, str, str]]) -> str:
    return "\n".join(f"  '{label}') {variable}='{value}' ;;" for label, variable, value in rows)


def _kinds(line: CommandLine) -> Iterable[tuple[str, CompletionKind]]:
    """Labels: a command with an option, with the place of an argument, or with * for all further ones."""
    for option in line.options:
        for name in option.names:
            if option.value is not None:
                yield f"{line.command} {name}", option.value
    for place, argument in enumerate(line.arguments):
        yield f"{line.command} {'*' if argument.is_repeated else place}", argument.value


def _kind(kind: CompletionKind) -> str:
    reference = f"@{kind.list}" if kind.list else ""
    return " ".join(filter(None, (kind.how, reference, *kind.words, *kind.suffixes)))
