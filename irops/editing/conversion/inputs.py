"""Inputs that a target reads only in some forms: their element types, and initial values of variables."""

from __future__ import annotations

import numpy as np

from irops.diagnostics.diagnostic import DiagnosticError
from irops.editing.conversion.refusal import RefusedError
from irops.editing.conversion.targets import Target
from irops.editing.graph.graph import Graph
from irops.editing.graph.node import Node
from irops.invocation.inputs import input_spec
from irops.values.element import DYNAMIC, as_i64, zeros


def retype_inputs(graph: Graph, node: Node, target: Target) -> None:
    """Give axes and lengths, which are constants of a type that the target does not read there, as i64.

    Raises:  RefusedError where such an input is not constant, or holds data
    """
    op = node.op
    assert op is not None
    with graph.change():
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
            graph.move(made.node, graph.place(node))
            graph.connect(node, index, made)
            graph.drop_unused(source.node)
        graph.follow([node])


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
