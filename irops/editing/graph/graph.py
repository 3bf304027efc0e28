"""irops.Graph: a model that is built and changed node by node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from irops.analysis.structure import LayerNode, declared_variables
from irops.diagnostics.printable import plural, shortened
from irops.dialects import dialects
from irops.editing.graph.base import Base, Ops, Origin
from irops.editing.graph.nesting import Nesting, layers_of
from irops.editing.graph.node import Node, Value, refuse
from irops.editing.graph.operands import own
from irops.html_table import html_table
from irops.ir.model import Layer, LayerKind, Model
from irops.limits import Limits
from irops.registry import Registry, default_registry
from irops.spec.attributes import format_value
from irops.spec.releases import OPSETS
from irops.values.element import DYNAMIC, element_type
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape, ShapeLike

NEWEST = len(OPSETS)


class Graph(Nesting):
    """A model that is built or changed node by node; what is known of each tensor is inferred at once.

    Graph("name") starts an empty one, Graph(model) changes a copy of a model, which itself stays as it is;
    path: the layers and bodies down to the graph to change, ("loop", "body"). model() gives the result.

    opset: of g.ops, the newest by default; registry: where ops are looked up, custom ones included.
    Raises:  DiagnosticError, at the caller's line, for a call that breaks a requirement of an op or names
        what does not exist; the graph is then as it was
    """

    def __init__(
        self,
        name: str | Model = "model",
        *,
        path: Sequence[str] = (),
        opset: int = NEWEST,
        registry: Registry | None = None,
        limits: Limits | None = None,
    ) -> None:
        if not 1 <= opset <= NEWEST:
            raise ValueError(f"opset is {opset}, must be 1 to {NEWEST}")
        registry, limits = registry or default_registry(), limits or Limits()
        if isinstance(name, Model):
            origin = Origin.of(name, tuple(path), registry, limits)
        elif path:
            raise ValueError("path is given without a model; it leads to a body in a model")
        elif any(name.lower().endswith(dialect.suffixes) for dialect in dialects()):
            raise ValueError(f"{name!r} would be the name of a graph; Graph(read({name!r})) changes a model")
        else:
            origin = Origin.empty(name)
        super().__init__(origin, registry, limits, opset)
        self.name = origin.base.name
        self.ops = Ops(self)
        if origin.graph is not None:
            fill(self)

    def __repr__(self) -> str:
        return f"<Graph {shortened(self.name)!r}: {plural(len(self), 'node')}>"

    def _repr_html_(self) -> str:
        """What notebooks show: the nodes in topological order, with their inputs and what is inferred."""
        rows = (
            (
                node.name,
                node.type,
                ", ".join("" if source is None else source.node.name for source in node.sources),
                ", ".join(map(str, node.outputs)),
            )
            for node in self
        )
        return html_table(repr(self)[1:-1], ("node", "op", "inputs", "outputs"), rows)

    # building

    def parameter(
        self,
        name: str,
        tensor: str | Fact,
        shape: ShapeLike | None = None,
    ) -> Value:
        """Add an input of the model: parameter("image", "f32[N,3,224,224]") or ("image", "f32", (1, 3)).

        tensor: the element type, and the shape in brackets unless it is given apart. In a shape ? or None is
        an unknown size, 1..8 an interval, a word a symbol: equal words are equal sizes. Without a shape, the
        rank is unknown.
        """
        fact = self._declared(name, tensor, shape)
        self.require_free(name)
        data = {
            "shape": format_value(fact.shape.unnamed()),
            "element_type": str(fact.element_type),
        }
        with self.change():
            node = self._created(self.op("Parameter-1"), name, data)
            node.facts, node.tensor_names = [fact], [(name,)]
            self._finish(node, 1)
        return node.outputs[0]

    def _declared(self, name: str, tensor: str | Fact, shape: ShapeLike | None) -> Fact:
        if isinstance(tensor, Fact):
            return tensor
        kind, bracket, inside = tensor.partition("[")
        try:
            if bracket and (shape is not None or not inside.endswith("]")):
                raise ValueError(f"{tensor!r} is not an element type with a shape in brackets")
            if shape is None:
                shape = bracket + inside if bracket else UNRANKED
            return Fact(element_type(kind.strip()), Shape.like(shape))
        except ValueError as error:
            raise refuse("invalid-input-shape", f"input {name!r}: {error}", name) from None

    def result(self, value: Value, name: str | None = None) -> Node:
        """Add an output of the model. name: of the tensor, by which runtimes and irops.run know it"""
        source = own(self, value, f"the result {name or ''}".rstrip(), name)
        label = name or self.unique("Result", number=True)
        if name is not None and self.has_name(name):
            label = self.unique(f"{name}/result")
        with self.change():
            node = self._created(self.op("Result-1"), label, {})
            if name is not None:
                self._name_tensor(source, name)
                if source.node.kind is not LayerKind.PARAMETER:  # OpenVINO would rename the input
                    node.output_names = (name,)
            self.connect(node, 0, source)
            self._finish(node, 0)
        return node

    def _name_tensor(self, value: Value, name: str) -> None:
        """Give a tensor one more name. Raises: DiagnosticError where another tensor has it"""
        other = next((o for node in self.order for o in node.outputs if name in o.names), None)
        if other is not None and other is not value:
            raise refuse("duplicate-name", f"the name {name!r} is given to a second tensor", name)
        if other is None:
            names = [*value.node.tensor_names]
            names[value.index] = (*names[value.index], name)
            self.set(value.node, "tensor_names", names)

    def add_result(self, value: Value, name: str | None = None) -> Node:
        """The same as result: let the model give one more value."""
        return self.result(value, name)

    # looking up

    def __getitem__(self, name: str) -> Node:
        """The node of a name; KeyError, with a suggestion, if there is none."""
        return self.find_by_name(name)

    def __contains__(self, item: object) -> bool:
        if isinstance(item, str):
            return self.has_name(item)
        return isinstance(item, Node) and item.graph is self and not item.removed

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[Node]:
        """The nodes in topological order: each after those whose outputs it uses."""
        return iter(self.topological())

    @property
    def inputs(self) -> tuple[Value, ...]:
        """The outputs of the graph's Parameters, in order."""
        return tuple(node.outputs[0] for node in self.order if node.kind is LayerKind.PARAMETER)

    @property
    def results(self) -> tuple[Value, ...]:
        """The values that the graph's Results give, in order."""
        found = (node.sources[0] for node in self.order if node.kind is LayerKind.RESULT and node.sources)
        return tuple(value for value in found if value is not None)

    # the result

    def model(self) -> Model:
        """The graph as a model, to be checked, run, written; further changes of the graph do not affect it.

        Layers, edges, attributes and texts that no change concerns are those of the model that the graph was
        made from. Raises: DiagnosticError where the graph has no result
        """
        if not any(node.kind in (LayerKind.RESULT, LayerKind.SINK) for node in self.order):
            raise refuse(
                "graph-without-result", f"the graph {self.name!r} has no result; add one with result"
            )
        return self.origin.model_with(layers_of(self.order, self.origin.layers), self.name)


