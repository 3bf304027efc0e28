"""Reads IR files: .xml, and .bin beside it."""
from __future__ import annotations

import os
import stat
from pathlib import Path

from irops.diagnostics.diagnostic import Diagnostic, ReadError, errors_of
from irops.ir.build import Builder
from irops.ir.collection import no_collection
from irops.ir.doctype import without_doctype
from irops.ir.faults import Faults
from irops.ir.locate import Source
from irops.ir.model import Model
from irops.ir.text import is_binary, source_of
from irops.ir.weights import Weights

StrPath = str | os.PathLike[str]
HARMLESS = frozenset(("unknown-element", "stray-text", "empty-rt-info", "duplicate-rt-info", "unbound-prefix", "duplicate-section",
                      "unknown-reference-layer", "mean-outside-weights"))
"""Errors that leave no doubt what the layers and edges are."""


def load(path: StrPath, weights: StrPath | None = None) -> tuple[Model, tuple[Diagnostic, ...]]:
    """The model that a file holds, as far as it can be read, and all that is wrong with its text and structure.

    weights: the .bin file; the one of the same name beside the .xml if not given.
    Raises:  ReadError where there is no model at all
    """
    name = os.fspath(path)
    raw = _bytes_of(name)
    beside = Path(name).with_suffix(".bin") if weights is None else weights
    return _load(name, raw, Weights.of_file(beside))


def loads(xml: bytes, weights: bytes = b"") -> tuple[Model, tuple[Diagnostic, ...]]:
    """The model that bytes in memory hold; see load."""
    return _load(None, xml, Weights.of_bytes(weights))


def read(path: StrPath, weights: StrPath | None = None) -> Model:
    """The model that a file holds.

    Raises:  ReadError, with all that was found, where something of its layers or edges cannot be read
    """
    model, found = load(path, weights)
    if any(d.name not in HARMLESS for d in errors_of(found)):
        raise ReadError(sorted(found, key=lambda d: d.severity))
    return model


def _load(path: str | None, raw: bytes, weights: Weights) -> tuple[Model, tuple[Diagnostic, ...]]:
    source = source_of(path, raw)
    faults = Faults(source)
    data = without_doctype(source.data, faults)
    refused = faults.in_order()
    with no_collection():
        try:
            model = Builder(faults).model(data, weights)
        except ReadError:
            if refused:         # what is wrong without the declaration may come of leaving it out
                raise ReadError(refused) from None
            raise
    return model, faults.in_order()


def _bytes_of(path: str) -> bytes:
    faults = Faults(Source(path, b""))
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            what = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
            raise faults.stop("not-a-file", f"{path} is {what}; it must be an .xml file", -1)
        with open(path, "rb") as file:
            start = file.read(4096)
            return start if is_binary(start) else start + file.read()      # weights may be large, and are no text
    except FileNotFoundError:
        raise faults.stop("file-not-found", f"{path} does not exist", -1, notes=_near(path)) from None
    except OSError as error:
        raise faults.stop("unreadable-file", f"{path} cannot be read: {error.strerror}", -1) from None


def _near(path: str) -> tuple[str, ...]:
    folder = Path(path).parent
    others = sorted(p.name for p in folder.glob("*.xml"))[:5] if folder.is_dir() else []
    return (f"beside it are: {', '.join(others)}",) if others else () if folder.is_dir() else (f"the folder {folder} does not exist",)
