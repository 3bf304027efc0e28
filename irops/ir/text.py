"""From the bytes of a file to UTF-8, and what a file is that holds no text."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from irops.ir.faults import Faults
from irops.ir.locate import BOM, Source

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


def source_of(path: str | None, raw: bytes) -> Source:
    """The text that bytes hold, as UTF-8.

    Raises:  ReadError where they hold none, or one in an encoding that is not read
    """
    faults = Faults(Source(path, raw))
    if not raw.strip(b" \t\r\n"):
        raise faults.stop(
            "empty-file",
            "the file is empty; an IR file holds a <net>"
            if not raw
            else "the file holds nothing but blanks; an IR file holds a <net>",
            0,
        )
    wide = _WIDE.get(raw[:2])
    if wide is not None:
        return Source(path, _decoded(raw, wide, faults), as_stored=False)
    if is_binary(raw):
        raise _no_text(path, raw, faults)
    start = raw.removeprefix(BOM)
    declared = _DECLARED.match(start[:400])
    if declared is None:
        return faults.source
    name = declared[1].decode("ascii", "replace").lower()
    if name in _AS_IS:
        return faults.source
    at = raw.index(declared[1], len(raw) - len(start))
    if name.startswith(("utf-16", "utf-32")):
        raise faults.stop(
            "invalid-encoding",
            f"the declaration says {declared[1].decode()}, but the bytes are not in it",
            at,
        )
    if not _DECODED.fullmatch(name):
        raise faults.stop(
            "unknown-encoding",
            f"encoding {declared[1].decode('ascii', 'replace')!r} is not read; "
            "UTF-8, UTF-16, ISO-8859 and Windows-125x are",
            at,
        )
    return Source(path, _decoded(raw, name, faults), as_stored=False)


def _decoded(raw: bytes, encoding: str, faults: Faults) -> bytes:
    try:
        return raw.decode(encoding).encode()
    except UnicodeError as error:
        at = error.start if isinstance(error, UnicodeDecodeError) else 0
        raise faults.stop("invalid-encoding", f"the bytes are not {encoding.upper()}: {error}", at) from None
    except LookupError:
        raise faults.stop("unknown-encoding", f"encoding {encoding!r} is not read", 0) from None


def is_binary(data: bytes) -> bool:
    """Whether a file that starts so is no text in any encoding that is read."""
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
        return faults.stop("not-xml", f"this is no XML but {what}; unpack it first", 0)
    other = (
        None
        if path is None
        else Path(path).with_suffix(".xml" if Path(path).suffix.lower() == ".bin" else ".bin")
    )
    if other is not None and _starts_xml(other):
        return faults.stop(
            "swapped-files",
            f"this is no XML but looks like weights, and {other.name} beside it is XML; the two are swapped",
            0,
            notes=(f"give {other.name} as the model",),
        )
    if path is not None and Path(path).suffix.lower() == ".bin":
        return faults.stop(
            "swapped-files", "this is no XML but looks like weights; the model is in the .xml file", 0
        )
    return faults.stop("not-xml", "this is no XML: it starts with bytes that no text has", 0)


def _starts_xml(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(64).removeprefix(BOM).lstrip().startswith(b"<")
    except OSError:
        return False