# The nodes of a graph that is made from a model.


def fill(graph: Base) -> None:
    """Add the nodes of the model that a graph is made from."""
    origin = graph.origin
    if origin.graph is None:
        return
    graph.facts.variables.update(declared_variables(origin.base))
    nodes: dict[int, Node] = {}
    for layer in origin.graph.graph.layers:
        nodes[layer.id] = _node(graph, layer, origin.graph.layers[layer.id])
    for rank, layer_node in enumerate(origin.graph.order):
        nodes[layer_node.layer.id].rank = float(rank)
    for layer in origin.graph.graph.layers:
        node = nodes[layer.id]
        for source in origin.graph.wiring.inputs[layer.id]:
            value = None if source is None else nodes[source[0].id].outputs[source[1]]
            graph.connect(node, len(node.sources), value)
        node.first_sources = list(node.sources)
        node.first_inputs = node.input_facts


def _node(graph: Base, layer: Layer, known: LayerNode) -> Node:
    origin = graph.origin
    node = Node(graph, layer.type, layer.version, layer.name, layer.data)
    node.layer, node.invocation = layer, known.invocation
    node.bodies, node.output_names = layer.bodies, layer.output_names
    node.outputs = tuple(Value(node, index) for index in range(len(layer.outputs)))
    node.consumers = [{} for _ in layer.outputs]
    node.tensor_names = [port.names for port in layer.outputs]
    facts = None if origin.inferred is None else origin.inferred.of(layer.id)
    node.failed = facts is None or facts.failed
    outputs = [] if facts is None else facts.outputs
    node.facts = [
        outputs[index] if index < len(outputs) else Fact(DYNAMIC) for index in range(len(layer.outputs))
    ]
    node.first_facts = list(node.facts)
    graph.insert(node)
    return node
