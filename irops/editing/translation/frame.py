"""Convert the Parameters of a model, and its data outside of the graph (rt_info, metadata)."""

from __future__ import annotations

from collections.abc import Mapping

from irops.dialects.onnx.opsets import ONNX
from irops.editing.translation.refusal import unknown
from irops.ir.model import Element, Layer, LayerKind, Model
from irops.values.element import DYNAMIC
from irops.values.fact import Fact
from irops.values.shape import Shape

SHAPES, METADATA = "onnx_shapes", "onnx_metadata"
"""The groups in rt_info of an OpenVINO model that keep ONNX data: names of sizes, and metadata_props."""
NO_RANK = "its rank is unknown, but ONNX requires the rank of every input and output of a model"


def parameter_data(layer: Layer, fact: Fact, dialect: str, named_shapes: Mapping[str, str]) -> dict[str, str]:
    """The attributes of a Parameter. named_shapes: for ONNX, shapes with names of sizes, by layer name.

    Raises:  RefusedError
    """
    if fact.element_type is DYNAMIC:
        raise unknown("its element type is unknown, but inputs must have one")
    if dialect != ONNX:
        shape = str(fact.shape)[1:-1]
    elif fact.shape.dims is None:
        raise unknown(NO_RANK)
    elif _is_same_shape(named_shapes.get(layer.name), fact.shape):
        shape = named_shapes[layer.name]
    else:
        shape = _onnx_shape(fact.shape)
    return {"shape": shape, "element_type": fact.element_type.name}


def _onnx_shape(shape: Shape) -> str:
    """A shape as ONNX text: sizes have names, but intervals become unknown."""
    return ",".join(str(size) if size.known else "?" for size in shape)


def _is_same_shape(text: str | None, shape: Shape) -> bool:
    """Whether a text describes the same shape, ignoring intervals and names."""
    if text is None or shape.dims is None:
        return False
    try:
        stored_shape = Shape.parse(text, symbols=True)
    except ValueError:
        return False
    return stored_shape.dims is not None and _onnx_shape(stored_shape) == _onnx_shape(shape)


def side_data(model: Model, dialect: str) -> tuple[dict[str, str], Element | None, dict[str, str]]:
    """The metadata and rt_info of a converted model, and the shapes with named sizes of its Parameters."""
    if dialect == ONNX:
        return _entries(model.rt_info, METADATA), None, _entries(model.rt_info, SHAPES)
    declared = {
        layer.name: layer.data.get("shape", "") for layer in model.layers if layer.kind is LayerKind.PARAMETER
    }
    shapes = {
        name: text
        for name, text in declared.items()
        if any(part.strip().isidentifier() for part in text.split(","))
    }
    groups = [
        Element(
            tag, children=[Element("info", {"name": name, "value": text}) for name, text in entries.items()]
        )
        for tag, entries in ((SHAPES, shapes), (METADATA, model.extra))
        if entries
    ]
    return {}, Element("rt_info", children=groups) if groups else None, {}


def _entries(rt_info: Element | None, tag: str) -> dict[str, str]:
    """The entries of a group of rt_info."""
    groups = [group for group in (rt_info.children if rt_info is not None else ()) if group.tag == tag]
    return {
        entry.attributes["name"]: entry.attributes["value"]
        for group in groups
        for entry in group.children
        if {"name", "value"} <= entry.attributes.keys()
    }
