"""The constants of a model: their positions in the weights, their values, and checks of both."""

import re
from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import NamedTuple

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.printable import plural
from irops.diagnostics.rules import rule
from irops.files.storage import OpenFiles, Weights, WeightsChanged
from irops.ir.attributes import INT64_MAX, integer, prefix_note
from irops.ir.model import Layer, LayerKind, Model, kind_of
from irops.values.element import DYNAMIC, STRING, Array, ElementType, element_types, foreign_types
from irops.values.packing import LAYOUTS, check_strings, packed_size, unpack
from irops.values.shape import MAX_AXES


class Region(NamedTuple):
    """The declaration of a Const: an element type, a shape, and bytes of the weights."""

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

    @property
    def data(self) -> dict[str, str]:
        """The attributes of the Const, in the order and layout of OpenVINO."""
        shape = ", ".join(map(str, self.shape))
        place = {"offset": str(self.offset), "size": str(self.size)}
        return {"element_type": self.element.name, "shape": shape, **place}

    def __str__(self) -> str:
        return f"{self.element}{list(self.shape)}".replace(" ", "")


SMALL = 512
"""The bytes of the largest constant of integers that probably is a shape, or the like."""
__all__ = ["Region", "Weights", "constant", "constant_faults", "region_of"]


def constant(model: Model, layer: Layer, *, files: OpenFiles | None = None) -> Array:
    """The value of a Const layer, read-only: a view of the weights, unless elements share bytes.

    files: to read the bytes, instead of mapping their file.
    Raises:  DiagnosticError if bytes are missing, or the string table is corrupt
    """
    region = checked_region(model, layer)
    if len(region.shape) > MAX_AXES:
        message = f"{layer} has {len(region.shape)} axes, must have at most {MAX_AXES} to be a NumPy array"
        raise _error(model, layer, ConstantFault("unsupported-array", message, "shape"))
    if region.elements == 0:
        return unpack(bytes(8), region.element, region.shape)  # a table of no strings has 8 bytes
    assert model.weights is not None
    try:
        place = region.offset, region.size
        raw = model.weights.view(*place) if files is None else model.weights.read(*place, files)
        return unpack(raw, region.element, region.shape)
    except ValueError as error:
        raise _error(model, layer, _value_fault(layer, error)) from None


def small_integers(model: Model) -> Iterator[tuple[int, int]]:
    """The offsets and sizes of constants that probably are axes or shapes, which inference reads."""
    for _, layer in model.walk():
        if layer.is_constant and layer.data.get("element_type") in ("i64", "i32"):
            region = region_of(layer)
            if isinstance(region, Region) and 0 < region.size <= SMALL:
                yield region.offset, region.size


def declared_end(model: Model) -> int:
    """The end of the last byte that a constant declares, within the weights or not."""
    regions = (region_of(layer) for _, layer in model.walk() if layer.is_constant)
    return max((region.end for region in regions if isinstance(region, Region)), default=0)


def require_unchanged_weights(model: Model) -> None:
    """Check that mapped weights are unchanged. Raises: DiagnosticError if not"""
    try:
        if model.weights is not None:
            model.weights.require_unchanged()
    except WeightsChanged as error:
        raise changed_weights(model, error) from None


def changed_weights(model: Model, error: WeightsChanged) -> DiagnosticError:
    """The error of a model whose .bin is another one than when the model was read."""
    file = model.source.path if model.source else None
    return DiagnosticError([Diagnostic(rule("changed-weights"), str(error), Location(file))])


def checked_region(model: Model, layer: Layer) -> Region:
    """The bytes that a Const declares, checked to be within the weights.

    Raises:  DiagnosticError if they are not
    """
    region = region_of(layer)
    weights = model.weights or Weights.of_bytes(b"")
    if isinstance(region, ConstantFault):
        fault: ConstantFault | None = region
    elif weights.fault and region.elements:
        fault = _no_weights(weights, layer, 1, region.end)
    else:
        fault = _region_fault(layer, region, weights) if region.elements else None
    if fault is not None:
        raise _error(model, layer, fault)
    assert isinstance(region, Region)
    return region


def _error(model: Model, layer: Layer, fault: "ConstantFault") -> DiagnosticError:
    path = next((path for path, other in model.walk() if other is layer), ())
    return DiagnosticError([_diagnostic(model, layer, path, fault)])


