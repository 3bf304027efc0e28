"""The pages of the commands, and what a command line is for each option, as they were read."""

import re
from pathlib import Path

from stored import assert_stored

from irops.cli.docs import command_pages
from irops.cli.main import COMMANDS, command_named


def test_the_pages_of_all_commands_are_as_they_were_read():
    text = "\n".join(f"<!-- {path} -->\n\n{text}" for path, text in command_pages())
    assert "\n: \n" not in text, "an option has no help"
    text = re.sub(r"\n {9,}", " ", text)  # versions of Python break usages at other words
    assert_stored(text, Path(__file__).with_name("commands.md"))


def options():
    """For every argument of every command its names, how many values it takes, and its default."""
    for name in COMMANDS:
        for action in command_named(name)[1]._actions:
            needed = " required" if action.required else ""
            values = f"{type(action).__name__} nargs={action.nargs} default={action.default!r}"
            yield f"{name} {' '.join(action.option_strings) or action.dest} {values}{needed}\n"


def test_all_options_take_what_they_took():
    assert_stored("".join(options()), Path(__file__).with_name("options.txt"))
