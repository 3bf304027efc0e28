"""Reads IR files, .xml and .bin beside it."""

import codecs
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from xml.parsers import expat

from irops.diagnostics.diagnostic import Diagnostic, ReadError, errors_of
from irops.diagnostics.rules import rule
from irops.environment import no_collection
from irops.files.limits import Limits, recursion_limit_for
from irops.files.output import folder_lock, left_of_pair
from irops.files.storage import count_read, head_of
from irops.files.urls import Place, StrPath
from irops.ir.build import Builder
from irops.ir.locate import BOM, SourceText
from irops.ir.model import Model
from irops.ir.opening import Readable, opened_model, weights_at
from irops.ir.parse import Faults
from irops.ir.weights import Weights, small_integers

_HARMLESS = (
    "unknown-element stray-text empty-rt-info duplicate-rt-info unbound-prefix duplicate-section"
    " unknown-reference-layer mean-outside-weights malformed-rt-info malformed-mean-values"
    " malformed-meta-data"
)
HARMLESS = frozenset(_HARMLESS.split())
"""Errors that do not affect layers and edges."""


def load(
    path: StrPath, weights: StrPath | None = None, *, text: bytes | None = None, limits: Limits | None = None
) -> tuple[Model, tuple[Diagnostic, ...]]:
    """The model in a file, as far as it can be read, and all findings on its text and structure.

    path, weights: local files, or URLs of fsspec; weights: the .bin file, by default the one of the same name
    beside the .xml; text: replaces the content of the file.
    Raises:  ReadError if no model can be read
    """
    place, limits = Place.of(path), limits or Limits()
    beside = place.with_suffix(".bin") if weights is None else Place.of(weights)
    with folder_lock(_folder_of(place)):  # no writer replaces the two files in between
        raw = bytes_of(place, limits) if text is None else text
        weights_file = weights_at(beside, limits)
        left = left_of_pair(Path(place), Path(beside)) if weights is None and not place.is_remote else None
    model, findings = _load(str(place), raw, weights_file, limits)
    return model, findings if left is None else (_interrupted(model, beside, left), *findings)


def _interrupted(model: Model, weights: Place, left: Path) -> Diagnostic:
    message = f"{weights} is of a later writing than this file, which ended before this file was replaced"
    notes = (f"{left} is the text that belongs to it; rename it to {left.name[1:].removesuffix('.pending')}",)
    return Diagnostic(rule("interrupted-write"), message, model.location(), notes=notes)


def _folder_of(path: Place) -> Path:
    try:
        return Path(os.path.realpath(path)).parent
    except ValueError:  # a path that no system accepts, which is reported when it is opened
        return Path()


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
        raise Faults(SourceText(path, b""), limits).refuse(
            "oversized-file", f"the text has {len(raw):,} bytes"
        )
    source = source_of(path, raw)
    faults = Faults(source, limits)
    data = without_doctype(source.data, faults)
    doctype_findings = faults.in_order()
    with no_collection(), recursion_limit_for(limits.depth):
        try:
            model = Builder(faults).model(data, weights)
            weights.expect(small_integers(model))
        except ReadError:
            if doctype_findings:  # the error may be caused by removing the declaration
                raise ReadError(doctype_findings) from None
            raise
    return model, faults.in_order()


def bytes_of(path: StrPath, limits: Limits) -> bytes:
    """The content of a file; of a binary file, only the start, which identifies it. Raises: ReadError"""
    place = Place.of(path)
    faults = Faults(SourceText(str(place), b""), limits)
    if not place.path:
        raise faults.stop("file-not-found", "the path is empty, must name an .xml file")
    with opened_model(place, faults, ".xml") as (file, size):
        start = _start_or_all(file, size, limits, faults)
        count_read(len(start))
        return start


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


# Finds document type declarations and removes them before anything that they declare is used.

_OPENER = b"<!DOCTYPE"


class _DeclarationEnd(Exception):
    """Stops the scan of a declaration."""


def without_doctype(data: bytes, faults: Faults) -> bytes:
    """The text with its document type declaration reported and replaced by blanks.

    The finding is located at the most harmful part: an entity that names another file, or a default that adds
    attributes; otherwise at the start of the declaration.
    """
    if _OPENER not in data:
        return data
    seen = _Declarations(data)
    if seen.start < 0:
        return data  # in a comment, for example
    worst = seen.worst or (seen.start, "a document type declaration")
    faults.add(
        "document-type",
        f"the file has {worst[1]}, must have no document type declaration",
        worst[0],
        notes=("irops uses nothing that it declares and opens no file that it names",),
    )
    if seen.end < 0:
        return data
    # as long as what it replaces, so that offsets and lines stay
    blank = bytes(byte if byte in b"\r\n" else ord(" ") for byte in data[seen.start : seen.end])
    return data[: seen.start] + blank + data[seen.end :]


