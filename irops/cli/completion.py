"""Print a script that completes commands, options and their values in a shell.

The script needs no Python when a person presses Tab. It holds the ops, rules,
releases and backends of this installation; write it again after an upgrade.

  bash  ~/.local/share/bash-completion/completions/irops, a file that the
        package bash-completion loads; without it, source the file in ~/.bashrc
  zsh   a file _irops in a folder of $fpath, before compinit in ~/.zshrc
  fish  ~/.config/fish/completions/irops.fish

example:
  irops completion bash > ~/.local/share/bash-completion/completions/irops
  irops completion zsh > ~/.zfunc/_irops
  irops completion fish > ~/.config/fish/completions/irops.fish
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from irops.cli.command import CLEAN, Command
from irops.cli.shells.command_lines import command_lines
from irops.cli.shells.word_lists import word_lists

COMMAND = Command("print a completion script for bash, zsh or fish", 270)

SHELLS = ("bash", "zsh", "fish")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell that reads the script")


def execute(args: argparse.Namespace) -> int:
    module = import_module(f"irops.cli.shells.{args.shell}")
    sys.stdout.write(module.script(command_lines(), word_lists()))
    return CLEAN
