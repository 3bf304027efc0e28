"""Values of attributes in canonical text.

All text is decoded as Latin-1, so that a character is a byte and its index is a byte offset. A value with
bytes above 127 is decoded as UTF-8 when it is used.
"""

from __future__ import annotations

import re

VALUE = r'[^"<\x00-\x1f]*+'
"""The text of a value between its quotes."""
NAME = r"[A-Za-z_][A-Za-z0-9_.-]*+"
"""The name of an attribute or element. XML allows more, which the parser reads."""
NUMBER = r"(?:0|[1-9][0-9]{0,17})"
"""A canonical number. A longer one may exceed 64 bits, which the parser reports."""
ATTRIBUTES = f'(?: {NAME}="{VALUE}")*+'
plain = re.compile(r'[^"<&\x00-\x1f\x7f-\xff]*+').fullmatch
"""Matches a value that is its own text, without references and bytes above 127."""
_ATTRIBUTE = re.compile(f' ({NAME})="({VALUE})"')
_VALUE = re.compile(VALUE)
_is_number = re.compile(NUMBER).fullmatch
_REFERENCE = re.compile("&(?:([a-z]{2,4})|#([0-9]{1,3}));|&")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_CONTROLS = (9, 10, 13)
_NO_CHARACTERS = ("\ufffe", "\uffff")


class NotCanonical(Exception):
    """The text is not canonical, or has a fault or a size that the XML parser reports."""


class Numbers(dict[str, int]):
    """Numbers by their texts, so that each text is converted once."""

    def __missing__(self, text: str) -> int:
        if _is_number(text) is None:
            raise NotCanonical
        number = self[text] = int(text)
        return number


def value(text: str) -> str:
    """The value of an attribute from the text between its quotes. Raises: NotCanonical"""
    if plain(text):
        return text
    if not _VALUE.fullmatch(text):
        raise NotCanonical
    if "&" in text:
        text = _REFERENCE.sub(_character, text)
    return text if text.isascii() else _from_utf8(text)


def attributes(text: str, limit: float) -> dict[str, str]:
    """The attributes in a text that matches ATTRIBUTES.

    Raises:  NotCanonical if they are more than limit, or a name is repeated
    """
    pairs = _ATTRIBUTE.findall(text)
    values = {name: value(content) for name, content in pairs}
    if not len(pairs) == len(values) <= limit:
        raise NotCanonical
    return values


def _character(reference: re.Match[str]) -> str:
    """The character that a reference stands for, if it is one that OpenVINO writes as a reference."""
    name, number = reference.groups()
    if name in _ENTITIES:
        return _ENTITIES[name]
    code = int(number or 0)
    if code not in _CONTROLS and not 32 <= code < 127:
        raise NotCanonical
    return chr(code)


def _from_utf8(text: str) -> str:
    try:
        decoded = text.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        raise NotCanonical from None
    if any(character in decoded for character in _NO_CHARACTERS):
        raise NotCanonical
    return decoded
