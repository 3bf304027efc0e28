"""Ops of your own: where their definitions and functions lie."""
from __future__ import annotations

import argparse

from irops.registry import Registry


def add_extensions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--definitions", metavar="FOLDER", action="append", default=[],
                        help="a folder with definitions of further ops, and their modules")
    parser.add_argument("--module", metavar="NAME", action="append", default=[], dest="modules",
                        help="a Python module with functions of further ops")


def registry_of(args: argparse.Namespace) -> Registry | None:
    """The registry with what the options add; None if they add nothing."""
    return Registry(args.definitions, args.modules) if args.definitions or args.modules else None
