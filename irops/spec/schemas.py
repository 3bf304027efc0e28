"""Locates the specification: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent


@cache
def schemas_folder() -> Path:
    """The folder of definitions, grammars and opsets.

    Raises:  FileNotFoundError if the installation is incomplete
    """
    for folder in (PACKAGE / "schemas", PACKAGE.parent / "schemas"):
        if (folder / "opsets.xml").is_file():
            return folder
    raise FileNotFoundError(
        f"irops is installed without its definitions: no schemas/opsets.xml in or beside {PACKAGE}"
    )
