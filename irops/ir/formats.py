"""Files of other formats than IR, by how their names end, and the modules that read and write them: imported
when one is met.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

READERS = {".onnx": "irops.dialects.onnx.read"}
"""Modules with a function load(path, limits, data), as irops.ir.read.load is one; data: what is read in place
of the file's content.
"""
WRITERS = {".onnx": "irops.dialects.onnx.write"}
"""Modules with a function write(model, path), as irops.ir.write.write is one."""

OWN_ENDINGS = {"onnx": ".onnx"}
"""How the names of files end that hold models of a dialect, where these are not XML."""


def reader_of(path: str) -> Any:
    """What reads a file of another format; None where the file is taken for IR."""
    return _module(path, READERS)


def writer_of(path: str) -> Any:
    """What writes a file of another format; None where the file is to be IR."""
    return _module(path, WRITERS)


def _module(path: str, modules: dict[str, str]) -> Any:
    name = modules.get(os.path.splitext(path)[1].lower())
    return None if name is None else import_module(name)
