"""The attribute texts of a layer, parsed into the values that the functions of its op take."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from irops.diagnostics.suggestions import similar
from irops.spec.definition import Attribute
from irops.spec.op import Op
from irops.values.element import SPELLINGS, element_type, element_type_like
from irops.values.shape import Shape

_INT = re.compile(r"[+-]?[0-9]+")
_FLOAT = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?inf|nan", re.IGNORECASE)
_BLANKS = " \t\r\n"
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


def text_of(attribute: Attribute, value: Any) -> str:
    """The text of a value that a person gives: types in any spelling, arrays and numbers of NumPy too."""
    if attribute.type == "element_type":
        with suppress(ValueError):  # which the domain of the attribute reports
            return str(element_type_like(value))
    if isinstance(value, np.ndarray):
        value = value.tolist()
    elif isinstance(value, np.generic):
        value = value.item()
    return format_value(value)


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
    stripped = _stripped(text, attribute, _INT, "an integer")
    if int(stripped) not in INT64:
        raise DomainError(f"{attribute.name} is {text}, must be within 64 bits")
    return int(stripped)


def _float(text: str, attribute: Attribute) -> float:
    stripped = _stripped(text, attribute, _FLOAT, "a number")
    value = float(stripped)
    if value in (float("inf"), -float("inf")) and "inf" not in stripped.lower():
        raise DomainError(f"{attribute.name} is {text}, must be within the range of f64")
    return value


def _stripped(text: str, attribute: Attribute, pattern: re.Pattern[str], wanted: str) -> str:
    """A text without blanks around it. Raises: DomainError if it is not what a pattern matches"""
    stripped = text.strip(_BLANKS)
    if not pattern.fullmatch(stripped):
        begin = pattern.match(stripped)
        message = f"{attribute.name} is {text!r}, must be {wanted}"
        raise DomainError(message, reading=begin[0] if begin else None)
    return stripped


def _bool(text: str, attribute: Attribute) -> bool:
    lower = text.lower()
    if lower.strip(_BLANKS) not in ("true", "false", "1", "0"):
        is_default = text in (attribute.default, attribute.reader_default)
        reading = None if is_default else str(default_of(attribute)).lower()
        raise DomainError(f"{attribute.name} is {text!r}, must be true or false", reading=reading)
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
        allowed = ", ".join(attribute.values)
        raise DomainError(f"{attribute.name} is {text}, must be one of {allowed}", "attribute-out-of-domain")
    return value


def _meant_type(text: str) -> str:
    """The suggestion for a name of another library, such as float32 or FP16, or for a mistyped one."""
    meant = similar(text.strip(_BLANKS), SPELLINGS)
    return f"; did you mean {SPELLINGS[meant]}?" if meant is not None else ""


def _list(item: Callable[[str, Attribute], Any]) -> Callable[[str, Attribute], tuple[Any, ...]]:
    def items(text: str, attribute: Attribute) -> tuple[Any, ...]:
        values = []
        for part in text.split(",") if text.strip(_BLANKS) else ():
            try:
                values.append(item(part, attribute))
            except DomainError as error:
                wrong = part.strip()
                what = f"the item {wrong!r} is malformed" if wrong else "an item is empty"
                message = f"{attribute.name} is {text!r}, must be a list separated by commas; {what}"
                raise DomainError(message, error.kind, error.reading) from None
        return tuple(values)

    return items


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


MAX_SUGGESTIONS = 10
"""For how many unknown attributes of one layer a similar name is looked up, which is slow."""


@dataclass(frozen=True, slots=True)
class AttributeFault:
    """An error in an attribute. note: how OpenVINO reads it; default: the value that a fix writes out;
    meant: a similar attribute that the op has.
    """

    rule: str
    attribute: str
    message: str
    note: str | None = None
    default: str | None = None
    meant: str | None = None

    @property
    def sentence(self) -> str:
        """The message with the suggestion, for callers whose code names the attribute."""
        return self.message if self.meant is None else f"{self.message}; did you mean {self.meant!r}?"


@dataclass(frozen=True, slots=True)
class AttributeValues:
    """Attribute values by name; missing attributes have their default, or None."""

    values: dict[str, Any]
    faults: tuple[AttributeFault, ...]
    usable: bool


def bind(op: Op, data: Mapping[str, str]) -> AttributeValues:
    """The values of an op's attributes from the texts of <data>, and all errors in them."""
    known, openvino = op.definition.attributes, op.definition.is_read_by_openvino
    values: dict[str, Any] = {}
    faults: list[AttributeFault] = []
    usable = True
    for name, attribute in known.items():
        if name in data:
            try:
                values[name] = parse(attribute, data[name])
            except DomainError as error:
                reading = _reading(name, error.reading) if openvino else None
                faults.append(AttributeFault(error.kind, name, str(error), reading))
                usable = False
        else:
            fault = None if attribute.required else _missing(attribute, op, data)
            if fault is not None:
                faults.append(fault)
            values[name] = default_of(attribute)
    lacking = [attribute for name, attribute in known.items() if attribute.required and name not in data]
    if lacking:
        faults.append(_lacking(op, lacking))
        usable = False
    place = {name: k for k, name in enumerate(data)}
    unknown = [name for name in data if name not in known]
    absent = [name for name in known if name not in data]
    faults.extend(_unknown(name, op, absent if k < MAX_SUGGESTIONS else ()) for k, name in enumerate(unknown))
    faults.sort(key=lambda fault: place.get(fault.attribute, -1))
    return AttributeValues(values, tuple(faults), usable)


