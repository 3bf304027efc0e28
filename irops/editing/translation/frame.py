"""What a graph is tied to its surroundings with, and constants: Parameter, Result, Const; and what a model
says beside its graph.
"""

from __future__ import annotations

from collections.abc import Mapping

from irops.dialects.onnx.opsets import ONNX
from irops.editing.translation.refusal import unknown
from irops.ir.model import Element, Layer, LayerKind, Model
from irops.values.element import DYNAMIC
from irops.values.fact import Fact
from irops.values.shape import Shape

SHAPES, METADATA = "onnx_shapes", "onnx_metadata"
"""Where rt_info of a model of OpenVINO's keeps what that has no place for: the names of sizes, and
metadata_props.
"""


def parameter_data(layer: Layer, fact: Fact, dialect: str, named: Mapping[str, str]) -> dict[str, str]:
    """The attributes of a Parameter. named: of ONNX's, shapes with the names of sizes, where they are known.

    Raises:  RefusedError
    """
    if fact.element_type is DYNAMIC:
        raise unknown("its element type is not known, and every input must have one")
    if dialect != ONNX:
        shape = str(fact.shape)[1:-1]
    elif _same_sizes(named.get(layer.name), fact.shape):
        shape = named[layer.name]
    else:
        shape = _spelled(fact.shape)
    return {"shape": shape, "element_type": fact.element_type.name}


def _spelled(shape: Shape) -> str:
    """As ONNX says it, which has names for sizes, and no intervals."""
    if shape.dims is None:
        return "..."
    return ",".join(str(size) if size.known else "?" for size in shape)


def _same_sizes(text: str | None, shape: Shape) -> bool:
    """Whether a text says of every size what a shape says, but for intervals, and names."""
    if text is None or shape.dims is None:
        return False
    try:
        said = Shape.parse(text, symbols=True)
    except ValueError:
        return False
    return said.dims is not None and _spelled(said) == _spelled(shape)


def beside(model: Model, dialect: str) -> tuple[dict[str, str], Element | None, dict[str, str]]:
    """The extra texts and the rt_info of a translated model; and the shapes of Parameters with names of
    sizes, by layer.
    """
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