def constant_faults(model: Model) -> Iterator[Diagnostic]:
    """Errors in the declarations of all constants. Of the weights, only strings are read."""
    weights = model.weights or Weights.of_bytes(b"")
    faults: list[tuple[tuple[str, ...], Layer, ConstantFault]] = []
    first: tuple[tuple[str, ...], Layer] | None = None
    count = end = 0
    sound: set[tuple[str | None, ...]] = set()  # types, shapes and sizes of constants without a fault
    for path, layer in model.walk():
        if (layer.own_kind or kind_of(layer.type)) is not LayerKind.CONSTANT:
            continue
        data = layer.data
        offset, size, form = data.get("offset", ""), data.get("size"), None
        if offset.isdecimal() and offset.isascii() and len(offset) < 19 and "value" not in data:
            form = (data.get("element_type"), data.get("shape"), size)
            last = int(offset) + int(size or 0) if form in sound else INT64_MAX
            if weights.holds(int(offset), last - int(offset)):
                first, count, end = first or (path, layer), count + 1, max(end, last)
                continue
        region = region_of(layer)
        if isinstance(region, ConstantFault):
            faults.append((path, layer, region))
        else:
            if region.elements:
                first, count, end = first or (path, layer), count + 1, max(end, region.end)
            fault = _region_fault(layer, region, weights) if weights.size else None
            if fault is not None:
                faults.append((path, layer, fault))
            elif form is not None and region.elements and weights.size and region.element is not STRING:
                sound.add(form)
    if first is not None and weights.size == 0:
        faults.append((*first, _no_weights(weights, first[1], count, end)))
    needed = f"{weights.name} has {weights.size} bytes, the constants need {end}"
    short = f"{needed}: it is cut off, or belongs to another model"
    others = sum(fault.rule == "constant-outside-weights" for _, _, fault in faults) - 1
    more = f", as must {plural(others, 'other constant')}" if others > 0 else ""
    is_said = False
    for path, layer, fault in faults:
        if fault.rule != "constant-outside-weights":
            yield _diagnostic(model, layer, path, fault)
        elif not is_said:
            is_said = True
            summed = fault._replace(message=fault.message + more, notes=(*fault.notes, short))
            yield _diagnostic(model, layer, path, summed)


def _region_fault(layer: Layer, region: Region, weights: Weights) -> "ConstantFault | None":
    """An error in the bytes that a Const declares, or None. OpenVINO reads those of no elements too."""
    if region.elements and region.element is not STRING:
        needed = packed_size(region.element, region.elements)
        if needed > INT64_MAX:
            message = f"{layer}: {region} takes {needed} bytes, must take at most 2^63-1"
            note = "OpenVINO computes the product modulo 2^64"
            return ConstantFault("oversized-constant", message, notes=(note,))
        if needed != region.size:
            return _size_fault(layer, region, needed, weights)
    if not weights.holds(region.offset, region.size):
        partly = region.offset <= weights.size or region.element is STRING
        bounds = f"must be within the {weights.size} bytes of {weights.name}"
        message = f"{layer} has the bytes {region.offset} to {region.end}, {bounds}"
        reported = ('OpenVINO reports "Incorrect weights in bin file!"',)
        return ConstantFault("constant-outside-weights", message, None if partly else "offset", reported)
    return _strings_fault(layer, region, weights) if region.element is STRING else None


def _strings_fault(layer: Layer, region: Region, weights: Weights) -> "ConstantFault | None":
    try:
        check_strings(
            lambda start, size: weights.read(region.offset + start, size), region.size, region.elements
        )
    except ValueError as error:
        return _value_fault(layer, error)
    return None


def _value_fault(layer: Layer, error: ValueError) -> "ConstantFault":
    return ConstantFault(
        "changed-weights" if isinstance(error, WeightsChanged) else "corrupt-strings", f"{layer}: {error}"
    )


def _size_fault(layer: Layer, region: Region, needed: int, weights: Weights) -> "ConstantFault":
    """The error for a size that does not match the type and shape.

    It is located at size, unless size is plausible, so that the type or the shape is probably wrong: the
    weights end after these bytes, or there is one byte per element.
    """
    notes = ("OpenVINO accepts a size that is larger",) if region.size > needed else ()
    plausible = region.end == weights.size and region.size < needed
    if region.element.name in LAYOUTS and region.size == region.elements:
        plausible = True
        notes = (*notes, f"size is one byte per element, but elements of {region.element} share bytes")
    message = f"{layer} has the size {region.size}, must have {needed} bytes for {region}"
    return ConstantFault("wrong-constant-size", message, None if plausible else "size", notes)


