"""Explains why text is not well-formed XML, with the location of the cause."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.parsers import expat

from irops.diagnostics.diagnostic import ReadError
from irops.ir.faults import Faults
from irops.ir.locate import BOM
from irops.ir.model import Element

_CODES = expat.errors.codes
_UNKNOWN_ENTITY = re.compile(rb"&(?!#|(?:lt|gt|amp|quot|apos);)[^;\s]{1,60};?")
_OPENERS = {b"<!--": "a comment", b"<![CDATA[": "a CDATA section", b"<?": "a processing instruction"}
_OPEN_ENDED = {
    _CODES[text]
    for text in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
    )
}


def malformed(
    error: expat.ExpatError, parser: expat.XMLParserType, faults: Faults, still_open: Sequence[Element]
) -> ReadError:
    """The error to raise for a parser error; still_open are the elements that are not closed."""
    at = max(parser.ErrorByteIndex, 0)
    data = faults.source.data
    if error.code in _OPEN_ENDED:
        return _cut_off(error, at, faults, [e for e in still_open if e.tag])
    if error.code == _CODES[expat.errors.XML_ERROR_UNDEFINED_ENTITY]:
        entity = _UNKNOWN_ENTITY.search(data, at)  # the parser reports the start of the tag
        at = entity.start() if entity else at
    line, _ = faults.source.line_column(at)
    notes = (f"line {line} is: {_excerpt(faults.source.line_text(line))}",)
    try:
        data[max(at - 8, 0) : at + 8].decode("utf-8", "strict")
    except UnicodeDecodeError:
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as wrong:
            if abs(wrong.start - at) < 8:
                shown = " ".join(f"{byte:02X}" for byte in data[wrong.start : wrong.start + 2])
                return faults.stop(
                    "invalid-encoding", f"bytes {shown} are not valid UTF-8", wrong.start, notes=notes
                )
    return faults.stop("malformed-xml", _why(error, data, at, still_open), at, notes=notes)


def _cut_off(error: expat.ExpatError, at: int, faults: Faults, still_open: Sequence[Element]) -> ReadError:
    data = faults.source.data
    if error.code == _CODES[expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION]:
        at = data.rfind(b"<![CDATA[", 0, at)  # the parser gives the end of the file
    opened = next((what for word, what in _OPENERS.items() if data.startswith(word, at)), None)
    if opened is not None and error.code != _CODES[expat.errors.XML_ERROR_NO_ELEMENTS]:
        return faults.stop("malformed-xml", f"{opened} starts here and is never closed", at)
    if not still_open:
        return faults.stop("malformed-xml", "the file has no element, must have a <net>", at)
    names = " > ".join(_name(e) for e in still_open)
    line, _ = faults.source.line_column(still_open[-1].at)
    return faults.stop(
        "truncated-file",
        f"the file ends inside <{still_open[-1].tag}>, which starts on line {line}",
        at,
        notes=(f"open elements: {names}", "the file seems to be cut off: fetch or export it again"),
    )


def _name(element: Element) -> str:
    return f'{element.tag} "{element.attributes["name"]}"' if "name" in element.attributes else element.tag


def _why(error: expat.ExpatError, data: bytes, at: int, still_open: Sequence[Element]) -> str:
    text = expat.errors.messages[error.code]
    if text == expat.errors.XML_ERROR_TAG_MISMATCH:
        match = re.match(rb"(?:</)?([^\s<>]+)", data[at : at + 200])
        line = data.count(b"\n", 0, still_open[-1].at) + 1
        end_tag = f"</{match[1].decode('utf-8', 'replace')}>" if match else "an end tag"
        return f"{end_tag} does not match the open element, <{still_open[-1].tag}> on line {line}"
    if text == expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT or (
        not [e for e in still_open if e.tag] and b"</" in data[:at]
    ):
        return "there is content after the end of the root element"
    if text == expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE:
        match = re.match(rb"[^\s=]+", data[at : at + 200])
        return f"attribute {match[0].decode('utf-8', 'replace') if match else ''!r} is repeated"
    if text == expat.errors.XML_ERROR_UNDEFINED_ENTITY:
        match = _UNKNOWN_ENTITY.match(data, at)
        name = match[0].decode("utf-8", "replace") if match else "this reference"
        return f"{name} is not an XML entity, must be one of &lt; &gt; &amp; &quot; &apos;"
    if text == expat.errors.XML_ERROR_BAD_CHAR_REF:
        match = re.match(rb"&#[0-9a-fA-Fx]*;?", data[at : at + 40])
        return f"{match[0].decode() if match else 'this'} is a character that XML does not allow"
    if text == expat.errors.XML_ERROR_MISPLACED_XML_PI:
        return "an XML declaration (<?xml …?>) is only allowed at the very start of the file"
    if text == expat.errors.XML_ERROR_SYNTAX:
        return "there is text before the root element"
    return _wrong_character(data, at)


def _wrong_character(data: bytes, at: int) -> str:
    if data.startswith(BOM, at):
        return "a byte order mark is only allowed at the very start of the file"
    start = data.rfind(b"<", 0, at)
    within_tag = start > data.rfind(b">", 0, at)
    here = data[at : at + 1]
    if data.startswith(b"<!--", start) and within_tag:
        return "a comment must not contain '--'"
    if here == b"<" and within_tag:
        return "a '<' in a tag must be written &lt;, or the tag before it is not closed"
    last = data.rfind(b"&", 0, at)
    if last >= 0 and at - last < 30 and b";" not in data[last:at]:
        return "an '&' must be written &amp;"
    if within_tag and data[at - 1 : at] == b"=":
        return "the value of an attribute must be in quotes"
    shown = data[at : at + 4].decode("utf-8", "replace")[:1]
    return f"not well-formed XML: {shown!r} is not allowed here" if shown else "not well-formed XML"


def _excerpt(line: str) -> str:
    stripped = line.strip()
    return stripped if len(stripped) <= 160 else stripped[:160] + "…"
