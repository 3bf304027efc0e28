"""Tensors that OpenVINO's CPU plug-in dumps (OV_CPU_BLOB_DUMP_DIR, in builds with debug capabilities).

A file has a header of 72 bytes (magic, version, precision, rank, seven sizes, scaling axis; offset and size
of the data) and the elements without padding. Files are called #<execution>_<node type>_<name>_out<k>.ieb.
"""

from __future__ import annotations

import re
import struct
from math import prod
from pathlib import Path

import numpy as np

from irops.values.element import BOOLEAN, Array, ElementType, element_type

DUMP_SUFFIX = ".ieb"
_NAME = re.compile(r"#\d+_[A-Za-z0-9]+_(.+)_out(\d+)\.ieb")
_HEADER = struct.Struct("<4s2sBB7IB3x4Q")
_SUBSTITUTES = str.maketrans({"\\": "_", "/": "_", " ": "_", ":": "-"})
_COMPUTED_AS = {
    ("f32", 2): "bf16",
    ("f64", 4): "f32",
    ("i64", 4): "i32",
    ("u64", 4): "i32",
    ("f16", 4): "f32",
}
"""The types that the plug-in computes tensors of a declared type in, by their number of bytes."""


def dump_name(name: str, output: int) -> str:
    """How files of dumps call the output of a layer."""
    return f"{name.translate(_SUBSTITUTES)}:{output}"


def dump_names(file: str) -> tuple[str, ...]:
    """The output that a file is of; none for inputs and weights."""
    match = _NAME.fullmatch(file)
    return (f"{match[1]}:{match[2]}",) if match else ()


def read_dump(path: Path, kind: ElementType) -> Array:
    """The tensor in a file, in the declared type of its layer. Raises: ValueError, OSError"""
    content = path.read_bytes()
    if len(content) < _HEADER.size or content[:4] != b"IEB0":
        raise ValueError(f"{path} is not a blob dump")
    _, _, _, rank, *rest = _HEADER.unpack_from(content)
    sizes, offset, size = tuple(rest[: min(rank, 7)]), rest[8], rest[9]
    count = prod(sizes)
    if rank > 7 or offset + size > len(content) or (count and size % count):
        raise ValueError(f"{path} is cut off, or is not a blob dump")
    width = size // count if count else 0
    stored = _stored_type(kind, width)
    if count and stored.dtype.itemsize != width:
        raise ValueError(f"{path} has elements of {width} bytes; the layer gives {kind}")
    array = np.frombuffer(content, stored.dtype, count, offset).reshape(sizes)
    return array if stored is kind else array.astype(kind.dtype)


def _stored_type(kind: ElementType, width: int) -> ElementType:
    if kind is BOOLEAN:
        return element_type("u8")
    return element_type(_COMPUTED_AS.get((kind.name, width), kind.name))