def _no_weights(weights: Weights, first: Layer, count: int, end: int) -> "ConstantFault":
    match count:
        case 1:
            others = ""
        case 2:
            others = " and another constant"
        case _:
            others = f" and {count - 1} other constants"
    needed = f"need{'s' if count == 1 else ''} it, {end} bytes or more"
    place = "the .bin file must be beside the .xml file, under the same name"
    reported = 'OpenVINO reports "Empty weights data in bin file or bin file cannot be found!"'
    message = f"{weights.name} {weights.fault or 'is empty'}; {first}{others} {needed}"
    notes = (reported, f"{place}, or be passed when the model is read")
    if weights.fault and "pointer" in weights.fault:
        notes = ('OpenVINO reports "Incorrect weights in bin file!"', "git lfs pull fetches the file")
    return ConstantFault("missing-weights", message, notes=notes)


def _diagnostic(model: Model, layer: Layer, path: tuple[str, ...], fault: "ConstantFault") -> Diagnostic:
    at = layer.at if fault.attribute is None or layer.data_at < 0 else layer.data_at
    location = model.location(layer, path, at, fault.attribute or None)
    return Diagnostic(rule(fault.rule), fault.message, location, notes=fault.notes)


# Reads which bytes of the weights a Const declares to be its value.

_ELEMENTS = {
    element.name: element for element in (*element_types(), *foreign_types()) if element is not DYNAMIC
}
"""All that irops stores. Whether a dialect has the type is a question to the definition of its constants."""
_SIZES = re.compile("[0-9]{1,18}(?:, [0-9]{1,18})*")


class ConstantFault(NamedTuple):
    """An error in a Const. attribute: of its <data>; "" for <data> itself, None for the layer."""

    rule: str
    message: str
    attribute: str | None = None
    notes: tuple[str, ...] = ()


def region_of(layer: Layer) -> Region | ConstantFault:
    """The declaration of a Const, or the first error in it."""
    data = layer.data
    if "value" in data and "offset" not in data:
        return ConstantFault(
            "inline-constant",
            f"{layer} has its value in an attribute, must have offset and size of bytes in the weights",
            notes=("OpenVINO reads beyond the text of the attribute",),
        )
    for name in ("element_type", "shape", "offset", "size"):
        if name not in data:
            return ConstantFault(
                "missing-constant-attribute", f"{layer} has no {name}", "", ("OpenVINO refuses the file",)
            )
    element = _ELEMENTS.get(data["element_type"])
    if element is None:
        wanted = "must be an element type such as f32, i64, boolean, spelled exactly so"
        message = f"element_type of {layer} is {data['element_type']!r}, {wanted}"
        refused = ("OpenVINO refuses the file",)
        return ConstantFault("malformed-constant-attribute", message, "element_type", refused)
    shape = _shape_of(layer)
    if isinstance(shape, ConstantFault):
        return shape
    offset, size = _place(data["offset"]), _place(data["size"])
    if offset is None or size is None:
        name = "offset" if offset is None else "size"
        what = "is not an integer" if integer(data[name])[0] is None else "is out of range"
        return ConstantFault(
            "malformed-constant-attribute",
            f"{name} {data[name]!r} of {layer} {what}, must be a decimal integer from 0 to 2^63-1",
            None if element is STRING else name,
            ("OpenVINO refuses the file",),
        )
    return Region(element, shape, offset, size)


def _place(text: str) -> int | None:
    """A number of bytes; None if the text is not a 64-bit integer of 0 or greater."""
    if len(text) < 19 and text.isascii() and text.isdecimal():  # 18 digits are within 64 bits
        return int(text)
    value, _ = integer(text)
    return value if value is not None and 0 <= value <= INT64_MAX else None


def _shape_of(layer: Layer) -> tuple[int, ...] | ConstantFault:
    text = layer.data["shape"].strip()
    if len(text) < 100 and (sizes := _sizes(text)) is not None:  # longer ones would fill the cache
        return sizes
    dims: list[int] = []
    for part in text.split(",") if text else ():
        value, _ = integer(part.strip())
        if value == -1 or (value is None and (".." in part or part.strip() == "?")):
            return ConstantFault("dynamic-constant", f"shape of {layer} is {text!r}, must be static", "shape")
        if value is None or not 0 <= value <= INT64_MAX:
            wanted = f"must be sizes of 0 or greater; {part.strip()!r} is not one"
            message = f"shape of {layer} is {text!r}, {wanted}"
            return ConstantFault("malformed-constant-attribute", message, "shape", prefix_note(part))
        dims.append(value)
    return tuple(dims)


@lru_cache(maxsize=1024)
def _sizes(text: str) -> tuple[int, ...] | None:
    """The sizes in a text as OpenVINO writes it; None for another text."""
    return tuple(map(int, text.split(", "))) if _SIZES.fullmatch(text) else None
