"""An index of what the definitions and the rules say, so that commands about them parse no definition.

Each part of it is made when it is first needed, and kept in the cache under a key of what it is made of. The
modules that make it are imported only then; index_parts.py has them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from irops.cli.options import has_extensions
from irops.files.cache.entries import key_of, read_entry, write_entry
from irops.files.cache.folder import cache_folder
from irops.files.cache.identity import PACKAGE, interpreter, specification_folder, tree
from irops.files.switches import enabled
from irops.spec.plugins import OPS, is_registered

FOLDER = "index"
_DEFINING = ("cli", "diagnostics", "dialects", "document", "spec", "values")
"""The parts of irops that say what the definitions of ops mean."""


def part(name: str, *arguments: str, args: argparse.Namespace | None = None) -> Any:
    """A part of the index, as index_parts.py makes it. args: with options that may add custom ops to it"""
    folder = None if _is_extended(args) or not enabled("cache") else cache_folder()
    if folder is None:
        return _made(name, arguments, args)
    place, key = os.path.join(folder, FOLDER), _key(name, arguments)
    kept = read_entry(place, key)
    if kept is not None:
        return json.loads(kept)
    text = json.dumps(_made(name, arguments, args), separators=(",", ":"))
    write_entry(place, key, text.encode("ascii"))
    return json.loads(text)


def _made(name: str, arguments: Sequence[str], args: argparse.Namespace | None) -> Any:
    from irops.cli.index_parts import made

    return made(name, arguments, args)


def _key(name: str, arguments: Sequence[str]) -> str:
    """What a part is made of: code and definitions."""
    lines = [name, *arguments, *interpreter()]
    folders = ("diagnostics",) if name == "rules" else _DEFINING
    for folder in folders:
        lines += tree(os.path.join(PACKAGE, folder))
    if name not in ("rules", "dialects"):
        lines += tree(specification_folder())
    return key_of("\n".join(lines).encode("utf-8", "surrogateescape"))


def _is_extended(args: argparse.Namespace | None) -> bool:
    """Whether there are custom ops, by options or by plug-ins, or dialects besides those of irops."""
    if args is not None and (has_extensions(args) or is_registered(OPS)):
        return True
    package = sys.modules.get("irops.dialects")
    return package is not None and list(package.__path__) != [os.path.join(PACKAGE, "dialects")]
