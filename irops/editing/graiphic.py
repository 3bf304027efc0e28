"""Graphs as Graiphic's LabVIEW deep-learning toolkit builds them, and what becomes of them in ONNX, whose
nodes have no parameters of a builder, and in OpenVINO. See docs/graiphic.md.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from irops.analysis.writing import write
from irops.dialects.graiphic import DIALECT
from irops.dialects.onnx.opsets import ONNX
from irops.dialects.registry import default_registry
from irops.editing.dialects import OPSET, Switched
from irops.editing.dialects import DialectGraph as Building
from irops.editing.graph.node import Value as Wire
from irops.editing.translation.translate import translate
from irops.ir.model import Element, Layer, Model
from irops.spec.op import Op

__all__ = ["Graph", "Switched", "Wire", "as_onnx", "as_openvino", "export", "of_onnx"]

GRAIPHIC = DIALECT.name
KEY = f"irops.{GRAIPHIC}."
"""The prefix of the keys of metadata_props that hold the parameters of a node, whose name follows. Graiphic's
own carrier is not known.
"""
BATCH_AXIS, TIME_AXIS = Switched(1), Switched(0)
"""The defaults of the panels of ReverseSequence."""


class Graph(Building):
    """A graph under construction. Nodes that Graiphic does not define are those of an opset of ONNX, which
    its toolkit builds on.
    """

    def __init__(self, name: str = "graph", *, opset: int = OPSET) -> None:
        super().__init__(name, DIALECT, opset=opset)

    def reverse_sequence(
        self,
        input: Wire,
        sequence_lens: Wire,
        *,
        batch_axis: int | Switched = BATCH_AXIS,
        time_axis: int | Switched = TIME_AXIS,
        training: bool = True,
        lda_coeff: float = 1.0,
        name: str | None = None,
        specified_outputs_name: Sequence[str] = (),
    ) -> Wire:
        """The node ReverseSequence; an axis that is a plain number has its use_it on."""
        return self.node(
            "ReverseSequence",
            input,
            sequence_lens,
            name=name,
            specified_outputs_name=specified_outputs_name,
            batch_axis=batch_axis,
            time_axis=time_axis,
            training=training,
            lda_coeff=lda_coeff,
        )


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

    Raises:  DiagnosticError if it is not representable in them
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
    parameters = {key.removeprefix(KEY): text for key, text in model.extra.items() if key.startswith(KEY)}
    layers = [
        _node(layer, json.loads(parameters[layer.name])) if layer.name in parameters else layer
        for layer in model.layers
    ]
    extra = {key: text for key, text in model.extra.items() if not key.startswith(KEY)}
    return replace(model, graph=replace(model.graph, layers=layers), extra=extra, dialect=GRAIPHIC)


def export(model: Model, path: str | os.PathLike[str]) -> None:
    """Write the model: as ONNX, where the name ends with .onnx; else as OpenVINO IR, .xml and .bin.

    Raises:  DiagnosticError if it is not representable there
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
    """The arguments of a node's builder, defaults written out, under the toolkit's own names."""
    attributes = _op(layer.type).definition.attributes.values()
    return {
        a.label or a.name: layer.data.get(a.name, a.default)
        for a in attributes
        if a.builder and a.default is not None
    }


def _node(layer: Layer, parameters: dict[str, Any]) -> Layer:
    names = {a.label or a.name: a.name for a in _op(layer.type).definition.attributes.values()}
    own = {names[label]: text for label, text in parameters.items()}
    return replace(layer, version=GRAIPHIC, data={**layer.data, **own})
