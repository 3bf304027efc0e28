"""What models declare: of a tensor, by its port, and of a state variable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from irops.analysis.inferred import Inferred
from irops.ir.model import Body, Graph, Layer, LayerKind, Model, Port, walk
from irops.values.dim import ANY, Dim
from irops.values.element import DYNAMIC, ElementType, element_type, element_type_of_precision
from irops.values.fact import Fact, NoTensor, parse_fact
from irops.values.shape import UNRANKED, Shape

# Ports: declarations of new ones, and of those that a program left undeclared.

DYNAMIC_SIZE = -1


def declared_dims(fact: Fact) -> tuple[int, ...]:
    """The sizes as a port declares them: -1 for one that is not known, none for an unknown rank."""
    return tuple(int(size) if size.known else DYNAMIC_SIZE for size in fact.shape.dims or ())


def port_of(label: int, fact: Fact, names: tuple[str, ...] = ()) -> Port:
    """A port that declares what is known of a tensor. names: of the tensor"""
    return Port(label, fact.element_type.precision, declared_dims(fact), names)


def has_undeclared_ports(model: Model) -> bool:
    """Whether an output port lacks the precision that OpenVINO's reader requires."""
    return any(_undeclared(port) for _, layer in walk(model.graph) for port in layer.outputs)


def with_declared_ports(model: Model, inferred: Inferred) -> Model:
    """The model with the inferred precisions and sizes in all ports that have neither.

    Ports that declare a precision or sizes, or that come from a file, stay as they are.
    """
    return model.with_graph(_graph(model.graph, inferred))


def _graph(graph: Graph, inferred: Inferred) -> Graph:
    return replace(graph, layers=[_layer(layer, inferred) for layer in graph.layers])


def _layer(layer: Layer, inferred: Inferred) -> Layer:
    facts = inferred.layers.get(layer.id)
    if facts is None:
        return layer
    is_result = layer.kind is LayerKind.RESULT
    return replace(
        layer,
        inputs=[_port(port, fact) for port, fact in _pairs(layer.inputs, facts.inputs)],
        outputs=[
            _port(port, fact) for port, fact in _pairs(layer.outputs, [] if is_result else facts.outputs)
        ],
        bodies={name: _body(body, facts.bodies.get(name)) for name, body in layer.bodies.items()},
    )


def _body(body: Body, inferred: Inferred | None) -> Body:
    return body if inferred is None else replace(body, graph=_graph(body.graph, inferred))


def _pairs(ports: list[Port], facts: Sequence[Fact | None]) -> list[tuple[Port, Fact | None]]:
    return [(port, facts[k] if k < len(facts) else None) for k, port in enumerate(ports)]


def _port(port: Port, fact: Fact | None) -> Port:
    if fact is None or not _undeclared(port):
        return port
    return replace(port, precision=fact.element_type.precision, dims=declared_dims(fact))


def _undeclared(port: Port) -> bool:
    return port.at < 0 and port.precision is None and not port.dims


# Hints: declarations that runtimes do not rely on, but that say more than what is inferred.


def with_hint(fact: Fact, port: Port) -> Fact:
    """The Fact, with what a port declares where nothing is inferred; the Fact itself where the declaration
    contradicts it, or says nothing more. Sizes in names that the caller gave stay as they are.
    """
    if (
        port.hint is None
        or isinstance(fact, NoTensor)
        or (fact.shape.static and fact.element_type is not DYNAMIC)
    ):
        return fact
    hint = parse_fact(port.hint)
    if isinstance(hint, NoTensor):
        return hint if fact.element_type is DYNAMIC and fact.shape.dims is None else fact
    shape = hint.shape if fact.shape.dims is None else fact.shape
    if shape.dims is not None and hint.shape.dims is not None and shape.can_be(hint.shape):
        shape = Shape(map(_with_hint, shape.dims, hint.shape.dims))
    if fact.element_type is DYNAMIC and hint.element_type is not DYNAMIC:
        return Fact(hint.element_type, shape)
    return (
        fact
        if str(shape) == str(fact.shape) and shape.spelled == fact.shape.spelled
        else fact.with_shape(shape)
    )


def _with_hint(size: Dim, hint: Dim) -> Dim:
    if size.known or (size.symbol is not None and size.spelled != str(size)):
        return size
    return hint if hint.known or hint.symbol is None else size.named(hint.symbol)


# The declared outputs of layers whose op irops does not define.


def declared_outputs(layer: Layer, inputs: Sequence[Fact | None]) -> list[Fact]:
    """The outputs as declared by the ports; only their types, if the inputs contradict the declarations.

    A port without dimensions is a scalar or has an unknown rank: files do not distinguish the two.
    """
    as_written = all(fact is None or _may_be(fact.shape, port) for fact, port in zip(inputs, layer.inputs))
    return [Fact(_type(port), _shape(port) if as_written else UNRANKED) for port in layer.outputs]


def _may_be(shape: Shape, port: Port) -> bool:
    return not port.dims or shape.can_be(_shape(port))


def _shape(port: Port) -> Shape:
    return Shape(ANY if dim == -1 else dim for dim in port.dims) if port.dims else UNRANKED


def _type(port: Port) -> ElementType:
    try:
        return element_type_of_precision(port.precision or "")
    except ValueError:
        return DYNAMIC


# The declarations of state variables.


def declared_variables(model: Model) -> Mapping[str, Fact]:
    """The variables declared by ReadValue layers, by variable_id; the first declaration of each.

    Malformed declarations are ignored.
    """
    variables: dict[str, Fact] = {}
    for _, layer in model.walk():
        data = layer.data
        if "variable_id" in data and layer.type.lower() == "readvalue":
            try:
                fact = Fact(
                    element_type(data.get("variable_type", "dynamic")),
                    Shape.parse(data.get("variable_shape", "...")),
                )
            except ValueError:
                continue
            variables.setdefault(data["variable_id"], fact)
    return variables
