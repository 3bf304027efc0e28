"""A graph under construction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irops.dialects.graiphic.model import model_of
from irops.dialects.graiphic.names import Names
from irops.dialects.graiphic.node import Node, Switched, Wire, added, refuse
from irops.ir.model import Model
from irops.values.element import Array, element_type_of
from irops.values.element import element_type as element_type_named
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.tensors import as_tensor

OPSET = 22
BATCH_AXIS, TIME_AXIS = Switched(1), Switched(0)
"""What the panels of ReverseSequence show at first."""


class Graph:
    """Nodes that add themselves. Nodes that Graiphic's dialect does not define are those of an opset of ONNX,
    which it builds on.

    Each is held to its definition when it is added: what is wrong is a DiagnosticError, and nothing is added.
    """

    def __init__(self, name: str = "graph", *, opset: int = OPSET) -> None:
        self.name, self.opset = name, opset
        self.nodes: list[Node] = []
        self.values: dict[Node, Array] = {}
        self.results: list[tuple[Wire, str | None]] = []
        self.names = Names()
        self._merged_into: Graph | None = None

    def input(self, name: str, element_type: str, shape: str | Sequence[int | str | None]) -> Wire:
        """An input of the graph. shape: "?,3,8", or its sizes; a negative one or None is not known, a word
        names one.
        """
        text = (
            shape if isinstance(shape, str) else ",".join("?" if _open(size) else str(size) for size in shape)
        )
        try:
            fact = Fact(element_type_named(element_type, foreign=True), Shape.parse(text, symbols=True))
        except ValueError as error:
            raise refuse("invalid-input-shape", f"input {name!r}: {error}", name) from None
        data = {"shape": text, "element_type": element_type}
        return self._anchor(Node("Parameter", self.version, data, (), [fact], name, [name]))

    def constant(self, value: Any, name: str | None = None) -> Wire:
        """A tensor that does not change from run to run, but by training."""
        array = as_tensor(value)
        wire = self._anchor(
            Node(
                "Const",
                self.version,
                {},
                (),
                [Fact(element_type_of(array), Shape(array.shape), array)],
                name,
                [name],
            )
        )
        self.values[wire.node] = array
        return wire

    def node(
        self,
        type: str,
        *graphs_in: Wire,
        name: str | None = None,
        specified_outputs_name: Sequence[str] = (),
        **parameters: Any,
    ) -> Wire:
        """Add a node, and give its output.

        parameters: by the names of the definition (lda_coeff of lda coeff), as values or Switched
        Raises:  DiagnosticError
        """
        for wire in graphs_in:
            self._hold_to_wires(wire, f"an input of {name or type}")
        top = self.merged
        node = added(type, top.opset, graphs_in, parameters, name)
        top.names.take(node, specified_outputs_name)
        top.nodes.append(node)
        return Wire(self, node)

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

    def predict(self, wire: Wire, name: str | None = None) -> None:
        """Make a tensor a result of the graph, under a name of its own or else the tensor's."""
        self._hold_to_wires(wire, f"the result {name or ''}".rstrip())
        top = self.merged
        top.names.result(name)
        top.results.append((wire, name))

    def merge(self, *others: Graph) -> Graph:
        """Take over the nodes, inputs and results of other graphs; their wires lead on in this one.

        Raises:  DiagnosticError where names were given in both, or the graphs are of two opsets
        """
        for other in others:
            mine, theirs = self.merged, other.merged
            if mine is theirs:
                continue
            if mine.opset != theirs.opset:
                raise refuse(
                    "incompatible-opsets",
                    f"a graph of opset {theirs.opset} cannot be merged into one of opset {mine.opset}",
                )
            mine.names.take_over(theirs.names)
            mine.nodes.extend(theirs.nodes)
            mine.values.update(theirs.values)
            mine.results.extend(theirs.results)
            theirs._merged_into = mine
        return self

    @property
    def merged(self) -> Graph:
        """The graph that this one has become part of; itself, where it has not."""
        graph = self
        while graph._merged_into is not None:
            graph = graph._merged_into
        return graph

    @property
    def version(self) -> str:
        return f"onnx:{self.merged.opset}"

    def model(self) -> Model:
        """The graph as a model, to be checked, inferred, run, trained, written.

        Raises:  DiagnosticError where it has no result
        """
        return model_of(self.merged)

    def _hold_to_wires(self, wire: Wire, what: str) -> None:
        if not isinstance(wire, Wire):
            raise TypeError(f"{what} is {wire!r}, must be a Wire; tensors enter a graph by constant")
        if wire.graph.merged is not self.merged:
            raise refuse("cross-graph-connection", f"{what} comes from another graph; merge the two first")

    def _anchor(self, node: Node) -> Wire:
        top = self.merged
        top.names.take(node, [name for name in node.outputs if name is not None])
        top.nodes.append(node)
        return Wire(self, node)


def _open(size: int | str | None) -> bool:
    return size is None or (isinstance(size, int) and size < 0)
