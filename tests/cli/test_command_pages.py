"""The pages of the commands, and what a command line is for each option, as they were read: commands.md and
options.txt, which `python tests/cli/test_command_pages.py` writes anew.
"""

import re
from pathlib import Path

from irops.cli.docs import command_pages
from irops.cli.main import COMMANDS, command_named

PAGES, OPTIONS = Path(__file__).with_name("commands.md"), Path(__file__).with_name("options.txt")


def pages():
    """All pages; usages in one line, since versions of Python break them at other words."""
    return re.sub(r"\n {9,}", " ", "\n".join(f"<!-- {path} -->\n\n{text}" for path, text in command_pages()))


def options():
    """For every argument of every command its names, how many values it takes, and its default."""
    for name in COMMANDS:
        for action in command_named(name)[1]._actions:
            needed = " required" if action.required else ""
            values = f"{type(action).__name__} nargs={action.nargs} default={action.default!r}"
            yield f"{name} {' '.join(action.option_strings) or action.dest} {values}{needed}"


def test_the_pages_of_all_commands_are_as_they_were_read():
    assert pages() == PAGES.read_text("utf-8")
    assert "\n: \n" not in pages(), "an option has no help"


def test_all_options_take_what_they_took():
    assert list(options()) == OPTIONS.read_text("utf-8").splitlines()


if __name__ == "__main__":
    PAGES.write_text(pages(), "utf-8")
    OPTIONS.write_text("\n".join(options()) + "\n", "utf-8")
