"""Parses the attribute texts of a layer into the values that the functions of its op take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from irops.diagnostics.suggestions import similar
from irops.spec import domains
from irops.spec.definition import Attribute
from irops.spec.op import Op

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
class Bound:
    """Attribute values by name; missing attributes have their default, or None."""

    values: dict[str, Any]
    faults: tuple[AttributeFault, ...]
    usable: bool


def bind(op: Op, data: Mapping[str, str]) -> Bound:
    """The values of an op's attributes from the texts of <data>, and all errors in them."""
    known, openvino = op.definition.attributes, op.definition.is_read_by_openvino
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
            fault = _missing(attribute, op, data)
            if fault is not None:
                faults.append(fault)
                usable = usable and not attribute.required
            values[name] = domains.default_of(attribute)
    place = {name: k for k, name in enumerate(data)}
    unknown = [name for name in data if name not in known]
    faults.extend(_unknown(name, op, suggest=k < MAX_SUGGESTIONS) for k, name in enumerate(unknown))
    faults.sort(key=lambda fault: place.get(fault.attribute, -1))
    return Bound(values, tuple(faults), usable)


def bound_values(op: Op, values: Mapping[str, Any]) -> dict[str, Any]:
    """All attribute values by name, from those given; those that are missing have their default, or None."""
    return {
        name: values[name] if name in values else domains.default_of(attribute)
        for name, attribute in op.definition.attributes.items()
    }


def _reading(name: str, reading: str | None) -> str | None:
    return None if reading is None else f"OpenVINO silently reads {name}={reading}"


def _missing(attribute: Attribute, op: Op, data: Mapping[str, str]) -> AttributeFault | None:
    name, reader = attribute.name, attribute.reader_default
    if attribute.required:
        note = None if reader is None else f"OpenVINO silently reads {name}={reader}"
        return AttributeFault(
            "missing-attribute",
            name,
            f"{op.id} has no attribute {name}, must have one",
            note,
        )
    if _reader_requires(attribute, op, data):
        return AttributeFault(
            "missing-attribute",
            name,
            f"{op.id} has no attribute {name}: its default is {attribute.default} in the specification, but"
            " OpenVINO has none and cannot read the layer",
        )
    if reader is not None and reader != attribute.default:
        default = attribute.default if attribute.default is not None else "none"
        return AttributeFault(
            "conflicting-defaults",
            name,
            f"{name} is missing: its default is {default} in the specification, but {reader or 'empty'} in"
            " OpenVINO's reader",
            default=None if attribute.default is None else _written(attribute),
        )
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
        domains.parse(attribute, reader)
    except domains.DomainError:
        return None
    return reader


def _unknown(name: str, op: Op, *, suggest: bool) -> AttributeFault:
    meant = similar(name, op.definition.attributes) if suggest else None
    aside = f" OpenVINO silently ignores {name}" if op.definition.is_read_by_openvino else ""
    note = f"did you mean {meant}?{aside}" if meant is not None else None
    return AttributeFault("unknown-attribute", name, f"{op.id} has no attribute {name!r}", note, meant=meant)
