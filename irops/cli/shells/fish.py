"""The script for fish: functions that print words with descriptions, and one complete for each option."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from irops.cli.shells.command_lines import CommandLine, CompletionKind, How, Option, model_suffixes
from irops.cli.shells.word_lists import Words, file_prefixes

TEMPLATE = Path(__file__).with_name("irops.fish")


def script(lines: Sequence[CommandLine], lists: Mapping[str, Words]) -> str:
    parts = {
        "lists": "\n\n".join(_list(name, words) for name, words in lists.items()),
        "models": " ".join(model_suffixes()),
        "prefixes": " ".join(f"'{prefix}*'" for prefix in file_prefixes()),
        "commands": "\n\n".join("\n".join(_command(line)) for line in lines),
    }
    text = TEMPLATE.read_text("utf-8")
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def _list(name: str, words: Words) -> str:
    """A function that prints the words of a list with their descriptions."""
    rows = " ".join(_quoted(f"{word}\t{text}" if text else word) for word, text in words.items())
    return f"function __irops_{name}\n    string join \\n -- {rows}\nend"


def _command(line: CommandLine) -> Iterator[str]:
    condition = _quoted(f"__irops_in {line.command}")
    for option in line.options:
        names = " ".join(f"-l {name[2:]}" if name[:2] == "--" else f"-s {name[1:]}" for name in option.names)
        yield f"complete -c irops -n {condition} {names} -d {_quoted(option.help)}{_value(option)}"
    valued = " ".join(name for one in line.options if one.value is not None for name in one.names)
    for number, argument in enumerate(line.arguments):
        place = "\\*" if argument.is_repeated else str(number)
        words = _words(argument.value)
        if words:
            at = _quoted(f"__irops_at {line.command} {place} {valued}".rstrip())
            yield f"complete -c irops -n {at} -a {_quoted(words)}"


def _value(option: Option) -> str:
    if option.value is None:
        return ""
    words = _words(option.value)
    needed = " -f" if option.is_optional else " -x"
    return f"{needed} -a {_quoted(words)}" if words else needed


def _words(kind: CompletionKind) -> str:
    """What to offer: words, or calls of functions that print them."""
    suffixes = " ".join(kind.suffixes)
    calls = {
        How.NOTHING: "",
        How.WORD: " ".join(kind.words) or f"(__irops_{kind.list})",
        How.WORDS: f"(__irops_words (__irops_{kind.list}))",
        How.PATH: f"(__irops_paths {suffixes})" if suffixes else "(__fish_complete_path (__irops_typed))",
        How.FOLDER: "(__fish_complete_directories (__irops_typed))",
        How.SOURCE: "(__irops_source)",
        How.PAIR: f"(__irops_{kind.list} | string replace -r '$' '=')",
        How.NAMED_PATH: f"(__irops_named_path {suffixes})",
    }
    return calls[kind.how]


def _quoted(text: str) -> str:
    """In single quotes, in which fish knows two escapes."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