class _Declarations:
    """The extent of a document type declaration, and the most harmful part of it."""

    def __init__(self, data: bytes) -> None:
        self.start = self.end = -1
        self.worst: tuple[int, str] | None = None
        self.parser = parser = expat.ParserCreate("utf-8")
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.StartDoctypeDeclHandler = self._starts
        parser.EndDoctypeDeclHandler = self._ends
        parser.EntityDeclHandler = self._entity
        parser.AttlistDeclHandler = self._attlist
        parser.StartElementHandler = self._element
        with suppress(_DeclarationEnd, expat.ExpatError):  # the main parse reports what is not well-formed
            parser.Parse(data, True)
        if self.start >= 0:
            self.start = data.rfind(_OPENER, 0, self.start + 1)  # the parser reports the end of the name

    def _starts(self, *_: object) -> None:
        self.start = self.parser.CurrentByteIndex

    def _ends(self) -> None:
        self.end = self.parser.CurrentByteIndex + 1
        raise _DeclarationEnd

    def _element(self, *_: object) -> None:
        raise _DeclarationEnd

    def _note(self, what: str) -> None:
        if self.worst is None:
            self.worst = self.parser.CurrentByteIndex, what

    def _entity(
        self,
        name: str,
        _parameter: bool,
        value: str | None,
        _base: str | None,
        system: str | None,
        *_: object,
    ) -> None:
        if value is None and system is not None:
            self._note(f"an entity {name!r} that stands for the file {system!r}")

    def _attlist(
        self, element: str, attribute: str, _type: str, default: str | None, _required: bool
    ) -> None:
        if default is not None:
            self._note(f"a default {attribute}={default!r} for every <{element}>")


# Decodes the bytes of a file to UTF-8, and identifies files that are not text.

_DECLARED = re.compile(rb"<\?xml[^>]*?\sencoding\s*=\s*[\"']([^\"'>]*)[\"']")
_AS_IS = ("utf-8", "us-ascii", "ascii")
_DECODED = re.compile(r"iso-?8859-?\d{1,2}|latin-?1|windows-?125\d|cp125\d")
_WIDE = {
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    b"<\0": "utf-16-le",
    b"\0<": "utf-16-be",
}
_ARCHIVES = {
    b"PK\3\4": "a zip archive",
    b"\x1f\x8b": "a gzip archive",
    b"\xfd7zXZ": "an xz archive",
    b"7z\xbc\xaf": "a 7z archive",
}


def source_of(path: str | None, raw: bytes) -> SourceText:
    """The text in bytes, as UTF-8.

    Raises:  ReadError if the bytes are not text, or have an encoding that is not supported
    """
    faults = Faults(SourceText(path, raw))
    if not raw.strip(b" \t\r\n"):
        content = "contains only whitespace" if raw else "is empty"
        raise faults.stop("empty-file", f"the file {content}, must contain a <net>", 0)
    wide = _WIDE.get(raw[:2])  # first: UTF-16 has zeros, as binary files have
    if wide is not None:
        return SourceText(path, _decoded(raw, wide, faults), as_stored=False)
    if is_binary(raw):
        raise _no_text(path, raw, faults)
    start = raw.removeprefix(BOM)
    declared = _DECLARED.match(start[:400])  # a text without > would be searched to its end
    if declared is None:
        return faults.source
    name = declared[1].decode("ascii", "replace").lower()
    if name in _AS_IS:
        return faults.source
    at = raw.index(declared[1], len(raw) - len(start))
    if name.startswith(("utf-16", "utf-32")):
        message = f"the declared encoding is {declared[1].decode()}, but the bytes have another encoding"
        raise faults.stop("invalid-encoding", message, at)
    if not _DECODED.fullmatch(name):
        message = f"the encoding is {declared[1].decode('ascii', 'replace')!r}"
        wanted = "must be UTF-8, UTF-16, ISO-8859 or Windows-125x"
        raise faults.stop("unknown-encoding", f"{message}, {wanted}", at)
    return SourceText(path, _decoded(raw, name, faults), as_stored=False)


def _decoded(raw: bytes, encoding: str, faults: Faults) -> bytes:
    try:
        return raw.decode(encoding).encode()
    except UnicodeError as error:
        at = error.start if isinstance(error, UnicodeDecodeError) else 0
        message = f"the bytes are not valid {encoding.upper()}: {error}"
        raise faults.stop("invalid-encoding", message, at) from None
    except LookupError:
        message = f"the encoding is {encoding!r}, which is not supported"
        raise faults.stop("unknown-encoding", message, 0) from None


def is_binary(data: bytes) -> bool:
    """Whether a file that starts with data is not text in any supported encoding."""
    start = data[:1000].removeprefix(BOM).lstrip(b" \t\r\n")
    if start.startswith(b"<") or data[:2] in _WIDE:
        return False
    return bool(re.search(rb"[\x00-\x08\x0e-\x1f]", start)) or not _is_utf8(start)


def _is_utf8(data: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return False
    return True


def _no_text(path: str | None, raw: bytes, faults: Faults) -> Exception:
    what = next((what for magic, what in _ARCHIVES.items() if raw.startswith(magic)), None)
    if what is not None:
        return faults.stop("not-xml", f"the file is {what}, must be XML; unpack it first", 0)
    suffix = ".xml" if path is not None and Path(path).suffix.lower() == ".bin" else ".bin"
    other = None if path is None else Path(path).with_suffix(suffix)
    if other is not None and _starts_xml(other):
        message = f"the file looks like weights, must be XML; {other.name} beside it is XML"
        return faults.stop("swapped-files", message, 0, notes=(f"pass {other.name} as the model",))
    if path is not None and Path(path).suffix.lower() == ".bin":
        return faults.stop(
            "swapped-files", "the file looks like weights, must be XML; the model is in the .xml file", 0
        )
    return faults.stop("not-xml", "the file starts with bytes that are not text, must be XML", 0)


def _starts_xml(path: Path) -> bool:
    try:
        return head_of(path, 64).removeprefix(BOM).lstrip().startswith(b"<")
    except OSError:
        return False
