"""Declarations of tensors by ports, and the details of findings about a layer."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from irops.analysis.inferred import Inferred, LayerFacts
from irops.diagnostics.diagnostic import Fix, fix
from irops.ir.edits import with_attribute, with_new_attribute
from irops.ir.locate import SourceText
from irops.ir.model import Body, Layer, LayerGraph, LayerKind, Model, Port, walk
from irops.spec.attributes import AttributeFault, format_value
from irops.spec.op import NoOp
from irops.values.fact import Fact


def facts_line(known: LayerFacts) -> str:
    """The inputs and attributes of a layer on one line, for diagnostics."""
    op = known.op
    ports = op.definition.inputs if op is not None else ()
    names = [ports[min(k, len(ports) - 1)].name if ports else str(k) for k in range(len(known.inputs))]
    inputs = ", ".join(
        f"{name} {fact.spelled}" for name, fact in zip(names, known.inputs) if fact is not None
    )
    attributes = ", ".join(f"{name}={value}" for name, value in known.layer.data.items())
    between = "; " if inputs and attributes else ""
    return f'layer {known.layer.id} "{known.layer.shown_name}": {inputs}{between}{attributes}'


def given_shape(known: LayerFacts) -> tuple[str, ...]:
    """The attribute that gives a layer without inputs its shape, if the file has it."""
    assert known.op is not None
    attributes = known.op.definition.attributes.values()
    if known.inputs:
        return ()
    return tuple(a.name for a in attributes if a.type == "shape" and a.name in known.layer.data)


def written_out(source: SourceText | None, layer: Layer, fault: AttributeFault) -> Fix | None:
    """A fix that writes the reader's default into the file."""
    if fault.default is None or source is None or not source.as_stored:
        return None
    what = f'write out {fault.attribute}="{fault.default}", as OpenVINO reads it'
    return fix(what, [with_new_attribute(source, layer, fault.attribute, fault.default)])


def correct_name(source: SourceText | None, layer: Layer, why: NoOp) -> Fix | None:
    """A fix that writes the intended name of an op or an opset."""
    if why.right is None or source is None or not source.as_stored:
        return None
    name, text = why.right
    return fix(f"write the {name} {text}", [with_attribute(source, layer.at, name, text)])


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
    return model.with_graph(_graph(model.graph, inferred, anew=False))


def _graph(graph: LayerGraph, inferred: Inferred, *, anew: bool) -> LayerGraph:
    return replace(graph, layers=[_layer(layer, inferred, anew=anew) for layer in graph.layers])


def _layer(layer: Layer, inferred: Inferred, *, anew: bool) -> Layer:
    facts = inferred.layers.get(layer.id)
    if facts is None:
        return layer
    outputs = [] if layer.kind is LayerKind.RESULT else facts.outputs
    data = layer.data
    if anew and layer.kind is LayerKind.PARAMETER:
        data = {**data, "shape": format_value(outputs[0].shape.unnamed())}
    return replace(
        layer,
        data=data,
        inputs=_ports(layer.inputs, facts.inputs, anew=anew),
        outputs=_ports(layer.outputs, outputs, anew=anew),
        bodies={
            name: redeclared(body, facts.bodies.get(name), anew=anew) for name, body in layer.bodies.items()
        },
    )


def redeclared(body: Body, inferred: Inferred | None, *, anew: bool = True) -> Body:
    """A body with what is inferred of it. anew: in place of what its Parameters and ports declare"""
    return body if inferred is None else replace(body, graph=_graph(body.graph, inferred, anew=anew))


def _ports(ports: Sequence[Port], facts: Sequence[Fact | None], *, anew: bool) -> list[Port]:
    return [
        port
        if fact is None or not (anew or _undeclared(port))
        else replace(port, precision=fact.element_type.precision, dims=declared_dims(fact))
        for port, fact in zip_longest(ports, facts[: len(ports)])
    ]


def _undeclared(port: Port) -> bool:
    return port.at < 0 and port.precision is None and not port.dims
