"""How OpenVINO layers become those of ONNX: by the definitions of ONNX where these say it, else by a rule,
which returns the wire that replaces the layer's output.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from irops.dialects.onnx import DIALECT
from irops.dialects.onnx.dialect import FRAME
from irops.dialects.onnx.opsets import ONNX, onnx_opsets
from irops.dialects.registry import default_registry
from irops.editing.translation.node import TranslatedLayer, Wire, impossible, unknown
from irops.ops.movement.gather import normal_batch
from irops.spec.attributes import default_of, format_value, parse
from irops.spec.definition import Definition, PortSpec
from irops.spec.sharing import NotSharedError, own_attributes, source_of
from irops.values.element import as_i64


@dataclass(frozen=True, slots=True)
class Counterpart:
    """dialect: its title; types: "ReverseSequence", or "several ops" for a rule that adds several; page: of
    the definition, or ''.
    """

    dialect: str
    types: str
    page: str


def counterpart_of(op: str) -> Counterpart | None:
    """The op that an op of OpenVINO is translated to, if there is one."""
    op_type = onnx_types().get(EQUIVALENT.get(op, op))
    if op_type is None:
        return Counterpart(DIALECT.title, "several ops", "") if op in RULES else None
    definitions = (default_registry().op(file).definition for file in default_registry().ids(ONNX))
    page = next((definition.page for definition in definitions if definition.type == op_type), "")
    return Counterpart(DIALECT.title, op_type, page)


EQUIVALENT = {"Gather-1": "Gather-8", "Gather-7": "Gather-8", "Squeeze-15": "Squeeze-1"}
"""OpenVINO op versions that equal another version if the remaining attributes have their defaults."""


@cache
def onnx_types() -> dict[str, str]:
    """The ONNX op types by the id of their OpenVINO counterpart."""
    definitions = (default_registry().op(file).definition for file in default_registry().ids(ONNX))
    return {d.same_as: d.type for d in definitions if d.same_as is not None and d.type not in FRAME}


def onnx_definition(type: str, opset: int) -> Definition:
    """The definition of a type in an opset of ONNX.

    Raises:  RefusedError if the opset has no such op or irops does not define it
    """
    file = DIALECT.named(type, opset)
    if file is None:
        version = onnx_opsets().version(type, opset)
        reason = f"ONNX opset {opset} has no {type}; {onnx_opsets().history(type)}"
        raise impossible(
            reason if version is None else f"irops does not define ONNX's {type}-{version} of opset {opset}"
        )
    return default_registry().op(file).definition


def counterpart(
    definition: Definition, base: Definition, index: int, port: PortSpec
) -> tuple[str | None, str | None]:
    """The name of the ONNX input, or of the ONNX attribute, for an input of the OpenVINO op; at most one is
    set.
    """
    attribute_map = own_attributes(definition)
    try:
        name, parameter = source_of(definition, base, attribute_map, index, port)
    except NotSharedError:
        return None, None
    return name, attribute_map[port.name].name if parameter is not None else None


# Reverse and ReverseSequence in ONNX, which has no Reverse, and ReverseSequence for axes 0 and 1 only.

FIRST = int(np.iinfo(np.int64).min)
"""An end before the first element of any axis."""
LAST = int(np.iinfo(np.int64).max)
"""An end behind the last element of any axis; -LAST is one before the first."""


def reverse_in_onnx(node: TranslatedLayer) -> Wire:
    """A Slice with steps of -1 from the last element; an Identity without axes."""
    fixed = node.fact("axes").value is not None
    if node.fact("data").shape.rank == 0 or (fixed and not _axes(node)):
        return node.add("Identity", node.required("data"))
    definition = onnx_definition("Slice", node.target.opset)
    if fixed:
        lists = _constant_lists(node)
    elif node.attributes["mode"] == "mask":
        flags = node.add("Cast", node.required("axes"), part="flags", to="i64")
        starts, steps = (
            _scaled(node, name, flags, *pair) for name, pair in (("starts", (-1, 0)), ("steps", (-2, 1)))
        )
        ends = node.add("Mul", steps, node.constant("ends/last", [LAST]), part="ends")
        lists = [starts, ends, None, steps]
    else:
        axes = converted_input(node, "axes", definition.inputs[3], force_i64=True)
        minus_ones = _scaled(node, "starts", axes, 0, -1)
        lists = [minus_ones, _scaled(node, "ends", axes, 0, FIRST), axes, minus_ones]
    return in_wider_type(
        node, definition.inputs[0], lambda data, part: node.add("Slice", data, *lists, part=part)
    )


def _constant_lists(node: TranslatedLayer) -> list[Wire | None]:
    """starts, ends, axes and steps of a Slice."""
    axes = _axes(node)
    count = len(axes)
    lists = {"starts": [-1] * count, "ends": [FIRST] * count, "axes": axes, "steps": [-1] * count}
    return [node.constant(name, numbers) for name, numbers in lists.items()]


def _scaled(node: TranslatedLayer, name: str, numbers: Wire, factor: int, term: int) -> Wire:
    """numbers * factor + term"""
    scaled = node.add("Mul", numbers, node.constant(f"{name}/factor", [factor]), part=f"{name}/scaled")
    return node.add("Add", scaled, node.constant(f"{name}/term", [term]), part=name)


def _axes(node: TranslatedLayer) -> list[int]:
    """The constant axes to reverse, sorted and without duplicates."""
    value = node.fact("axes").value
    assert value is not None
    numbers = [int(number) for number in as_i64(value).ravel()]
    if node.attributes["mode"] == "mask":
        return [axis for axis, flag in enumerate(numbers) if flag]
    rank = node.fact("data").shape.rank
    if rank is not None:
        return sorted({axis % rank for axis in numbers})
    if min(numbers, default=0) < 0:
        raise unknown(f"axes {numbers} count from the end, but the rank of data is unknown")
    return sorted(set(numbers))


def reverse_sequence_in_onnx(node: TranslatedLayer) -> Wire:
    """The ONNX op with explicit axes and i64 lengths; between two Transposes if the axes are not 0 and 1."""
    batch, time = (_axis(node, name) for name in ("batch_axis", "seq_axis"))
    definition = onnx_definition("ReverseSequence", node.target.opset)
    lengths = converted_input(node, "seq_lengths", definition.inputs[1])
    if {batch, time} == {0, 1}:
        axes = {"batch_axis": str(batch), "time_axis": str(time)}

        def reverse(data: Wire, part: str) -> Wire:
            return node.add("ReverseSequence", data, lengths, part=part, **axes)

        return in_wider_type(node, definition.inputs[0], reverse)
    rank = node.rank(
        "data", f"moving axes {batch} and {time} to the front requires a Transpose that lists all axes"
    )
    order = [batch, time, *(axis for axis in range(rank) if axis not in (batch, time))]

    def of_rows(data: Wire, part: str) -> Wire:
        rows = transposed(node, data, order, part="rows")
        turned = node.add("ReverseSequence", rows, lengths, part="reversed", batch_axis="0", time_axis="1")
        return transposed(node, turned, inverse(order), part=part)

    return in_wider_type(node, definition.inputs[0], of_rows)


def _axis(node: TranslatedLayer, name: str) -> int:
    axis: int = node.attributes[name]
    if axis < 0:
        raise unknown(f"{name} is {axis}, which counts from the end, but the rank of data is unknown")
    return axis


def to_onnx(node: TranslatedLayer) -> Wire:
    """Convert a layer; return the wire that replaces its only output.

    Raises:  RefusedError
    """
    rule = RULES.get(node.op.id)
    if rule is not None:
        return rule(node)
    onnx_type = onnx_types().get(EQUIVALENT.get(node.op.id, node.op.id))
    if onnx_type is None:
        raise impossible(f"irops has no rule that translates {node.op.id} to ONNX")
    return in_onnx(node, onnx_type)


def _convert(node: TranslatedLayer) -> Wire:
    kind = node.attributes["destination_type"]
    if kind.name == "f8e8m0":
        raise impossible("ONNX's Cast and Convert round to f8e8m0 differently")
    if kind.name == "f4e2m1" and node.fact("data").element_type.floating:
        raise impossible("ONNX's Cast converts NaN to -0 in f4e2m1, but Convert to 6")
    return cast(node, node.required("data"), kind.name)


def _shape_of(node: TranslatedLayer) -> Wire:
    if "output_type" not in node.attributes or node.attributes["output_type"].name == "i64":
        return node.add("Shape", node.required("data"))
    return node.add(
        "Cast", node.add("Shape", node.required("data"), part="i64"), to=node.attributes["output_type"].name
    )


def _side(node: TranslatedLayer, name: str) -> Wire:
    """A factor, with its last two axes swapped if the attribute is true."""
    flag = f"transpose_{name}"
    if not node.attributes[flag]:
        return node.required(name)
    rank = node.rank(name, f"{flag} is true, which requires a Transpose that lists all axes")
    if rank < 2:
        return node.required(name)
    return transposed(node, node.required(name), [*range(rank - 2), rank - 1, rank - 2], part=name)


def _reshape(node: TranslatedLayer) -> Wire:
    pattern = node.fact("shape").value
    literal = not node.attributes["special_zero"] and (pattern is None or 0 in pattern)
    definition = onnx_definition("Reshape", node.target.opset)
    if literal and "allowzero" not in definition.attributes:
        message = f"special_zero is false, but {definition.id} replaces every 0 in shape by a size of data"
        raise impossible(message)
    shape = converted_input(node, "shape", definition.inputs[1])
    return node.add("Reshape", node.required("data"), shape, **({"allowzero": "1"} if literal else {}))


def _gather(node: TranslatedLayer) -> Wire:
    batch, rank = node.attributes.get("batch_dims", 0), node.fact("indices").shape.rank
    if batch < 0 and rank is None:
        raise unknown("batch_dims is negative, but the rank of indices is unknown")
    if batch and normal_batch(batch, rank or batch) != 0:
        raise impossible(f"batch_dims is {format_value(batch)}, but ONNX's Gather has no such attribute")
    node.attributes = {**node.attributes, "batch_dims": 0}
    _check_indices(node)
    return in_onnx(node, "Gather")


def _check_indices(node: TranslatedLayer) -> None:
    """Refuse constant indices out of range, for which OpenVINO gives zeros. Other indices are not known."""
    axis, indices, sizes = node.fact("axis").value, node.fact("indices").value, node.fact("data").shape.dims
    if axis is None or indices is None or sizes is None or not indices.size:
        return
    size, values = sizes[int(axis.ravel()[0])], as_i64(indices)
    invalid = values[(values >= size.high) | (values < -size.high)]
    if invalid.size:
        difference = "OpenVINO's Gather gives zeros there, ONNX's does not"
        raise impossible(f"indices contain {invalid[0]} for an axis of size {size}; {difference}")


def _slice(node: TranslatedLayer) -> Wire:
    """Without axes, an Identity: not every runtime accepts empty lists."""
    none = node.fact("start").shape.size == 0
    return node.add("Identity", node.required("data")) if none else in_onnx(node, "Slice")


def _squeeze(node: TranslatedLayer) -> Wire:
    """Omit an empty list of axes: runtimes disagree on its meaning in ONNX."""
    is_empty = node.wire("axes") is not None and node.fact("axes").shape.size == 0
    if is_empty and not node.attributes.get("allow_axis_skip", False):
        return node.add("Squeeze", node.required("data"))
    return in_onnx(node, "Squeeze")


RULES: dict[str, Callable[[TranslatedLayer], Wire]] = {
    "Reverse-1": reverse_in_onnx,
    "ReverseSequence-1": reverse_sequence_in_onnx,
    "Convert-1": _convert,
    "ShapeOf-1": _shape_of,
    "ShapeOf-3": _shape_of,
    "MatMul-1": lambda node: node.add("MatMul", *[_side(node, name) for name in ("a", "b")]),
    "Reshape-1": _reshape,
    "Gather-1": _gather,
    "Gather-7": _gather,
    "Gather-8": _gather,
    "Slice-8": _slice,
    "Squeeze-1": _squeeze,
    "Squeeze-15": _squeeze,
}
"""By id of the OpenVINO op."""


# Convert OpenVINO layers to ONNX by the definition of the ONNX op that shares their functions.

COUNTS = frozenset(("i32", "i64"))
"""The types of indices, axes and sizes in ONNX."""
WIDER = {"bf16": "f32", "f8e4m3": "f32", "f8e5m2": "f32", "i4": "i8", "u4": "u8"}
"""Types that many ops of ONNX do not accept, and types that have all their numbers."""


def in_onnx(node: TranslatedLayer, type: str) -> Wire:
    """Convert a layer to an ONNX op: the definition maps inputs and attributes to inputs and attributes.

    Raises:  RefusedError
    """
    definition, base = onnx_definition(type, node.target.opset), node.op.definition
    data, wires_by_name = attributes_in_onnx(node, definition), dict[str, Sequence[Wire | None]]()
    # whether inputs that must have one integer type in ONNX have several
    of_one_type = [p for p in definition.inputs if p.type in definition.types and p.allowed <= COUNTS]
    base_names = {p.stands_for or p.name for p in of_one_type}
    names = (port.name for port in node.op.definition.inputs if port.name in base_names)
    force_i64 = len({node.fact(name).element_type for name in names if node.wire(name) is not None}) > 1
    for index, port in enumerate(base.inputs):
        name, attribute = counterpart(definition, base, index, port)
        if node.wire(port.name) is None:
            continue
        if attribute is not None:
            numbers = node.numbers(port.name, f"it is the attribute {attribute} of ONNX's {definition.type}")
            if numbers:
                data[attribute] = format_value(tuple(numbers))
        elif name is not None:
            port_ = next(p for p in definition.inputs if p.name == name)
            one = [] if port.variadic else [converted_input(node, port.name, port_, force_i64)]
            wires_by_name[name] = one or node.variadic_wires(port.name)
        else:
            raise impossible(f"{definition.id} has no input {port.name}")
    wires = [wire for port in definition.inputs for wire in wires_by_name.get(port.name, [None])]
    return node.add(type, *wires, **data)


def attributes_in_onnx(node: TranslatedLayer, definition: Definition) -> dict[str, str]:
    """The attributes that both ops have, with explicit values.

    Raises:  RefusedError if an attribute that the ONNX op lacks has another value than that op implies
    """
    base = node.op.definition
    attribute_map = own_attributes(definition)
    fixed = {
        name: parse(base.attributes[name], text) for name, text in definition.given if name in base.attributes
    }
    data = {}
    for name, attribute in base.attributes.items():
        value = node.attributes[name]
        if name in attribute_map:
            data[attribute_map[name].name] = format_value(value)
        elif name.startswith("auto_broadcast"):
            if value == "pdpd":
                raise impossible("auto_broadcast is pdpd, but ONNX broadcasts like numpy")
        elif value != fixed.get(name, default_of(attribute)):
            implied = format_value(fixed.get(name, default_of(attribute)))
            why = f"{definition.id} has no such attribute and implies {implied}"
            raise impossible(f"{name} is {format_value(value)}, but {why}")
    return data


def converted_input(node: TranslatedLayer, name: str, port_: PortSpec, force_i64: bool = False) -> Wire:
    """An input, converted to i64 if ONNX does not accept its integer type (or if force_i64 is set), and to a
    vector if ONNX requires one.

    Raises:  RefusedError
    """
    wire, fact = node.required(name), node.fact(name)
    if not port_.allowed <= COUNTS:
        return wire
    as_list = port_.high_rank == 1 and fact.shape.rank == 0
    convert = fact.element_type.name not in port_.allowed or (force_i64 and fact.element_type.name != "i64")
    if not convert and not as_list:
        return wire
    if fact.value is not None:
        numbers = as_i64(fact.value)
        return node.constant(name, numbers.reshape(-1) if as_list else numbers)
    if convert:
        if fact.element_type.name == "u64" and port_.name != "sequence_lens":
            raise impossible(
                f"{name} is u64 and not constant, but ONNX requires i64, which cannot represent all values"
            )
        wire = node.add("Cast", wire, part=name, to="i64")
    if not as_list:
        return wire
    return node.add("Reshape", wire, node.constant(f"{name}/shape", [-1]), part=f"{name}/list")


def in_wider_type(node: TranslatedLayer, port: PortSpec, add: Callable[[Wire, str], Wire]) -> Wire:
    """Layers that move the elements of data; between two Casts, which are exact, if ONNX's op does not accept
    their type and has a wider one.

    port: the input for data; add: adds the layers for a wire, the last one with a suffix of its name
    """
    kind = node.fact("data").element_type.name
    if kind in port.allowed or kind not in WIDER:
        return add(node.required("data"), "")
    _require_cast(kind, node.target.opset)
    wide = cast(node, node.required("data"), WIDER[kind], part="wide")
    return cast(node, add(wide, "moved"), kind)


def _require_cast(kind: str, opset: int) -> None:
    """Raises: RefusedError if the opset has no Cast of this type"""

    def accepts(number: int) -> bool:
        return kind in onnx_definition("Cast", number).inputs[0].allowed

    if not accepts(opset):
        later = next(number for number in range(opset, onnx_opsets().last + 1) if accepts(number))
        raise impossible(f"its data is {kind}, which ONNX has only from opset {later} on, not in {opset}")


def cast(node: TranslatedLayer, wire: Wire, kind: str, part: str = "") -> Wire:
    """A Cast that gives infinity or NaN for numbers that are too large, as Convert does."""
    definition = onnx_definition("Cast", node.target.opset)
    has_saturate = kind.startswith("f8") and "saturate" in definition.attributes
    return node.add("Cast", wire, part=part, to=kind, **({"saturate": "0"} if has_saturate else {}))


def transposed(node: TranslatedLayer, wire: Wire, order: Sequence[int], part: str = "") -> Wire:
    """A tensor with its axes in another order."""
    return node.add("Transpose", wire, part=part, perm=", ".join(map(str, order)))


def inverse(order: Sequence[int]) -> list[int]:
    """The inverse permutation."""
    return [int(axis) for axis in np.argsort(order)]
