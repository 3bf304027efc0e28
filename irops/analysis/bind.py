"""Parses the attribute texts of a layer into the values that the functions of its op take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from irops.spec import domains
from irops.spec.definition import Attribute
from irops.spec.op import Op


@dataclass(frozen=True, slots=True)
class AttributeFault:
    """An error in an attribute. note: how OpenVINO reads it; default: the value that a fix writes out."""

    rule: str
    attribute: str
    message: str
    note: str | None = None
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Bound:
    """Attribute values by name; missing attributes have their default, or None."""

    values: dict[str, Any]
    faults: tuple[AttributeFault, ...]
    usable: bool


class Binder:
    """Binds attributes, and caches the result for equal texts."""

    def __init__(self) -> None:
        self._bound: dict[tuple[str, tuple[tuple[str, str], ...]], Bound] = {}

    def bind(self, op: Op, data: dict[str, str]) -> Bound:
        key = (op.id, tuple(data.items()))
        found = self._bound.get(key)
        if found is None:
            found = self._bound[key] = bind(op, data)
        return found


def bind(op: Op, data: dict[str, str]) -> Bound:
    """The values of an op's attributes from the texts of <data>, and all errors in them."""
    known, openvino = op.definition.attributes, op.definition.dialect == "openvino"
    values: dict[str, Any] = {}
    faults: list[AttributeFault] = []
    usable = True
    for name, attribute in known.items():
        if name in data:
            try:
                values[name] = domains.parse(attribute, data[name])
            except domains.DomainError as error:
                faults.append(
                    AttributeFault(
                        error.kind, name, str(error), _reading(name, error.reading) if openvino else None
                    )
                )
                usable = False
        else:
            fault = _missing(attribute, op)
            if fault is not None:
                faults.append(fault)
                usable = usable and not attribute.required
            values[name] = domains.default_of(attribute)
    order = list(data)
    faults.extend(_unknown(name, op) for name in data if name not in known)
    faults.sort(key=lambda f: order.index(f.attribute) if f.attribute in data else -1)
    return Bound(values, tuple(faults), usable)


def _reading(name: str, reading: str | None) -> str | None:
    return None if reading is None else f"OpenVINO silently reads {name}={reading}"


def _missing(attribute: Attribute, op: Op) -> AttributeFault | None:
    name, reader = attribute.name, attribute.reader_default
    if attribute.required:
        note = None if reader is None else f"OpenVINO silently reads {name}={reader}"
        return AttributeFault(
            "missing-attribute",
            name,
            f"{op.id} has no attribute {name}, must have one",
            note,
            _written(attribute),
        )
    if reader is not None and reader != attribute.default:
        default = attribute.default if attribute.default is not None else "none"
        return AttributeFault(
            "conflicting-defaults",
            name,
            f"{name} is missing: its default is {default} in the specification, but {reader or 'empty'} in"
            " OpenVINO's reader",
            default=_written(attribute),
        )
    return None


def _written(attribute: Attribute) -> str | None:
    """The reader's default as text for the file; None if it has none or it is not a valid value."""
    reader = attribute.reader_default
    if reader is None:
        return None
    try:
        domains.parse(attribute, reader)
    except domains.DomainError:
        return None
    return reader


def _unknown(name: str, op: Op) -> AttributeFault:
    from difflib import get_close_matches

    known = {n.lower(): n for n in op.definition.attributes}
    near = get_close_matches(name.lower(), known, 1)
    aside = f" OpenVINO silently ignores {name}" if op.definition.dialect == "openvino" else ""
    note = f"did you mean {known[near[0]]}?{aside}" if near else None
    return AttributeFault("unknown-attribute", name, f"{op.id} has no attribute {name!r}", note)
