"""Graphs of Graiphic's on their way out: as models of ONNX, whose nodes have no parameters of a builder, and
of OpenVINO; and back.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from irops.editing.translation.translate import translate
from irops.ir.model import Element, Layer, Model
from irops.ir.write import write
from irops.registry import default_registry
from irops.spec.dialects import GRAIPHIC
from irops.spec.onnx_opsets import ONNX
from irops.spec.op import Op

KEY = f"irops.{GRAIPHIC}."
"""What keys of metadata_props begin with that hold the parameters of a node, whose name follows. Graiphic's
own carrier is not known.
"""


def as_onnx(model: Model) -> Model:
    """The model with ONNX's nodes in place of Graiphic's.

    Their axes are attributes as before; training? and lda coeff, which ONNX does not know, go into
    metadata_props, a text of JSON under the name of each node.
    """
    layers = [
        _plain(layer, model.opsets[ONNX]) if layer.version == GRAIPHIC else layer for layer in model.layers
    ]
    notes = {
        f"{KEY}{layer.name}": json.dumps(_said(layer)) for layer in model.layers if layer.version == GRAIPHIC
    }
    return replace(
        model, graph=replace(model.graph, layers=layers), extra={**model.extra, **notes}, dialect=ONNX
    )


def as_openvino(model: Model) -> Model:
    """The model in ops of OpenVINO; training? and lda coeff go into its rt_info.

    Raises:  DiagnosticError where it cannot be said in them
    """
    plain = as_onnx(model)
    translated = translate(replace(plain, extra=model.extra), to="openvino")
    entries = [
        Element("info", {"name": key.removeprefix(KEY), "value": text})
        for key, text in plain.extra.items()
        if key.startswith(KEY)
    ]
    before = translated.rt_info.children if translated.rt_info is not None else []
    return replace(
        translated, rt_info=Element("rt_info", children=[*before, Element(GRAIPHIC, children=entries)])
    )


def of_onnx(model: Model) -> Model:
    """The model with Graiphic's nodes in place of ONNX's, where metadata_props holds their parameters: what
    as_onnx undoes.
    """
    said = {key.removeprefix(KEY): text for key, text in model.extra.items() if key.startswith(KEY)}
    layers = [
        _node(layer, json.loads(said[layer.name])) if layer.name in said else layer for layer in model.layers
    ]
    extra = {key: text for key, text in model.extra.items() if not key.startswith(KEY)}
    return replace(model, graph=replace(model.graph, layers=layers), extra=extra, dialect=GRAIPHIC)


def export(model: Model, path: str | os.PathLike[str]) -> None:
    """Write the model: as ONNX, where the name ends with .onnx; else as OpenVINO IR, .xml and .bin.

    Raises:  DiagnosticError where it cannot be said so
    """
    write(as_onnx(model) if Path(path).suffix.lower() == ".onnx" else as_openvino(model), path)


def _op(type: str) -> Op:
    return default_registry().op(f"{GRAIPHIC}:{type}")


def _plain(layer: Layer, opset: int) -> Layer:
    builders = {
        name for name, attribute in _op(layer.type).definition.attributes.items() if attribute.builder
    }
    data = {name: text for name, text in layer.data.items() if name not in builders}
    return replace(layer, version=f"{ONNX}:{opset}", data=data)


def _said(layer: Layer) -> dict[str, str]:
    """What a node's builder says of it, defaults written out, under the toolkit's own names."""
    attributes = _op(layer.type).definition.attributes.values()
    return {
        a.label or a.name: layer.data.get(a.name, a.default)
        for a in attributes
        if a.builder and a.default is not None
    }


def _node(layer: Layer, said: dict[str, Any]) -> Layer:
    names = {a.label or a.name: a.name for a in _op(layer.type).definition.attributes.values()}
    return replace(
        layer, version=GRAIPHIC, data={**layer.data, **{names[label]: text for label, text in said.items()}}
    )
