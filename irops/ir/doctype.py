"""Finds and refuses document type declarations, before anything that they declare is used."""

from __future__ import annotations

from contextlib import suppress
from xml.parsers import expat

from irops.ir.faults import Faults

_OPENER = b"<!DOCTYPE"


class _Ended(Exception):
    """Ends the look at a declaration."""


def without_doctype(data: bytes, faults: Faults) -> bytes:
    """The text, a document type declaration in it told as a fault and blanked, so that it changes nothing.

    Told where it does most harm: at what brings in another file or attributes that the file does not have,
        else at its start.
    """
    if _OPENER not in data:
        return data
    seen = _Declarations(data)
    if seen.start < 0:
        return data  # in a comment, say
    worst = seen.worst or (seen.start, "a document type declaration")
    faults.add(
        "document-type",
        f"{worst[1]}; an IR file has none, and none is read",
        worst[0],
        notes=("what it declares is not used, and no file that it names is opened",),
    )
    if seen.end < 0:
        return data
    blank = bytes(byte if byte in b"\r\n" else ord(" ") for byte in data[seen.start : seen.end])
    return data[: seen.start] + blank + data[seen.end :]


class _Declarations:
    """Where a document type declaration starts and ends, and the worst of what it declares."""

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
        with suppress(_Ended, expat.ExpatError):  # what is not well-formed is told by the parse that follows
            parser.Parse(data, True)
        if self.start >= 0:
            self.start = data.rfind(_OPENER, 0, self.start + 1)  # the parser tells where the name has ended

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
