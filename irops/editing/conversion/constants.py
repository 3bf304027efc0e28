"""Constants of element types that a target does not read, stored in wider types."""

from collections.abc import Sequence

from irops.diagnostics.diagnostic import DiagnosticError
from irops.editing.conversion.targets import NotConvertibleError, Target
from irops.editing.graph.graph import Graph
from irops.editing.graph.node import Node, Value
from irops.ir.model import LayerKind
from irops.ops.conversion import converted
from irops.values.arrays import fact_of
from irops.values.element import ElementType, element_type

WIDER = {
    "i4": "i8",
    **dict.fromkeys(("u4", "u2", "u3", "u6"), "u8"),
    **dict.fromkeys(("f4e2m1", "f8e4m3", "f8e5m2"), "f16"),
    **dict.fromkeys(("f8e8m0", "nf4"), "f32"),
}
"""A type that represents all numbers of another."""
_MOVING = (
    "Broadcast Concat Gather GatherElements GatherND Pad Reshape Reverse ShapeOf Slice Split Squeeze"
    " StridedSlice Tile Transpose Unsqueeze VariadicSplit"
)
MOVING = frozenset(_MOVING.split())
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
        with graph.changes():
            users = [user for node in together for user in _store(graph, node, kind)]
            graph.follow(dict.fromkeys(users))
    except DiagnosticError as error:
        raise NotConvertibleError(error.diagnostics[0].message) from None
    rounds = f"the elements are rounded to {kind}, as the Convert behind them does"
    return kind.name, "" if element_type(WIDER[narrow.name]).bits <= kind.bits else rounds


def _store(graph: Graph, constant: Node, kind: ElementType) -> Sequence[Node]:
    """Give a constant another type; the nodes that use it."""
    value = constant.outputs[0].value
    if value is None:
        raise NotConvertibleError("the elements of the constant are missing")
    array = converted(value, kind)
    data = {**constant.data, **graph.stored(array, kind)}
    assert constant.op is not None
    graph.set(constant, "data", data)
    graph.set(constant, "invocation", graph.invocation(constant.op, constant.name, data))
    graph.set(constant, "facts", [fact_of(array, with_value=True)])
    return constant.users


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
                raise NotConvertibleError(f"it has the element type {narrow}, and {user} {does}")
            others = [value for value in (*user.outputs, *user.sources) if value is not None]
            for other in (value for value in others if value.element_type is narrow):
                if other in seen:
                    continue
                seen.add(other)
                ahead.append(other)
                if other.node.kind is LayerKind.CONSTANT:
                    constants[other.node] = None
                elif other.node.type not in MOVING:
                    message = f"it has the element type {narrow}, which {other.node} gives too"
                    raise NotConvertibleError(message)
    return list(constants)


def _wider(constant: Node, narrow: ElementType, together: list[Node], target: Target) -> ElementType:
    """The type that all users convert to, if that is narrower than one for all numbers; else the latter."""
    name = WIDER.get(narrow.name)
    if name is None or not target.reads_type(name):
        message = f"its element type is {narrow}, and no type that the target reads represents it"
        raise NotConvertibleError(message)
    kind = element_type(name)
    users = constant.users
    if together == [constant] and users and all(user.type == "Convert" for user in users):
        wanted = {user.outputs[0].element_type for user in users}
        common = wanted.pop()
        if not wanted and common.bits < kind.bits and target.reads_type(common.name):
            return common
    return kind
