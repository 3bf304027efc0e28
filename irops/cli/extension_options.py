"""Options that add custom ops and rules: --definitions, --module and --config."""

from __future__ import annotations

import argparse


def add_config(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="take the settings from this TOML file, and load the custom rules that it names",
    )


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


def has_extensions(args: argparse.Namespace) -> bool:
    """Whether the options add custom ops."""
    return bool(args.definitions or args.modules)
