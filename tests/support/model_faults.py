"""Faults planted in one layer of a network: attributes, weights, operands, another op, a layer left out."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from networks import folders, network

import irops
from irops.editing.graph.node import Node, Value

Edit = Callable[[], Any]
"""Makes the fault in a graph. Raises DiagnosticError where the definition of an op refuses it."""
NO_FAULT = {"Parameter", "Result", "Const", "ReadValue", "Assign", "If", "Loop", "TensorIterator"}
SAME_KIND = [
    "Relu Elu Sigmoid Tanh Gelu Abs Swish HSwish Exp Negative SoftPlus Mish Sin Cos Sqrt Log Erf HSigmoid",
    "Add Subtract Multiply Divide Maximum Minimum SquaredDifference Mod FloorMod Power",
    "ReduceMean ReduceSum ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2",
    "Floor Ceiling Round Sign", "SoftMax LogSoftmax", "MaxPool AvgPool",
    "Equal NotEqual Less Greater LessEqual GreaterEqual", "LogicalAnd LogicalOr LogicalXor",
]  # fmt: skip
"""Types of ops that take the same inputs."""


@dataclass(frozen=True)
class ModelFault:
    """kind: what was changed; layer: the name of the layer; model: the network with the fault."""

    kind: str
    layer: str
    model: irops.Model


def planted(model: irops.Model, draw: random.Random) -> ModelFault | None:
    """A fault in a drawn layer of a model; None where the draw is refused."""
    graph = irops.Graph(model)
    live = [node for node in graph.nodes if node.type not in NO_FAULT and any(o.users for o in node.outputs)]
    node = draw.choice([n for n in live if not all(o.value is not None for o in n.outputs)] or live)
    name, edits = node.name, [*_of_inputs(graph, node, draw), *_of_layers(graph, node, draw)]
    if node.op is not None:
        edits += [*_of_attributes(graph, node, draw), *_of_ops(graph, node, draw)]
    if not edits:
        return None
    kind, edit = draw.choice(edits)
    try:
        edit()
    except irops.DiagnosticError:
        return None
    return ModelFault(kind, name, graph.model())


def renamed(model: irops.Model) -> irops.Model:
    """The model with other names for all of its layers but inputs and results."""
    graph = irops.Graph(model)
    for number, node in enumerate(graph.nodes):
        if node.type not in ("Parameter", "Result"):
            graph.rename(node, f"other/{number}")
    return graph.model()


SHOWN = 1e-5
"""How far results differ, as a share of the greatest number, where a fault shows."""


def difference(model, other, inputs) -> float:
    """By how much the results of two models differ, as a share of the greatest number."""
    greatest = 0.0
    for one, two in zip(irops.run(model, inputs).values(), irops.run(other, inputs).values(), strict=True):
        a, b = (np.asarray(array, np.complex128) for array in (one, two))
        if a.shape != b.shape or (np.isfinite(a) != np.isfinite(b)).any():
            return np.inf
        apart = np.abs(a - b)[np.isfinite(a) & np.isfinite(b)].max(initial=0)
        greatest = max(greatest, apart / (np.abs(a[np.isfinite(a)]).max(initial=0) or 1))
    return greatest


def draws(names, seed: int, count: int) -> Iterator[tuple[str, dict, irops.Model, ModelFault]]:
    """Faults in networks, drawn until so many change a result."""
    draw = random.Random(seed)
    while count:
        name = draw.choice(names)
        model, inputs = network(folders()[name])
        model = _seeded(model)
        fault = planted(model, draw)
        try:
            shows = fault is not None and difference(model, fault.model, inputs) > SHOWN
        except irops.EvaluationError:  # it cannot be run
            continue
        if shows:
            count -= 1
            yield name, inputs, model, fault


def _seeded(model: irops.Model) -> irops.Model:
    """The model with seeds of its random layers, so that every run draws the same numbers."""
    graph = irops.Graph(model)
    drawing = [node for node in graph.nodes if node.type == "RandomUniform"]
    for node in drawing:
        graph.set_attributes(node, op_seed=7, global_seed=7)
    return graph.model() if drawing else model


def _of_attributes(graph: irops.Graph, node: Node, draw: random.Random) -> list[tuple[str, Edit]]:
    edits = []
    for attribute in node.op.definition.attributes.values():
        old = node.attributes.get(attribute.parameter)
        other: Any = None
        if isinstance(old, bool):
            other = not old
        elif attribute.values:
            other = draw.choice([value for value in attribute.values if value != old] or [None])
        elif isinstance(old, int):
            other = old + draw.choice((-1, 1))
        elif isinstance(old, float):
            other = old * draw.choice((0.5, 1.1, 1000.0)) if old else 0.1
        elif isinstance(old, (list, tuple)) and old and all(isinstance(item, int) for item in old):
            other = [*old[:-1], old[-1] + 1] if draw.random() < 0.5 else list(reversed(old))
        if other is not None and other != old and attribute.type != "element_type":
            change = {attribute.parameter: other}
            edits.append((f"attribute {change}", lambda c=change: graph.set_attributes(node, **c)))
    return edits


def _weights(array: Any, draw: random.Random) -> dict[str, Any]:
    """An array in wrong forms, by kind."""
    plain, ways = np.asarray(array), dict[str, Any]()
    if plain.dtype == np.float32:
        greatest, one = np.abs(plain).max(initial=0), plain.copy()
        one.flat[draw.randrange(one.size)] += greatest or np.float32(1)
        ways = {
            "scaled": plain * np.float32(1.02), "negated": -plain, "one element": one,
            "bf16": plain.astype(ml_dtypes.bfloat16).astype(np.float32), "twice": plain * np.float32(2),
            "int4": np.rint(plain / (greatest or 1) * 7) * greatest / np.float32(7),
            "infinite": np.where(one == plain, plain, np.inf), "nan": np.where(one == plain, plain, np.nan),
        }  # fmt: skip
    elif plain.dtype.kind in "iu":
        ways["plus one"] = plain + plain.dtype.type(1)
        ways["minus one"] = plain - plain.dtype.type(1)
    elif plain.dtype == bool:
        ways["negated"] = ~plain
    if plain.ndim > 1 and plain.shape[-1] == plain.shape[-2]:
        ways["transposed"] = np.ascontiguousarray(plain.swapaxes(-1, -2))
    if plain.ndim and len(plain) > 1:
        ways |= {"reversed": plain[::-1], "rolled": np.roll(plain, 1, 0), "a row lost": _row_lost(plain)}
    if plain.ndim and len(plain) % 4 == 0 and len(plain) > 3:
        ways["gates"] = np.concatenate([np.split(plain, 4)[k] for k in (1, 0, 2, 3)])
    return {kind: np.ascontiguousarray(other, plain.dtype) for kind, other in ways.items()}


def _row_lost(array: Any) -> Any:
    lost = array.copy()
    lost[-1] = lost[0]
    return lost


def _of_inputs(graph: irops.Graph, node: Node, draw: random.Random) -> list[tuple[str, Edit]]:
    edits: list[tuple[str, Edit]] = []
    values = node.inputs
    for index, value in enumerate(values):
        if value is not None and value.value is not None and value.value.size:
            for kind, array in _weights(value.value, draw).items():
                edits.append((f"input {index} {kind}", lambda i=index, a=array: _operand(graph, node, i, a)))
        others = [
            other
            for other in values
            if other is not None and value is not None and other is not value and other.shape == value.shape
        ]
        if others:
            other = draw.choice(others)
            edits.append((f"input {index} repeated", lambda i=index, v=other: _operand(graph, node, i, v)))
    if len(values) > 1 and all(value is not None for value in values):
        edits.append(("operands exchanged", lambda: _become(graph, node, node.type, values[::-1])))
    return edits


def _operand(graph: irops.Graph, node: Node, index: int, operand: Any) -> None:
    """Give a node alone another operand."""
    operands: list[Any] = list(node.inputs)
    if not isinstance(operand, Value):
        operand = graph.constant(operand, element_type=operands[index].element_type)
    operands[index] = operand
    _become(graph, node, node.type, operands)


def _become(graph: irops.Graph, node: Node, type: str, operands: Any) -> None:
    """Make a node another one; attributes that the new op has stay."""
    kind = f"{type}-{node.op.id.rpartition('-')[2]}" if type == node.type else type
    known = {a.parameter for a in graph.op(kind).definition.attributes.values()}
    given = {name: value for name, value in node.attributes.items() if name in known and value is not None}
    graph.replace(node, kind, *operands, **given)


def _of_ops(graph: irops.Graph, node: Node, draw: random.Random) -> list[tuple[str, Edit]]:
    edits: list[tuple[str, Edit]] = []
    for kinds in SAME_KIND:
        if node.type.lower() in kinds.lower().split():
            other = draw.choice([kind for kind in kinds.split() if kind.lower() != node.type.lower()])
            edits.append((f"op {other}", lambda kind=other: _become(graph, node, kind, node.inputs)))
    return edits


def _of_layers(graph: irops.Graph, node: Node, draw: random.Random) -> list[tuple[str, Edit]]:
    """Faults of a layer that is left out, or whose output is changed by a further layer."""
    first, output, edits = node.inputs[0] if node.inputs else None, node.outputs[0], list[tuple[str, Edit]]()
    if first is not None and first.shape == output.shape and first.element_type is output.element_type:
        edits.append(("missing", lambda: graph.remove(node)))
    if output.element_type.name == "f32" and len(node.outputs) == 1:
        factor = np.float32(draw.choice((0.99, 1.01, -1)))
        edits.append((f"times {factor}", lambda: graph.insert_after(node, "Multiply", factor)))
    return edits
