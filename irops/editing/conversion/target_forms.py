"""What a target reads only in some forms: constants, inputs, and the version and length of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from irops.analysis.checks.declared import inputs_and_outputs_keep_their_types
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.needs import MIN_BYTES
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.diagnostics.rules import rule
from irops.editing.conversion.targets import Target
from irops.editing.graph.graph import Graph
from irops.editing.graph.node import Node, Value
from irops.expansion.expanding import RefusedError
from irops.ir.model import Layer, LayerKind, Model
from irops.ir.serialize import document
from irops.ir.versions import READ
from irops.ops.conversion import converted
from irops.ops.invocation import input_spec
from irops.values.element import DYNAMIC, Array, ElementType, as_i64, element_type, zeros
from irops.values.tensors import fact_of

WIDER = {
    "i4": "i8",
    "u4": "u8",
    "u2": "u8",
    "u3": "u8",
    "u6": "u8",
    "f4e2m1": "f16",
    "f8e4m3": "f16",
    "f8e5m2": "f16",
    "f8e8m0": "f32",
    "nf4": "f32",
}
"""A type that represents all numbers of another."""
MOVING = frozenset(
    (
        "Broadcast",
        "Concat",
        "Gather",
        "GatherElements",
        "GatherND",
        "Pad",
        "Reshape",
        "Reverse",
        "ShapeOf",
        "Slice",
        "Split",
        "Squeeze",
        "StridedSlice",
        "Tile",
        "Transpose",
        "Unsqueeze",
        "VariadicSplit",
    )
)
"""Ops that move elements without computing with them, so that the element type does not matter."""


def widen(graph: Graph, constant: Node, target: Target) -> tuple[str, str]:
    """Store a constant of a type that the target does not read in a wider one.

    Returns: the name of that type, and what is rounded, if it does not represent all numbers

    Converts behind it give the same numbers as before; ops between may only move elements.
    Raises:  RefusedError where another op uses the narrow type, or no wider type represents it
    """
    narrow = constant.facts[0].element_type
    together = _reached(constant, narrow)
    kind = _wider(constant, narrow, together, target)
    try:
        with graph.store.change():
            users = [user for node in together for user in _store(graph, node, kind)]
            graph.propagation.follow(dict.fromkeys(users))
    except DiagnosticError as error:
        raise RefusedError(error.diagnostics[0].message) from None
    return kind.name, _rounding(narrow, kind)


def _rounding(narrow: ElementType, kind: ElementType) -> str:
    exact = element_type(WIDER[narrow.name])
    if exact.bits <= kind.bits:
        return ""
    return f"the elements are rounded to {kind}, as the Convert behind them does"


def _store(graph: Graph, constant: Node, kind: ElementType) -> Sequence[Node]:
    """Give a constant another type; the nodes that use it."""
    array = converted(_elements(constant), kind)
    data = {**constant.data, **graph.stored(array, kind)}
    assert constant.op is not None
    graph.store.set(constant, "data", data)
    graph.store.set(constant, "invocation", graph.invocation(constant.op, constant.name, data))
    graph.store.set(constant, "facts", [fact_of(array, with_value=True)])
    return constant.users


def _elements(constant: Node) -> Array:
    value = constant.outputs[0].value
    if value is None:
        raise RefusedError("the elements of the constant are missing")
    return value


def _reached(constant: Node, narrow: ElementType) -> list[Node]:
    """The constants of a narrow type whose elements meet in the same ops.

    Raises:  RefusedError where an op computes with them
    """
    constants, ahead = {constant: None}, [constant.outputs[0]]
    seen: set[Value] = set(ahead)
    while ahead:
        value = ahead.pop()
        for user in value.users:
            if user.type == "Convert":
                continue
            if user.type not in MOVING:
                does = "is a result" if user.kind is LayerKind.RESULT else "computes with it"
                raise RefusedError(f"it has the element type {narrow}, and {user} {does}")
            for other in _narrow((*user.outputs, *user.sources), narrow):
                if other in seen:
                    continue
                seen.add(other)
                ahead.append(other)
                if other.node.kind is LayerKind.CONSTANT:
                    constants[other.node] = None
                elif other.node.type not in MOVING:
                    raise RefusedError(f"it has the element type {narrow}, which {other.node} gives too")
    return list(constants)


def _narrow(values: Iterable[Value | None], narrow: ElementType) -> list[Value]:
    return [value for value in values if value is not None and value.element_type is narrow]


def _wider(constant: Node, narrow: ElementType, together: list[Node], target: Target) -> ElementType:
    """The type that all users convert to, if that is narrower than one for all numbers; else the latter."""
    name = WIDER.get(narrow.name)
    if name is None or not target.reads_type(name):
        raise RefusedError(f"its element type is {narrow}, and no type that the target reads represents it")
    kind = element_type(name)
    users = constant.users
    if together == [constant] and users and all(user.type == "Convert" for user in users):
        wanted = {user.outputs[0].element_type for user in users}
        common = wanted.pop()
        if not wanted and common.bits < kind.bits and target.reads_type(common.name):
            return common
    return kind


# Inputs that a target reads only in some forms: their element types, and initial values of variables.


def retype_inputs(graph: Graph, node: Node, target: Target) -> None:
    """Give axes and lengths, which are constants of a type that the target does not read there, as i64.

    Raises:  RefusedError where such an input is not constant, or holds data
    """
    op = node.op
    assert op is not None
    with graph.store.change():
        for index, source in enumerate(node.sources):
            if source is None:
                continue
            port, kind = input_spec(op, index), source.element_type
            if target.reads_input(op.id, (port.type, port.name), kind.name):
                continue
            if index == 0 or source.value is None:
                raise RefusedError(
                    f"{op.id} has {kind} for its input {port.name}, which is not a constant of axes"
                )
            numbers = np.asarray(as_i64(source.value))
            made = graph.constant(numbers, graph.unique(f"{node.name}/{port.name}"))
            graph.store.move(made.node, graph.store.place(node))
            graph.store.connect(node, index, made)
            graph.drop_unused(source.node)
        graph.propagation.follow([node])


def initialize(graph: Graph, node: Node) -> None:
    """Give a variable the initial value 0, which it has without one. Raises: RefusedError"""
    assert node.invocation is not None
    attributes = node.invocation.attributes
    kind, shape = attributes["variable_type"], attributes["variable_shape"]
    if kind is DYNAMIC or shape.dims is None:
        raise RefusedError("it has no initial value, and the variable no element type or rank")
    value = zeros(tuple(int(dim.low) for dim in shape), kind)
    try:
        graph.replace(node, "ReadValue-6", value, **attributes)
    except DiagnosticError as error:
        raise RefusedError(error.diagnostics[0].message) from None


# The form of a file: its IR version, and the length that a release expects.

MAX_LAYERS = 16
"""Files with more layers are longer than any release expects."""


def with_version(analysis: ModelAnalysis, version: int) -> tuple[Model, list[str]]:
    """The model for a file of another IR version, and what OpenVINO reads differently from it.

    Raises:  DiagnosticError where OpenVINO would change the type of an input or result; ValueError for an
             unknown version
    """
    if version not in READ:
        raise ValueError(f"the IR version is {version}, must be {' or '.join(map(str, READ))}")
    model = analysis.model
    if version == model.version:
        return model, []
    changed = replace(model, version=version)
    if version == min(READ):
        faults = list(_changed_types(changed, analysis))
        if faults:
            raise DiagnosticError(faults)
        return changed, list(_unread_in_10(model))
    notes = [
        f"{each.message}; as written from an IR {version} file" for each in _changed_types(model, analysis)
    ]
    return changed, notes


def _changed_types(model: Model, analysis: ModelAnalysis) -> Iterator[Diagnostic]:
    """The inputs and results whose types OpenVINO changes in a file of the model's version."""
    of_version = ModelAnalysis(model, analysis.registry, analysis.limits)
    for finding in inputs_and_outputs_keep_their_types(of_version, of_version.infer()):
        yield Diagnostic(rule("inconvertible-layer"), finding.message, finding.location, notes=finding.notes)


def _unread_in_10(model: Model) -> Iterator[str]:
    layers = [layer for _, layer in model.walk()]
    if any(layer.output_names for layer in model.layers):
        yield "OpenVINO reads no output_names from IR 10 files; results have the names of their tensors"
    if any(_has_rt_info(layer) for layer in layers):
        yield "OpenVINO reads no rt_info of layers and ports from IR 10 files, such as layouts"


def _has_rt_info(layer: Layer) -> bool:
    infos = (layer.rt_info, *(port.rt_info for port in (*layer.inputs, *layer.outputs)))
    return any(info is not None and info.children for info in infos)


def fitted(model: Model, target: Target) -> Model:
    """The model; with a comment that makes its file as long as the target expects, if it is shorter."""
    if target.reads_short_files or sum(1 for _ in model.walk()) > MAX_LAYERS:
        return model
    missing = MIN_BYTES - sum(len(piece.encode()) for piece in document(model, lambda layer: layer.data))
    if missing <= 0:
        return model
    comment = f" {'.' * missing} "
    return replace(model, comments=(*model.comments, comment), source=None)
