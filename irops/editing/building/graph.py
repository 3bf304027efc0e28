"""A graph under construction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irops.editing.building.content import Content, Node, Wire
from irops.editing.building.model import model_of
from irops.editing.building.node import added
from irops.editing.building.refusal import refuse
from irops.ir.model import Model
from irops.values.element import element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.tensors import as_tensor


class Graph(Content):
    """Nodes that add themselves: of a dialect and, where it extends another, of an opset of that.

    Each is validated against its definition when it is added: what is wrong is a DiagnosticError, and nothing
    is added.
    """

    def input(self, name: str, element_type: str, shape: str | Sequence[int | str | None]) -> Wire:
        """An input of the graph. shape: "?,3,8", or its sizes; a negative one or None is not known, a word
        names one.
        """
        text = (
            shape if isinstance(shape, str) else ",".join("?" if _open(size) else str(size) for size in shape)
        )
        try:
            fact = Fact(self.dialect.element_type(element_type), self.dialect.parse_shape(text))
        except ValueError as error:
            raise refuse("invalid-input-shape", f"input {name!r}: {error}", name) from None
        data = {"shape": text, "element_type": element_type}
        return self._anchor(Node("Parameter", self.version_of("Parameter"), data, (), [fact], name, [name]))

    def constant(self, value: Any, name: str | None = None) -> Wire:
        """A constant tensor, which only training changes."""
        array = as_tensor(value)
        wire = self._anchor(
            Node(
                "Const",
                self.version_of("Const"),
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
        node = added(type, self.version_of(type), graphs_in, parameters, name)
        top.names.take(node, specified_outputs_name)
        top.nodes.append(node)
        return Wire(self, node)

    def predict(self, wire: Wire, name: str | None = None) -> None:
        """Mark a tensor as a result of the graph, with an explicit name or that of the tensor."""
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
            theirs.merged_into = mine
        return self

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