def bound_values(op: Op, values: Mapping[str, Any]) -> dict[str, Any]:
    """All attribute values by name, from those given; those that are missing have their default, or None."""
    return {
        name: values[name] if name in values else default_of(attribute)
        for name, attribute in op.definition.attributes.items()
    }


def _reading(name: str, reading: str | None) -> str | None:
    return None if reading is None else f"OpenVINO silently reads {name}={reading}"


def _lacking(op: Op, attributes: Sequence[Attribute]) -> AttributeFault:
    """One fault that names all attributes that the op requires and the layer does not have."""
    names = [attribute.name for attribute in attributes]
    notes = filter(None, (_reading(attribute.name, attribute.reader_default) for attribute in attributes))
    message = f"{op.id} needs {', '.join(names)}"
    return AttributeFault("missing-attribute", names[0], message, "; ".join(notes) or None)


def _missing(attribute: Attribute, op: Op, data: Mapping[str, str]) -> AttributeFault | None:
    name, reader = attribute.name, attribute.reader_default
    if _reader_requires(attribute, op, data):
        return AttributeFault(
            "missing-attribute",
            name,
            f"{op.id} has no attribute {name}: its default is {attribute.default} in the specification, but"
            " OpenVINO has none and cannot read the layer",
        )
    if reader is not None and reader != attribute.default:
        default = attribute.default if attribute.default is not None else "none"
        specified = f"its default is {default} in the specification"
        message = f"{name} is missing: {specified}, but {reader or 'empty'} in OpenVINO's reader"
        written = None if attribute.default is None else _written(attribute)
        return AttributeFault("conflicting-defaults", name, message, default=written)
    return None


def _reader_requires(attribute: Attribute, op: Op, data: Mapping[str, str]) -> bool:
    """Whether OpenVINO refuses a layer without the attribute, given the other attributes of the layer."""
    if attribute.reader_requires is None or attribute.reader_requires == "yes":
        return attribute.reader_requires == "yes"
    name, _, value = attribute.reader_requires.partition("=")
    other = op.definition.attributes[name]
    return data.get(name, other.default or "").lower() == value


def _written(attribute: Attribute) -> str | None:
    """The reader's default as text for the file; None if it has none or it is not a valid value.

    Only for an attribute that has a default in the specification, too: the value of another one was lost, and
    what OpenVINO reads in its place is not it. To write that out would remove the only sign of the loss.
    """
    reader = attribute.reader_default
    if reader is None:
        return None
    try:
        parse(attribute, reader)
    except DomainError:
        return None
    return reader


def _unknown(name: str, op: Op, absent: Sequence[str]) -> AttributeFault:
    """The fault of an attribute that an op lacks. absent: those that may have been meant by it"""
    meant = similar(name, absent)
    aside = f" OpenVINO silently ignores {name}" if op.definition.is_read_by_openvino else ""
    note = f"did you mean {meant}?{aside}" if meant is not None else None
    return AttributeFault("unknown-attribute", name, f"{op.id} has no attribute {name!r}", note, meant=meant)
