"""Reads IR files, .xml and .bin beside it."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from irops.diagnostics.diagnostic import Diagnostic, ReadError, errors_of
from irops.files.limits import Limits, recursion_limit_for
from irops.files.urls import Address, StrPath, address
from irops.ir.build import Builder
from irops.ir.collection import no_collection
from irops.ir.faults import Faults
from irops.ir.locate import Source
from irops.ir.model import Model
from irops.ir.near_files import near
from irops.ir.opening import Readable, opened, weights_at
from irops.ir.pending import finished, folder_lock, is_mixed
from irops.ir.regular import NotRegular
from irops.ir.remote.reasons import RemoteError
from irops.ir.text import is_binary, source_of, without_doctype
from irops.ir.traffic import count_read
from irops.ir.weights import Weights, small_integers

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
        "malformed-rt-info",
        "malformed-mean-values",
        "malformed-meta-data",
    )
)
"""Errors that do not affect layers and edges."""


def load(
    path: StrPath, weights: StrPath | None = None, *, text: bytes | None = None, limits: Limits | None = None
) -> tuple[Model, tuple[Diagnostic, ...]]:
    """The model in a file, as far as it can be read, and all findings on its text and structure.

    path, weights: local files, or URLs of fsspec; weights: the .bin file, by default the one of the same name
    beside the .xml; text: replaces the content of the file.
    Raises:  ReadError if no model can be read
    """
    place, limits = address(path), limits or Limits()
    beside = place.with_suffix(".bin") if weights is None else address(weights)
    with folder_lock(place.folder()):  # no writer replaces the two files in between
        raw = bytes_of(place, limits) if text is None else text
        weights_file = weights_at(beside, limits)
        if weights is None and not place.is_remote:
            _require_one_write(place)
    return _load(place.shown, raw, weights_file, limits)


def _require_one_write(place: Address) -> None:
    """Raises: ReadError if a write of the model was interrupted when only its .bin file had been replaced"""
    xml = Path(os.path.realpath(place.text))
    weights = xml.with_suffix(".bin")
    if weights != xml and is_mixed(weights, xml):
        source = Source(place.shown, b"")
        message = f"{weights.name} was replaced and {xml.name} was not: a write of this model was interrupted"
        new = finished(xml)
        note = f"mv {shlex.quote(str(new))} {shlex.quote(str(xml))} completes it"
        raise Faults(source).stop("interrupted-write", message, notes=(note,))


def loads(
    xml: bytes, weights: bytes = b"", *, limits: Limits | None = None
) -> tuple[Model, tuple[Diagnostic, ...]]:
    """The model in bytes in memory; see load."""
    return _load(None, xml, Weights.of_bytes(weights), limits or Limits())


def read(path: StrPath, weights: StrPath | None = None, *, limits: Limits | None = None) -> Model:
    """The model in a file.

    Raises:  ReadError, with all findings, if layers or edges cannot be read, or a limit is exceeded
    """
    return accepted(*load(path, weights, limits=limits))


def accepted(model: Model, findings: tuple[Diagnostic, ...]) -> Model:
    """A model that was loaded. Raises: ReadError if its layers and edges are not all certain"""
    if any(d.name not in HARMLESS for d in errors_of(findings)):
        raise ReadError(sorted(findings, key=lambda d: d.severity))
    return model


def _load(
    path: str | None, raw: bytes, weights: Weights, limits: Limits
) -> tuple[Model, tuple[Diagnostic, ...]]:
    if len(raw) > limits.xml_bytes:
        raise Faults(Source(path, b""), limits).refuse("oversized-file", f"the text has {len(raw):,} bytes")
    source = source_of(path, raw)
    faults = Faults(source, limits)
    data = without_doctype(source.data, faults)
    doctype_findings = faults.in_order()
    with no_collection(), recursion_limit_for(limits.depth):
        try:
            model = Builder(faults).model(data, weights)
            if weights.is_remote:
                weights.expect(small_integers(model))
        except ReadError:
            if doctype_findings:  # the error may be caused by removing the declaration
                raise ReadError(doctype_findings) from None
            raise
    return model, faults.in_order()


def bytes_of(place: Address, limits: Limits) -> bytes:
    """The content of a file; of a binary file, only the start, which identifies it. Raises: ReadError"""
    name = place.shown
    faults = Faults(Source(name, b""), limits)
    if not place.text:
        raise faults.stop("file-not-found", "the path is empty, must name an .xml file")
    try:
        with opened(place, limits) as (file, size):
            start = _start_or_all(file, size, limits, faults)
            count_read(len(start))
            return start
    except NotRegular as error:
        raise faults.stop("not-a-file", f"{name} {error}, must be an .xml file") from None
    except FileNotFoundError:
        raise faults.stop(
            "file-not-found", f"{name} does not exist", notes=near(place.text, ".xml")
        ) from None
    except RemoteError as error:
        must_be = ", must be an .xml file" if error.rule == "not-a-file" else ""
        raise faults.stop(error.rule, f"{name} {error.sentence}{must_be}") from None
    except OSError as error:
        raise faults.stop("unreadable-file", f"{name} cannot be read: {error.strerror}") from None
    except ReadError:
        raise
    except ValueError as error:  # a path that no system accepts, with a null character for example
        raise faults.stop("unreadable-file", f"{name} cannot be read: {error}") from None


def _start_or_all(file: Readable, size: int, limits: Limits, faults: Faults) -> bytes:
    start = file.read(4096)
    if is_binary(start):  # weights, for example, which may be large
        return start
    if size <= limits.xml_bytes:  # bounded, in case the file grows while it is read
        start += file.read(int(min(limits.xml_bytes, sys.maxsize - len(start))))
    size = max(size, len(start))
    if size > limits.xml_bytes:
        raise faults.refuse("oversized-file", f"the file has {size:,} bytes")
    return start
