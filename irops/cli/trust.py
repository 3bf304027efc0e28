"""Trust a folder: its settings may name Python modules that irops loads.

irops.toml, and [tool.irops] in pyproject.toml, come with files that others
may have written. Modules of custom rules that they name run only in folders
that you trust; a folder is not trusted because one above it is. The list is
in your own configuration. Without arguments, the command shows it.

example:
  irops trust
  irops trust .
  irops trust --remove models/
"""

from __future__ import annotations

import argparse
import os

from irops.cli.command import CLEAN, Command
from irops.cli.main import Refusal
from irops.cli.options import add_format
from irops.cli.streams import say, write
from irops.diagnostics.printable import json_text, printable
from irops.files.trust import distrust, trust, trusted_folders

COMMAND = Command("trust a folder: load the custom rules that its settings name", 240, code_1=None)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="trust this folder")
    parser.add_argument("--remove", action="store_true", help="do not trust the folders any more")
    add_format(parser)
    parser.add_argument("--quiet", "-q", action="store_true", help="print nothing when the list changes")


def execute(args: argparse.Namespace) -> int:
    if args.remove and not args.folders:
        raise Refusal("specify the folders to remove; irops trust lists those that are trusted")
    listed = trusted_folders()
    changed = [_removed(folder, listed) if args.remove else _added(folder) for folder in args.folders]
    if args.output_format == "json":
        write(json_text({"version": 1, "folders": list(trusted_folders())}))
    elif not args.folders:
        for folder in listed:
            say(printable(folder))
        if not listed:
            say("no folder is trusted")
    elif not args.quiet:
        for folder in changed:
            say(f"{printable(folder)} is {'not trusted any more' if args.remove else 'trusted'}")
    return CLEAN


def _added(folder: str) -> str:
    if not os.path.isdir(folder):
        raise Refusal(f"{folder} is not a folder")
    return trust(folder)


def _removed(folder: str, listed: tuple[str, ...]) -> str:
    if not distrust(folder):
        raise Refusal(f"{folder} is not trusted; irops trust lists {len(listed)} folders")
    return os.path.realpath(folder)
