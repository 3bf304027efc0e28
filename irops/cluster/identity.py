"""Whether a worker has what this process has: the same irops, and a Python of the same version."""

from __future__ import annotations

import os
import socket
import sys
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from irops.spec.schemas import PACKAGE, schemas_folder

TEXTS = (".py", ".xml", ".rng")


@dataclass(frozen=True, slots=True)
class Identity:
    """What a process works with, and the machine that it is on. digest: that of code and definitions"""

    version: str
    digest: str
    python: tuple[int, int]
    host: str


def identity() -> Identity:
    """That of this process."""
    return Identity(own_version(), content(), sys.version_info[:2], socket.gethostname())


def own_version() -> str:
    """The version of irops. The package is not imported for it: that would import what uses this module."""
    return str(vars(sys.modules["irops"])["__version__"])


@cache
def content() -> str:
    """A digest of the code and the definitions, which is the same on every machine that has the same."""
    digest, schemas = sha256(), schemas_folder()
    for root in (PACKAGE, schemas):
        for path in sorted(path for path in root.rglob("*") if path.suffix in TEXTS):
            if root == PACKAGE and path.is_relative_to(schemas):
                continue
            digest.update(path.relative_to(root).as_posix().encode() + b"\0")
            digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def objection(theirs: Identity | Exception) -> str:
    """Why a worker cannot be used, as in "has irops 1.0, but this is 1.1"; empty if it can."""
    ours = identity()
    if isinstance(theirs, ModuleNotFoundError):
        name = theirs.name or ""
        if name.split(".")[0] != "irops":
            return f"cannot import irops: {theirs}"
        return "does not have irops" if name == "irops" else f"has another irops, without {name}"
    if isinstance(theirs, Exception):
        return f"cannot import irops: {type(theirs).__name__}: {theirs}"
    if theirs.python != ours.python:
        return f"runs Python {_dotted(theirs.python)}, but this is {_dotted(ours.python)}"
    if theirs.version != ours.version:
        return f"has irops {theirs.version}, but this is {ours.version}"
    if theirs.digest != ours.digest:
        return f"has irops {theirs.version} with other code ({theirs.digest[:8]}, not {ours.digest[:8]})"
    return ""


def _dotted(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


def unseen(files: tuple[tuple[str, int], ...]) -> str:
    """The first of some files that this process cannot read or that has another size here; empty if none."""
    for path, size in files:
        try:
            same = os.path.getsize(path) == size and os.access(path, os.R_OK)
        except OSError:
            same = False
        if not same:
            return path
    return ""
