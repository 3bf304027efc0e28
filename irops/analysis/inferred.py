"""The result of inference."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from irops.analysis.invocation import Invocation
from irops.diagnostics.diagnostic import Diagnostic, Severity, errors_of, in_document_order
from irops.diagnostics.html_table import html_table
from irops.ir.model import Layer, Port
from irops.ir.names import LayerNames
from irops.spec.op import Op
from irops.values.dim import ANY
from irops.values.element import DYNAMIC, ElementType, element_type_of_precision
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape


def declared_outputs(layer: Layer, inputs: Sequence[Fact | None]) -> list[Fact]:
    """The outputs as declared by the ports; only their types, if the inputs contradict the declarations.

    A port without dimensions is a scalar or has an unknown rank: files do not distinguish the two.
    """
    pairs = zip(inputs, layer.inputs)
    as_written = all(fact is None or not port.dims or fact.shape.can_be(_shape(port)) for fact, port in pairs)
    return [Fact(declared_type(port), _shape(port) if as_written else UNRANKED) for port in layer.outputs]


def _shape(port: Port) -> Shape:
    return Shape(ANY if dim == -1 else dim for dim in port.dims) if port.dims else UNRANKED


def declared_type(port: Port) -> ElementType:
    """The element type that a port declares; dynamic where there is no such type."""
    try:
        return element_type_of_precision(port.precision or "")
    except ValueError:
        return DYNAMIC


NOT_INFERRED: Mapping[str, Any] = MappingProxyType({})
"""The bodies of a layer that has none: one object for all of them."""


@dataclass(slots=True)
class LayerFacts:
    """A layer, inferred: its op and invocation (None if it has none), inputs and outputs.

    bodies: by name, as they were inferred last; failed: a fault keeps the outputs from being inferred. Equal
    layers may share the sequences of Facts.
    """

    layer: Layer
    op: Op | None = None
    invocation: Invocation | None = None
    inputs: Sequence[Fact | None] = ()
    outputs: Sequence[Fact] = ()
    bodies: "Mapping[str, Inferred]" = field(default_factory=lambda: NOT_INFERRED)
    failed: bool = False

    @property
    def attributes(self) -> Mapping[str, object]:
        """The attribute values by name; none where the layer has no op."""
        return {} if self.invocation is None else self.invocation.attributes


class Inferred(Mapping[tuple[int | str, int], Fact]):
    """The Facts of a graph: inferred[layer name or id, output index] -> Fact, or inferred[name] of a tensor,
    of a layer with one output, or of an output: "split:1". Of equal names, the first counts.

    of(layer) gives all that was inferred of a layer, bodies included; diagnostics gives what is wrong.
    """

    def __init__(self, path: tuple[str, ...] = ()) -> None:
        self.path = path
        """The layers and bodies down to the graph."""
        self.layers: dict[int, LayerFacts] = {}
        self.with_bodies: list[LayerFacts] = []
        """The layers of which a body was inferred."""
        self._names: tuple[int, LayerNames[Layer]] = 0, LayerNames(())
        self.findings: list[Diagnostic] = []
        """The findings of inference on this graph, without bodies."""
        self.structural: tuple[Diagnostic, ...] = ()
        """The findings that hold whatever the shapes are."""

    def add(self, facts: LayerFacts) -> None:
        self.layers[facts.layer.id] = facts
        if facts.bodies:
            self.with_bodies.append(facts)

    @property
    def bodies(self) -> "Iterator[Inferred]":
        """The bodies of the layers, as they were inferred last."""
        for facts in self.with_bodies:
            yield from facts.bodies.values()

    @property
    def names(self) -> LayerNames[Layer]:
        """The layers by what they are called."""
        if self._names[0] != len(self.layers):
            named = LayerNames((number, facts.layer) for number, facts in self.layers.items())
            self._names = len(self.layers), named
        return self._names[1]

    def of(self, layer: int | str) -> LayerFacts:
        """All that is known of a layer, by id or name; KeyError, with a suggestion, if there is none."""
        if isinstance(layer, int) and layer in self.layers:
            return self.layers[layer]
        return self.layers[self.names.one(layer)[0].id]

    def __getitem__(self, key: tuple[int | str, int] | int | str) -> Fact:
        if isinstance(key, int | str):
            found, index = self.names.one(key)
            if index is not None:
                return self[found.id, index]
            facts = self.of(found.id).outputs
            if len(facts) != 1:
                raise KeyError(f"layer {key!r} has {len(facts)} outputs; inferred[{key!r}, 0] is the first")
            return facts[0]
        if not isinstance(key, tuple) or len(key) != 2:
            raise KeyError(f"{key!r} is no layer and output: inferred[layer name or id, output index]")
        layer, place = key
        outputs = self.of(layer).outputs
        if not 0 <= place < len(outputs):
            raise KeyError(f"layer {layer!r} has no output {place}; it has {len(outputs)}")
        return outputs[place]

    def __iter__(self) -> Iterator[tuple[int | str, int]]:
        for number, facts in self.layers.items():
            for index in range(len(facts.outputs)):
                yield number, index

    def __len__(self) -> int:
        return sum(len(facts.outputs) for facts in self.layers.values())

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All findings in document order, bodies included."""
        return in_document_order((*self.structural, *self.all_findings()))

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that are errors."""
        return errors_of(self.diagnostics)

    @property
    def has_errors(self) -> bool:
        """Whether inference itself reports an error in this graph or in its bodies."""
        return any(d.severity is Severity.ERROR for d in self.all_findings())

    def walk(self) -> "Iterator[Inferred]":
        """This graph and its bodies, with the bodies in these."""
        ahead = [self]
        while ahead:
            here = ahead.pop()
            yield here
            ahead.extend(here.bodies)

    def all_findings(self) -> Iterator[Diagnostic]:
        """The findings of inference, bodies included."""
        return (finding for here in self.walk() for finding in here.findings)

    def __repr__(self) -> str:
        return f"<Inferred {len(self.layers)} layers, {len(self.errors)} errors>"

    def _repr_html_(self) -> str:
        """A table for notebooks: type and shape of every output of this graph, and the findings."""
        rows: list[tuple[str, str, str]] = []
        for facts in self.layers.values():
            op = facts.op.id if facts.op is not None else facts.layer.type
            for index, fact in enumerate(facts.outputs):
                name = facts.layer.name if len(facts.outputs) == 1 else f"{facts.layer.name}:{index}"
                rows.append((name, op, fact.spelled))
        found = [(d.code, str(d.location), d.message) for d in self.diagnostics]
        wrong = html_table("diagnostics", ("rule", "place", "message"), found) if found else ""
        return html_table(repr(self)[1:-1], ("output", "op", "type and shape"), rows) + wrong
