"""Finds document type declarations and removes them before anything that they declare is used."""

from __future__ import annotations

from contextlib import suppress
from xml.parsers import expat

from irops.ir.faults import Faults

_OPENER = b"<!DOCTYPE"


class _Ended(Exception):
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
        with suppress(_Ended, expat.ExpatError):  # the main parse reports what is not well-formed
            parser.Parse(data, True)
        if self.start >= 0:
            self.start = data.rfind(_OPENER, 0, self.start + 1)  # the parser reports the end of the name

    def _starts(self, *_: object) -> None:
        self.start = self.parser.CurrentByteIndex

    def _ends(self) -> None:
        self.end = self.parser.CurrentByteIndex + 1
        raise _Ended

    def _element(self, *_: object) -> None:
        raise _Ended

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
