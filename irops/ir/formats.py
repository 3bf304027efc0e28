"""The file formats other than IR, by suffix, and the modules that read and write them, imported on demand."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

READERS = {".onnx": "irops.dialects.onnx.read"}
"""Modules with a function load(path, limits, data), like irops.ir.read.load; data: replaces the content."""
WRITERS = {".onnx": "irops.dialects.onnx.write"}
"""Modules with a function write(model, path), like irops.ir.write.write."""

SUFFIXES = {"onnx": ".onnx"}
"""The file suffix of each dialect whose models are not XML files."""


def reader_of(path: str) -> Any:
    """The module that reads a file of another format; None if the file is read as IR."""
    return _module(path, READERS)


def writer_of(path: str) -> Any:
    """The module that writes a file of another format; None if the file is written as IR."""
    return _module(path, WRITERS)


def _module(path: str, modules: dict[str, str]) -> Any:
    name = modules.get(os.path.splitext(path)[1].lower())
    return None if name is None else import_module(name)
