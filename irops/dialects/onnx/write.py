"""Write ONNX models."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.dialects.dialect import Interface, Ops
from irops.dialects.onnx.library import onnx_library
from irops.dialects.onnx.nodes import node_of
from irops.dialects.onnx.opsets import ONNX
from irops.dialects.onnx.read import MOST_BYTES
from irops.dialects.onnx.tensor_names import TensorNames, has_node
from irops.dialects.onnx.types import number_of
from irops.dialects.onnx.values import tensor_of
from irops.graph.wiring import Wiring
from irops.ir.model import Layer, LayerKind, Model
from irops.ir.pending import Pending
from irops.ir.targets import local_target
from irops.ir.weights import checked_region
from irops.values.dim import Dim
from irops.values.element import DYNAMIC
from irops.values.fact import Fact


def write(model: Model, path: str | os.PathLike[str], *, registry: Ops, interface: Interface) -> None:
    """Write a model of ONNX as one file; under another name in the same folder, renamed when it is whole.

    Raises:  DiagnosticError where the library onnx is missing, the model is of another dialect or too large,
        or a constant's bytes
             are not there; OSError
    """
    name = os.fspath(path)
    data = _serialized(proto_of(model, name, registry=registry, interface=interface), name)
    with Pending(local_target(path, of_model=True)) as (file,):
        file.write(data)


def _serialized(proto: Any, path: str) -> bytes:
    from google.protobuf.message import EncodeError

    try:
        data: bytes = proto.SerializeToString(deterministic=True)
    except EncodeError:  # the library does not write more than it reads
        raise _oversized(MOST_BYTES + 1, path) from None
    if len(data) > MOST_BYTES:
        raise _oversized(len(data), path)
    return data


def proto_of(model: Model, path: str | None = None, *, registry: Ops, interface: Interface) -> Any:
    """The ModelProto that a model of ONNX is. path: of the file that it is for, if any.

    Raises:  DiagnosticError
    """
    onnx = onnx_library(path, DiagnosticError)
    if model.dialect != ONNX:
        raise DiagnosticError(
            [
                Diagnostic(
                    rule("wrong-dialect-for-file"),
                    f"{path or 'a ModelProto'} can hold ONNX ops only; the model is {model.dialect}",
                    Location(path),
                )
            ]
        )
    needed = sum(checked_region(model, layer).size for layer in model.layers if layer.is_constant)
    if needed > MOST_BYTES:
        raise _oversized(needed, path)
    graph = _Written(onnx, model, registry, interface).graph()
    imports = [
        onnx.helper.make_opsetid("" if domain == ONNX else domain, version)
        for domain, version in model.opsets.items()
    ]
    proto = onnx.helper.make_model(graph, opset_imports=imports, producer_name="irops")
    proto.ir_version = onnx.helper.find_min_ir_version_for(imports, ignore_unknown=True)
    onnx.helper.set_model_props(proto, model.extra)
    return proto


def _oversized(size: int, path: str | None) -> DiagnosticError:
    return DiagnosticError(
        [
            Diagnostic(
                rule("oversized-onnx"),
                f"the model takes {size:,} bytes or more, and one file of ONNX holds less "
                f"than {MOST_BYTES + 1:,}",
                Location(path),
            )
        ]
    )


class _Written:
    """The parts of a GraphProto."""

    def __init__(self, onnx: Any, model: Model, registry: Ops, interface: Interface) -> None:
        self.helper, self.model, self.registry = onnx.helper, model, registry
        self.facts = interface(model)
        self.wiring = Wiring(model.graph)
        self.names = TensorNames(model.layers, self.wiring)
        self.results = [layer for layer in model.layers if layer.kind is LayerKind.RESULT]

    def graph(self) -> Any:
        layers = self.wiring.order
        nodes = [
            node_of(self.helper, self.model, layer, self._inputs(layer), self.names.of(layer), self.registry)
            for layer in layers
            if has_node(layer)
        ]
        nodes.extend(
            self.helper.make_node("Identity", [inner], [outer], name=f"{outer}/result")
            for inner, outer in self.names.renamed
        )
        parameters = [layer for layer in layers if layer.kind is LayerKind.PARAMETER]
        return self.helper.make_graph(
            nodes,
            self.model.name or "graph",
            [self._info(self.names.of(layer)[0], self._fact(layer)) for layer in parameters],
            [self._info(self.names.results[layer.id], self._fact(layer)) for layer in self.results],
            [
                tensor_of(self.model, layer, self.names.of(layer)[0])
                for layer in layers
                if layer.is_constant and not has_node(layer)
            ],
        )

    def _inputs(self, layer: Layer) -> Iterator[str]:
        """The names of the tensors that a layer takes; that of one left out is empty."""
        for source in self.wiring.inputs[layer.id]:
            yield "" if source is None else self.names.of(source[0])[source[1]]

    def _fact(self, layer: Layer) -> Fact:
        return self.facts.get(layer.id, Fact())

    def _info(self, name: str, fact: Fact) -> Any:
        number = number_of(fact.element_type) if fact.element_type is not DYNAMIC else None
        sizes = None if fact.shape.dims is None else [_size(dim) for dim in fact.shape.dims]
        return self.helper.make_tensor_value_info(name, number or 0, sizes)


def _size(dim: Dim) -> int | str | None:
    """A size as ONNX declares it: a number, a name, or nothing."""
    if dim.known:
        return int(dim)
    return dim.spelled if dim.spelled.isidentifier() else None
