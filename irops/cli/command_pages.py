"""A page for every command, from its parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from irops.cli.command import Command, commands, parser_of
from irops.document.markdown import cell, code, prose

USAGE = "usage: "
EXAMPLE = "\n\nexample:\n"
INTRODUCTION = """# Commands

Every command has `--help`, and `irops help COMMAND` shows the same. Exit codes: 0 success; 1 findings;
2 wrong usage, a file that cannot be read or written, or an internal error.
"""


def command_pages() -> Iterator[tuple[str, str]]:
    """Relative path and text of each page, the list of all first."""
    rows = "\n".join(
        f"| [irops {name}]({name}.md) | {cell(command.summary)} |" for name, command in commands().items()
    )
    pages = "\n".join(commands())
    table = f"| command | |\n|---|---|\n{rows}\n"
    yield "commands/index.md", f"{INTRODUCTION}\n{table}\n```{{toctree}}\n:hidden:\n\n{pages}\n```\n"
    for name, command in commands().items():
        yield f"commands/{name}.md", command_page(name, command)


def command_page(name: str, command: Command) -> str:
    """The page of a command: usage, text, examples, arguments and exit codes."""
    parser = parser_of(name)
    text, _, example = (parser.description or "").partition(EXAMPLE)
    shown = "\n".join(line.removeprefix("  ") for line in example.rstrip().splitlines())
    examples = f"\n## Examples\n\n```sh\n{shown}\n```\n" if shown else ""
    summary = command.summary[:1].upper() + command.summary[1:]
    codes = "\n".join(line.removeprefix("  ") for line in command.exit_codes().splitlines()[1:])
    tables = "".join(_arguments(group) for group in parser._action_groups)
    return (
        f"# irops {name}\n\n{prose(summary)}.\n\n```text\n{_usage(parser)}\n```\n\n"
        f"{_description(text)}\n{examples}{tables}\n## Exit codes\n\n```text\n{codes}\n```\n"
    )


def _description(text: str) -> str:
    """Paragraphs as prose; lists and tables, whose lines are indented, as they are."""
    parts = [part.strip("\n") for part in text.split("\n\n") if part.strip()]
    return "\n\n".join(
        f"```text\n{part}\n```" if any(line[:1] == " " for line in part.splitlines()) else prose(part)
        for part in parts
    )


def _usage(parser: argparse.ArgumentParser) -> str:
    formatter = argparse.HelpFormatter(parser.prog, width=88)
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups)
    lines = formatter.format_help().removeprefix(USAGE).rstrip().splitlines()
    return "\n".join(line.removeprefix(" " * len(USAGE)) for line in lines)


def _arguments(group: argparse._ArgumentGroup) -> str:
    """The arguments of a group, each with its help as its definition."""
    rows = [
        f"{_name(action)}\n: {cell(help_of(action))}\n"
        for action in group._group_actions
        if action.help is not argparse.SUPPRESS and action.dest != "help"
    ]
    if not rows:
        return ""
    title = "Arguments" if group.title == "positional arguments" else (group.title or "Options")
    return f"\n## {title[:1].upper()}{title[1:]}\n\n" + "\n".join(rows)


def _name(action: argparse.Action) -> str:
    if not action.option_strings:
        return code(action.metavar or action.dest)
    value = "" if action.nargs == 0 else f" {action.metavar or _choices(action) or action.dest.upper()}"
    return ", ".join(code(f"{option}{value}") for option in reversed(action.option_strings))


def _choices(action: argparse.Action) -> str:
    return f"{{{','.join(map(str, action.choices))}}}" if action.choices else ""


def help_of(action: argparse.Action) -> str:
    """The help of an option or an argument, with its values in place of %(…)s."""
    values = {**vars(action), "prog": "irops"}
    return (action.help or "") % values if "%" in (action.help or "") else (action.help or "")
