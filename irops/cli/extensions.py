"""Ops of your own: where their definitions and functions lie."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

from irops.cli.main import Refusal
from irops.registry import Registry


def add_extensions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--definitions",
        metavar="FOLDER",
        action="append",
        default=[],
        help="a folder with definitions of further ops, and their modules",
    )
    parser.add_argument(
        "--module",
        metavar="NAME",
        action="append",
        default=[],
        dest="modules",
        help="a Python module with functions of further ops",
    )


def registry_of(args: argparse.Namespace) -> Registry | None:
    """The registry with what the options add; None if they add nothing."""
    for folder in args.definitions:
        if not Path(folder).is_dir():
            raise Refusal(f"--definitions {folder}: there is no such folder")
    for name in args.modules:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not name.startswith(error.name):
                raise
            raise Refusal(f"--module {name}: there is no such module") from None
    return Registry(args.definitions, args.modules) if args.definitions or args.modules else None
