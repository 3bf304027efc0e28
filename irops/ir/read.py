"""Reads IR files, .xml and .bin beside it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from irops.diagnostics.diagnostic import Diagnostic, ReadError, errors_of
from irops.ir.build import Builder
from irops.ir.collection import no_collection
from irops.ir.doctype import without_doctype
from irops.ir.faults import Faults
from irops.ir.locate import Source
from irops.ir.model import Model
from irops.ir.regular import NotRegular, open_regular
from irops.ir.text import is_binary, source_of
from irops.ir.turns import in_turn
from irops.ir.weights import Weights
from irops.limits import Limits, room_for

StrPath = str | os.PathLike[str]
HARMLESS = frozenset(
    (
        "unknown-element",
        "stray-text",
        "empty-rt-info",
        "duplicate-rt-info",
        "unbound-prefix",
        "duplicate-section",
        "unknown-reference-layer",
        "mean-outside-weights",
    )
)
"""Errors that leave no doubt what the layers and edges are."""


def load(
    path: StrPath, weights: StrPath | None = None, *, text: bytes | None = None, limits: Limits | None = None
) -> tuple[Model, tuple[Diagnostic, ...]]:
    """The model that a file holds, as far as it can be read, and all that is wrong with its text and
    structure.

    weights: the .bin file; the one of the same name beside the .xml if not given. text: what is read in place
        of the file's content.
    Raises:  ReadError where there is no model at all
    """
    name, limits = os.fspath(path), limits or Limits()
    beside = Path(name).with_suffix(".bin") if weights is None else weights
    with in_turn(
        Path(os.path.realpath(name)).parent
    ):  # no writer puts another pair in their place between the two looks
        raw = bytes_of(name, limits) if text is None else text
        bytes_beside = Weights.of_file(beside)
    return _load(name, raw, bytes_beside, limits)


def loads(
    xml: bytes, weights: bytes = b"", *, limits: Limits | None = None
) -> tuple[Model, tuple[Diagnostic, ...]]:
    """The model that bytes in memory hold; see load."""
    return _load(None, xml, Weights.of_bytes(weights), limits or Limits())


def read(path: StrPath, weights: StrPath | None = None, *, limits: Limits | None = None) -> Model:
    """The model that a file holds.

    Raises:  ReadError, with all that was found, where something of its layers or edges cannot be read, or a
        limit is met
    """
    return accepted(*load(path, weights, limits=limits))


def accepted(model: Model, found: tuple[Diagnostic, ...]) -> Model:
    """A model that was loaded. Raises: ReadError where its layers and edges are not all certain"""
    if any(d.name not in HARMLESS for d in errors_of(found)):
        raise ReadError(sorted(found, key=lambda d: d.severity))
    return model


def _load(
    path: str | None, raw: bytes, weights: Weights, limits: Limits
) -> tuple[Model, tuple[Diagnostic, ...]]:
    if len(raw) > limits.xml_bytes:
        raise Faults(Source(path, b""), limits).refuse(
            "oversized-file", f"the text has {len(raw):,} bytes", -1
        )
    source = source_of(path, raw)
    faults = Faults(source, limits)
    data = without_doctype(source.data, faults)
    refused = faults.in_order()
    with no_collection(), room_for(limits.depth):
        try:
            model = Builder(faults).model(data, weights)
        except ReadError:
            if refused:  # what is wrong without the declaration may come of leaving it out
                raise ReadError(refused) from None
            raise
    return model, faults.in_order()


def bytes_of(path: str, limits: Limits) -> bytes:
    """The content of a file, as much of it as tells what it is where it is no text. Raises: ReadError"""
    faults = Faults(Source(path, b""), limits)
    try:
        with open_regular(path) as file:
            start, size = file.read(4096), os.fstat(file.fileno()).st_size
            if is_binary(start):  # weights, say: they may be large, and are no text
                return start
            if size <= limits.xml_bytes:  # a file that grows meanwhile is not read on and on
                start += file.read(int(min(limits.xml_bytes, sys.maxsize - len(start))))
            size = max(size, len(start))
            if size > limits.xml_bytes:
                raise faults.refuse("oversized-file", f"the file has {size:,} bytes", -1)
            return start
    except NotRegular as error:
        raise faults.stop("not-a-file", f"{path} {error}; it must be an .xml file", -1) from None
    except FileNotFoundError:
        raise faults.stop("file-not-found", f"{path} does not exist", -1, notes=_near(path)) from None
    except OSError as error:
        raise faults.stop("unreadable-file", f"{path} cannot be read: {error.strerror}", -1) from None


def _near(path: str) -> tuple[str, ...]:
    folder = Path(path).parent
    others = sorted(p.name for p in folder.glob("*.xml"))[:5] if folder.is_dir() else []
    return (
        (f"beside it are: {', '.join(others)}",)
        if others
        else ()
        if folder.is_dir()
        else (f"the folder {folder} does not exist",)
    )
