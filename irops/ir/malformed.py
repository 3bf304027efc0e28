"""Says why a text is not well-formed XML, where, and what a person would look for."""

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
    """The error to raise for a parser's error; still_open are the elements that had not ended."""
    at = max(parser.ErrorByteIndex, 0)
    data = faults.source.data
    if error.code in _OPEN_ENDED:
        return _cut_off(error, at, faults, [e for e in still_open if e.tag])
    if (
        error.code == _CODES[expat.errors.XML_ERROR_UNDEFINED_ENTITY]
    ):  # told at the start of the tag that it is in
        found = _UNKNOWN_ENTITY.search(data, at)
        at = found.start() if found else at
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
                    "invalid-encoding", f"bytes {shown} are not UTF-8", wrong.start, notes=notes
                )
    return faults.stop("malformed-xml", _why(error, data, at, still_open), at, notes=notes)


def _cut_off(error: expat.ExpatError, at: int, faults: Faults, still_open: Sequence[Element]) -> ReadError:
    data = faults.source.data
    if error.code == _CODES[expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION]:
        at = data.rfind(b"<![CDATA[", 0, at)  # the parser gives the end of the file
    opened = next((what for word, what in _OPENERS.items() if data.startswith(word, at)), None)
    if opened is not None and error.code != _CODES[expat.errors.XML_ERROR_NO_ELEMENTS]:
        return faults.stop("malformed-xml", f"{opened} starts here and is never ended", at)
    if not still_open:
        return faults.stop("malformed-xml", "there is no element; an IR file holds a <net>", at)
    names = " > ".join(_name(e) for e in still_open)
    line, _ = faults.source.line_column(still_open[-1].at)
    return faults.stop(
        "truncated-file",
        f"the file ends inside <{still_open[-1].tag}>, which starts on line {line}",
        at,
        notes=(f"still open: {names}", "the file looks cut off: fetch or export it again"),
    )


def _name(element: Element) -> str:
    return f'{element.tag} "{element.attributes["name"]}"' if "name" in element.attributes else element.tag


def _why(error: expat.ExpatError, data: bytes, at: int, still_open: Sequence[Element]) -> str:
    text = expat.errors.messages[error.code]
    if text == expat.errors.XML_ERROR_TAG_MISMATCH:
        found = re.match(rb"(?:</)?([^\s<>]+)", data[at : at + 200])
        line = data.count(b"\n", 0, still_open[-1].at) + 1
        ends = f"</{found[1].decode('utf-8', 'replace')}>" if found else "an end tag"
        return f"{ends} does not end the element that is open, <{still_open[-1].tag}> of line {line}"
    if text == expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT or (
        not [e for e in still_open if e.tag] and b"</" in data[:at]
    ):
        return "there is content after the end of the root element"
    if text == expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE:
        found = re.match(rb"[^\s=]+", data[at : at + 200])
        return f"attribute {found[0].decode('utf-8', 'replace') if found else ''!r} is given twice"
    if text == expat.errors.XML_ERROR_UNDEFINED_ENTITY:
        found = _UNKNOWN_ENTITY.match(data, at)
        name = found[0].decode("utf-8", "replace") if found else "what is referred to here"
        return f"{name} is no entity of XML: only &lt; &gt; &amp; &quot; &apos; are"
    if text == expat.errors.XML_ERROR_BAD_CHAR_REF:
        found = re.match(rb"&#[0-9a-fA-Fx]*;?", data[at : at + 40])
        return f"{found[0].decode() if found else 'this'} is a character that XML does not have"
    if data.startswith(b"<?xml", at) or text == expat.errors.XML_ERROR_MISPLACED_XML_PI:
        return "an XML declaration (<?xml …?>) is only allowed at the very start of the file"
    if text == expat.errors.XML_ERROR_SYNTAX:
        return "there is text before the root element"
    return _wrong_character(data, at)


def _wrong_character(data: bytes, at: int) -> str:
    if data.startswith(BOM, at):
        return "there is a byte order mark here; one is allowed, at the very start of the file"
    start = data.rfind(b"<", 0, at)
    within_tag = start >= 0 and b">" not in data[start:at]
    here = data[at : at + 1]
    if data.startswith(b"<!--", start) and within_tag:
        return "a comment may not contain '--'"
    if here == b"<" and within_tag:
        return "a '<' within a tag must be written &lt;, or the tag before it is not ended"
    last = data.rfind(b"&", 0, at)
    if last >= 0 and at - last < 30 and b";" not in data[last:at]:
        return "an '&' must be written &amp;"
    if within_tag and data[at - 1 : at] == b"=":
        return "the value of an attribute must stand in quotes"
    shown = data[at : at + 4].decode("utf-8", "replace")[:1]
    return f"not well-formed XML: {shown!r} is not allowed here" if shown else "not well-formed XML"


def _excerpt(line: str) -> str:
    stripped = line.strip()
    return stripped if len(stripped) <= 160 else stripped[:160] + "…"
