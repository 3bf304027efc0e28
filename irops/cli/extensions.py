"""The registry of a command: that of irops, with the custom ops of its options."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

from irops.cli.main import Refusal
from irops.cli.options import add_extensions, has_extensions
from irops.registry import Registry

__all__ = ["add_extensions", "registry_of"]


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
    return Registry(args.definitions, args.modules) if has_extensions(args) else None
