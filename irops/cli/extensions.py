"""Options that add custom ops: --definitions and --module."""

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
        help="a folder with the definitions and modules of custom ops; repeatable",
    )
    parser.add_argument(
        "--module",
        metavar="NAME",
        action="append",
        default=[],
        dest="modules",
        help="a Python module with the functions of custom ops; repeatable",
    )


def registry_of(args: argparse.Namespace) -> Registry | None:
    """The default registry with the custom ops of the options; None without such options."""
    for folder in args.definitions:
        if not Path(folder).is_dir():
            raise Refusal(f"--definitions {folder}: no such folder")
    for name in args.modules:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not name.startswith(error.name):
                raise
            raise Refusal(f"--module {name}: no module of this name") from None
    return Registry(args.definitions, args.modules) if args.definitions or args.modules else None
