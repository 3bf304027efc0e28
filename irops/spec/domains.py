"""Parses the texts of attributes. A text must be a value as a whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from irops.diagnostics.suggestions import did_you_mean_word
from irops.spec.definition import Attribute
from irops.values.element import element_type, element_types
from irops.values.shape import Shape

_INT = re.compile(r"[+-]?[0-9]+")
_FLOAT = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?inf|nan", re.IGNORECASE)
_BLANKS = " \t\r\n"
_LETTERS = {"int": "i", "uint": "u", "float": "f", "fp": "f"}
INT64 = range(-(2**63), 2**63)


class DomainError(ValueError):
    """A text that is not a value of the attribute.

    kind: malformed-attribute or attribute-out-of-domain; reading: the value that OpenVINO reads.
    """

    def __init__(self, message: str, kind: str = "malformed-attribute", reading: str | None = None) -> None:
        super().__init__(message)
        self.kind, self.reading = kind, reading


def parse(attribute: Attribute, text: str) -> Any:
    """The value of an attribute's text: int, float, bool, str, ElementType, Shape, or a tuple of those.

    Raises:  DomainError if the text is malformed, or outside the attribute's domain
    """
    value = _PARSERS[attribute.type](text, attribute)
    for item in value if isinstance(value, tuple) else (value,):
        if isinstance(item, (int, float)) and not attribute.low <= item <= attribute.high:
            raise DomainError(
                f"{attribute.name} is {text.strip()}, must be {_domain(attribute)}", "attribute-out-of-domain"
            )
    return value


def format_value(value: Any) -> str:
    """The text of an attribute value as a file has it: parse(attribute, format_value(value)) == value."""
    match value:
        case bool():
            return str(value).lower()
        case float():
            return repr(value)
        case Shape():
            return ",".join(map(str, value)) if value.dims is not None else "..."
        case list() | tuple():
            return ",".join(map(format_value, value))
    return str(value)


def default_of(attribute: Attribute) -> Any:
    """The value of a missing attribute: the reader's default, or else that of the specification, or None."""
    return _default(
        attribute, attribute.reader_default if attribute.reader_default is not None else attribute.default
    )


@cache
def _default(attribute: Attribute, text: str | None) -> Any:
    return None if text is None else _PARSERS[attribute.type](text, attribute)


def _domain(attribute: Attribute) -> str:
    low, high = attribute.low, attribute.high
    if high == float("inf"):
        return f"{low:g} or greater"
    return f"{high:g} or less" if low == -float("inf") else f"{low:g} to {high:g}"


def _int(text: str, attribute: Attribute) -> int:
    stripped = text.strip(_BLANKS)
    if not _INT.fullmatch(stripped):
        raise DomainError(
            f"{attribute.name} is {text!r}, must be an integer", reading=_prefix(_INT, stripped)
        )
    if int(stripped) not in INT64:
        raise DomainError(f"{attribute.name} is {text}, must be within 64 bits")
    return int(stripped)


def _float(text: str, attribute: Attribute) -> float:
    stripped = text.strip(_BLANKS)
    if not _FLOAT.fullmatch(stripped):
        raise DomainError(
            f"{attribute.name} is {text!r}, must be a number", reading=_prefix(_FLOAT, stripped)
        )
    value = float(stripped)
    if value in (float("inf"), -float("inf")) and "inf" not in stripped.lower():
        raise DomainError(f"{attribute.name} is {text}, must be within the range of f64")
    return value


def _prefix(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.match(text)
    return match[0] if match else None


def _bool(text: str, attribute: Attribute) -> bool:
    lower = text.lower()
    if lower.strip(_BLANKS) not in ("true", "false", "1", "0"):
        raise DomainError(
            f"{attribute.name} is {text!r}, must be true or false", reading=str(default_of(attribute)).lower()
        )
    return lower.strip(_BLANKS) in ("true", "1")


def _string(text: str, attribute: Attribute) -> str:
    if attribute.values and text not in attribute.values:
        raise _not_one_of(text, attribute)
    return text


def _enum(text: str, attribute: Attribute) -> str:
    lower = text.lower()
    for value in attribute.values:
        if value.lower() == lower:
            return value
    for alias, value in attribute.aliases:
        if alias.lower() == lower:
            return value
    raise _not_one_of(text, attribute)


def _not_one_of(text: str, attribute: Attribute) -> DomainError:
    message = f"{attribute.name} is {text!r}, must be one of {', '.join(attribute.values)}"
    return DomainError(message, "attribute-out-of-domain")


def _element_type(text: str, attribute: Attribute) -> Any:
    try:
        value = element_type(text, foreign=attribute.dialect != "openvino")
    except ValueError:
        raise DomainError(
            f"{attribute.name} is {text!r}, must be an element type such as f32 or i64{_meant_type(text)}"
        ) from None
    if attribute.values and value.name not in attribute.values:
        raise DomainError(
            f"{attribute.name} is {text}, must be one of {', '.join(attribute.values)}",
            "attribute-out-of-domain",
        )
    return value


def _meant_type(text: str) -> str:
    """The suggestion for a name of another library, such as float32 or FP16, or for a mistyped one."""
    spelled = re.fullmatch(r"(u?int|float|fp)([0-9]+)", text.strip(_BLANKS).lower(), re.ASCII)
    word = f"{_LETTERS[spelled[1]]}{spelled[2]}" if spelled else text
    return did_you_mean_word(word, (kind.name for kind in element_types()))


def _list(item: Callable[[str, Attribute], Any]) -> Callable[[str, Attribute], tuple[Any, ...]]:
    def items(text: str, attribute: Attribute) -> tuple[Any, ...]:
        if not text.strip(_BLANKS):
            return ()
        try:
            return tuple(item(part, attribute) for part in text.split(","))
        except DomainError as error:
            wrong = next(part for part in text.split(",") if _fails(item, part, attribute)).strip()
            what = f"the item {wrong!r} is malformed" if wrong else "an item is empty"
            raise DomainError(
                f"{attribute.name} is {text!r}, must be a list separated by commas; {what}",
                error.kind,
                error.reading,
            ) from None

    return items


def _fails(item: Callable[[str, Attribute], Any], part: str, attribute: Attribute) -> bool:
    try:
        item(part, attribute)
    except DomainError:
        return True
    return False


def _strings(text: str, attribute: Attribute) -> tuple[str, ...]:  # noqa: ARG001
    return tuple(part.strip(_BLANKS) for part in text.split(",") if part.strip(_BLANKS))


def _shape(text: str, attribute: Attribute) -> Shape:
    try:
        return Shape.parse(text, symbols=attribute.dialect != "openvino")
    except ValueError as error:
        raise DomainError(f"{attribute.name} is {text!r}: {error}") from None


def _dims(text: str, attribute: Attribute) -> tuple[int, ...]:
    sizes: tuple[int, ...] = _list(_int)(text, attribute)
    if any(size < 0 for size in sizes):
        message = f"{attribute.name} is {text}, must be sizes of 0 or greater"
        raise DomainError(message, "attribute-out-of-domain")
    return sizes


_PARSERS: dict[str, Callable[[str, Attribute], Any]] = {
    "bool": _bool,
    "int": _int,
    "float": _float,
    "string": _string,
    "enum": _enum,
    "element_type": _element_type,
    "ints": _list(_int),
    "floats": _list(_float),
    "strings": _strings,
    "shape": _shape,
    "dims": _dims,
    "axis": _int,
    "axes": _list(_int),
}
