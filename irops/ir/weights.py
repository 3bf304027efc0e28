"""The constants of a model: where they lie in its weights, and what may be wrong with that."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.ir.model import Layer, Model
from irops.ir.numbers import INT64_MAX, integer, prefix_note
from irops.ir.storage import Weights, WeightsChanged
from irops.values.element import DYNAMIC, STRING, Array, ElementType, element_types, foreign_types
from irops.values.packing import LAYOUTS, hold_strings, packed_size, unpack
from irops.values.shape import MOST_AXES

__all__ = ["Weights", "constant", "constant_faults"]


_ELEMENTS = {
    element.name: element for element in (*element_types(), *foreign_types()) if element is not DYNAMIC
}
"""All that irops stores. Whether a dialect has the type is a question to the definition of its constants."""


class Region(NamedTuple):
    """What a Const declares: an element type, a shape, and bytes of the weights."""

    element: ElementType
    shape: tuple[int, ...]
    offset: int
    size: int

    @property
    def end(self) -> int:
        return self.offset + self.size

    @property
    def elements(self) -> int:
        return prod(self.shape)

    def __str__(self) -> str:
        return f"{self.element}{list(self.shape)}".replace(" ", "")


class Fault(NamedTuple):
    """Something wrong with a Const. attribute: of its <data>; "" for <data> itself, None for the layer."""

    rule: str
    message: str
    attribute: str | None = None
    notes: tuple[str, ...] = ()


def constant(model: Model, layer: Layer, *, copied: bool = False) -> Array:
    """The value of a Const layer: a view of the weights, where elements fill bytes and no copy is asked for;
    read-only.

    Raises:  DiagnosticError where it is not all there, or its strings are corrupt
    """
    region = checked_region(model, layer)
    if len(region.shape) > MOST_AXES:
        message = (
            f"{layer}: a tensor of {len(region.shape)} axes cannot be held; arrays have {MOST_AXES} at most"
        )
        raise _error(model, layer, Fault("impossible-array", message, "shape"))
    if region.elements == 0:
        return unpack(bytes(8), region.element, region.shape)
    assert model.weights is not None
    try:
        raw = (model.weights.read if copied else model.weights.view)(region.offset, region.size)
        return unpack(raw, region.element, region.shape)
    except ValueError as error:
        raise _error(model, layer, _value_fault(layer, error)) from None


def hold_weights(model: Model) -> None:
    """Demand that the weights that were mapped are still what they were. Raises: DiagnosticError"""
    try:
        if model.weights is not None:
            model.weights.hold()
    except WeightsChanged as error:
        file = model.source.path if model.source else None
        raise DiagnosticError([Diagnostic(rule("changed-weights"), str(error), Location(file))]) from None


def checked_region(model: Model, layer: Layer) -> Region:
    """The bytes that a Const declares, all of which are there.

    Raises:  DiagnosticError where they are not
    """
    region = region_of(layer)
    weights = model.weights or Weights.of_bytes(b"")
    if isinstance(region, Fault):
        fault: Fault | None = region
    elif weights.fault and region.elements:
        fault = _no_weights(weights, layer, 1, region.end)
    else:
        fault = _placing_fault(layer, region, weights)
    if fault is not None:
        raise _error(model, layer, fault)
    assert isinstance(region, Region)
    return region


def _error(model: Model, layer: Layer, fault: Fault) -> DiagnosticError:
    path = next((path for path, other in model.walk() if other is layer), ())
    return DiagnosticError([_diagnostic(model, layer, path, fault)])


def constant_faults(model: Model) -> Iterator[Diagnostic]:
    """What is wrong with where the constants lie. Reads nothing of the weights but the tables of strings."""
    weights = model.weights or Weights.of_bytes(b"")
    found: list[tuple[tuple[str, ...], Layer, Fault]] = []
    first: tuple[tuple[str, ...], Layer] | None = None
    count = end = 0
    for path, layer in model.walk():
        if not layer.is_constant:
            continue
        region = region_of(layer)
        if isinstance(region, Fault):
            found.append((path, layer, region))
        elif region.elements:
            first, count, end = first or (path, layer), count + 1, max(end, region.end)
            fault = _placing_fault(layer, region, weights) if weights.size else None
            if fault is not None:
                found.append((path, layer, fault))
    if first is not None and weights.size == 0:
        found.append((*first, _no_weights(weights, first[1], count, end)))
    short: tuple[str, ...] = (
        (
            f"{weights.name} has {weights.size} bytes, the constants need {end}: "
            "it is cut off, or that of another model"
        ),
    )
    for path, layer, fault in found:
        if fault.rule == "constant-outside-weights":
            yield _diagnostic(model, layer, path, fault._replace(notes=fault.notes + short))
            short = ()
        else:
            yield _diagnostic(model, layer, path, fault)


def region_of(layer: Layer) -> Region | Fault:
    """What a Const declares, or the first thing wrong with its declaration."""
    data = layer.data
    if "value" in data and "offset" not in data:
        return Fault(
            "inline-constant",
            f"{layer} has its value in an attribute; it must have offset and size of bytes in the weights",
            notes=("OpenVINO reads beyond the attribute's text",),
        )
    for name in ("element_type", "shape", "offset", "size"):
        if name not in data:
            return Fault(
                "missing-constant-attribute", f"{layer} has no {name}", "", ("OpenVINO refuses the file",)
            )
    element = _ELEMENTS.get(data["element_type"])
    if element is None:
        return Fault(
            "malformed-constant-attribute",
            f"element_type {data['element_type']!r} of {layer} is no element type of a tensor; "
            "such are f32, i64, boolean, spelled so",
            "element_type",
            ("OpenVINO refuses the file",),
        )
    shape = _shape_of(layer)
    if isinstance(shape, Fault):
        return shape
    place = []
    for name in ("offset", "size"):
        value, _ = integer(data[name])
        if value is None or not 0 <= value <= INT64_MAX:
            what = "is not an integer" if value is None else "is out of range"
            return Fault(
                "malformed-constant-attribute",
                f"{name} {data[name]!r} of {layer} {what}; it must be a decimal integer from 0 to 2^63-1",
                None if element is STRING else name,
                ("OpenVINO refuses the file",),
            )
        place.append(value)
    return Region(element, shape, *place)


def _shape_of(layer: Layer) -> tuple[int, ...] | Fault:
    text = layer.data["shape"].strip()
    dims: list[int] = []
    for part in text.split(",") if text else ():
        value, _ = integer(part.strip())
        if value == -1 or (value is None and (".." in part or part.strip() == "?")):
            return Fault(
                "dynamic-constant",
                f"shape {text!r} of {layer} is not static; the shape of a constant must be known",
                "shape",
            )
        if value is None or not 0 <= value <= INT64_MAX:
            return Fault(
                "malformed-constant-attribute",
                f"shape {text!r} of {layer} holds {part.strip()!r}, which is no size",
                "shape",
                prefix_note(part),
            )
        dims.append(value)
    return tuple(dims)


def _placing_fault(layer: Layer, region: Region, weights: Weights) -> Fault | None:
    """What is wrong with the bytes that a Const declares; None where it is theirs."""
    if region.elements == 0:
        return None
    if region.element is not STRING:
        needed = packed_size(region.element, region.elements)
        if needed > INT64_MAX:
            return Fault(
                "oversized-constant",
                f"{layer}: {region} takes {needed} bytes, more than 2^63-1",
                notes=("OpenVINO computes the product modulo 2^64",),
            )
        if needed != region.size:
            return _size_fault(layer, region, needed, weights)
    if region.end > weights.size:
        partly = region.offset <= weights.size or region.element is STRING
        return Fault(
            "constant-outside-weights",
            f"{layer}: bytes {region.offset} to {region.end} are not in {weights.name}, "
            f"which has {weights.size}",
            None if partly else "offset",
            ('OpenVINO says "Incorrect weights in bin file!"',),
        )
    if region.element is STRING:
        try:
            hold_strings(
                lambda start, size: weights.read(region.offset + start, size), region.size, region.elements
            )
        except ValueError as error:
            return _value_fault(layer, error)
    return None


def _value_fault(layer: Layer, error: ValueError) -> Fault:
    return Fault(
        "changed-weights" if isinstance(error, WeightsChanged) else "corrupt-strings", f"{layer}: {error}"
    )


def _size_fault(layer: Layer, region: Region, needed: int, weights: Weights) -> Fault:
    """A size that is wrong; or right, since the weights end there, so that the type or the shape must be
    wrong.
    """
    notes = ("OpenVINO accepts a size that is larger",) if region.size > needed else ()
    right = region.end == weights.size and region.size < needed
    if region.element.name in LAYOUTS and region.size == region.elements:
        right, notes = (
            True,
            (*notes, f"it is one byte for each element, but elements of {region.element} share bytes"),
        )
    return Fault(
        "wrong-constant-size",
        f"{layer}: size is {region.size}, and {region} takes {needed} bytes",
        None if right else "size",
        notes,
    )


def _no_weights(weights: Weights, first: Layer, count: int, end: int) -> Fault:
    others = (
        "" if count == 1 else " and another constant" if count == 2 else f" and {count - 1} other constants"
    )
    return Fault(
        "missing-weights",
        f"{weights.name} {weights.fault or 'is empty'}; {first}{others} need{'s' if count == 1 else ''} it,"
        f" {end} bytes or more",
        notes=(
            'OpenVINO says "Empty weights data in bin file or bin file cannot be found!"',
            (
                "the .bin file must lie beside the .xml file, under the same name, or be named when the model"
                " is read"
            ),
        ),
    )


def _diagnostic(model: Model, layer: Layer, path: tuple[str, ...], fault: Fault) -> Diagnostic:
    at = layer.at if fault.attribute is None or layer.data_at < 0 else layer.data_at
    if model.source is None:
        location = Location(None, None, None, layer.id, layer.name, path)
    else:
        location = model.source.location(at, layer, path, fault.attribute or None)
    return Diagnostic(rule(fault.rule), fault.message, location, notes=fault.notes)
