"""What is known of the outputs of nodes: inferred as a graph is built, and again where a change reaches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from heapq import heappop, heappush
from typing import Any

from irops.analysis.inference import Inference, SizeNames
from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.model_analysis import ModelAnalysis
from irops.diagnostics.diagnostic import DiagnosticError
from irops.diagnostics.rule import Severity
from irops.editing.graph.faults import caller, refuse, refuse_fault
from irops.editing.graph.node import Node, Value
from irops.editing.graph.origin import declaration, redeclared_body
from irops.editing.graph.store import NodeStore
from irops.files.limits import Limits
from irops.ir.model import Edge, Graph, Layer, LayerKind, Model, Port
from irops.ir.storage import Weights
from irops.ops.folding import ValueBudget, attach_values
from irops.ops.invocation import Invocation, OpFault, fault_of, fault_of_limit
from irops.registry import Registry
from irops.values.dim import GENERATED_PREFIX
from irops.values.element import DYNAMIC
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import LimitExceeded, collect_warnings


class Facts:
    """Infers nodes one by one.

    serial: makes names of sizes that no other graph has; variables: what ReadValue layers declare, by id
    """

    def __init__(self, registry: Registry, limits: Limits, serial: int) -> None:
        self.registry, self.limits = registry, limits
        self.budget = ValueBudget(limits.folded_bytes)
        self.variables: dict[str, Fact] = {}
        self._prefix = f"{GENERATED_PREFIX}{serial}."
        self._inner_names = SizeNames(f"{serial}.body.")

    def of(self, node: Node, inputs: Sequence[Fact | None], weights: Weights | None, key: int) -> list[Fact]:
        """The Facts of a node's outputs. key: of the node, which keeps the names of its sizes the same

        Raises:  DiagnosticError where a requirement of the op is broken
        """
        invocation = node.invocation
        assert invocation is not None
        if node.bodies:
            outputs = self._of_bodies(node, inputs, weights)
        else:
            outputs = self._of_op(node, invocation, inputs)
        named = self._named(outputs, key)
        return attach_values(invocation, inputs, named, self.limits.folded_elements, self.budget)

    def _of_op(self, node: Node, invocation: Invocation, inputs: Sequence[Fact | None]) -> list[Fact]:
        op = invocation.op
        extras: dict[str, Any] = {"output_count": len(node.outputs)}
        if op.definition.stateful:
            extras["variables"] = self.variables
        try:
            with collect_warnings() as warnings:
                outputs = list(invocation.infer(inputs, extras))
            for warning in warnings:
                if op.definition.constraints[warning.constraint].severity is Severity.ERROR:
                    raise fault_of(op, warning)
        except OpFault as fault:
            raise refuse_fault(op, fault, node.name, list(inputs), dict(node.data)) from None
        except LimitExceeded as limit:
            raise refuse_fault(op, fault_of_limit(limit), node.name, list(inputs), dict(node.data)) from None
        return outputs

    def of_bodies(
        self, node: Node, inputs: Sequence[Fact | None], weights: Weights | None
    ) -> Mapping[str, Inferred]:
        """What is inferred of the bodies of a node, by name. Raises: DiagnosticError, as of does"""
        return self._alone(node, inputs, weights).bodies

    def _of_bodies(self, node: Node, inputs: Sequence[Fact | None], weights: Weights | None) -> list[Fact]:
        return list(self._alone(node, inputs, weights).outputs)

    def _alone(self, node: Node, inputs: Sequence[Fact | None], weights: Weights | None) -> LayerFacts:
        """What is inferred of a node with bodies in a model that holds it alone."""
        layer = Layer(0, node.name, node.type, node.version, dict(node.data), bodies=node.bodies)
        layers, edges = [layer], []
        overrides: dict[str | int, Any] = {}
        for index, fact in enumerate(inputs):
            layer.inputs.append(Port(index, absent=fact is None))
            if fact is not None:
                overrides[len(overrides)] = fact
                data = {"element_type": "dynamic", "shape": "..."}
                parameter = Layer(len(layers), f"input {index}", "Parameter", "opset1", data)
                parameter.outputs.append(Port(0))
                layers.append(parameter)
                edges.append(Edge(parameter.id, 0, 0, index))
        count = len(node.outputs)
        layer.outputs = [Port(len(inputs) + index) for index in range(count)]
        model = Model(graph=Graph(layers, edges), weights=weights)
        analysis = ModelAnalysis(model, self.registry, self.limits)
        inference = Inference(analysis, self._inner_names)
        inferred = inference.graph(analysis.root, analysis.signature.facts(overrides))
        inferred.structural = analysis.structural_findings
        if inferred.errors:
            place = caller(node.name)
            raise DiagnosticError([replace(error, location=place) for error in inferred.errors])
        return inferred.of(0)

    def _named(self, outputs: Sequence[Fact], key: int) -> list[Fact]:
        """The Facts, each size without a symbol under a name that stays the same when they are inferred
        again.
        """
        return [self._with_names(fact, f"{self._prefix}{key}.{index}") for index, fact in enumerate(outputs)]

    def _with_names(self, fact: Fact, stem: str) -> Fact:
        if fact.shape.dims is None or fact.shape.static:
            return fact
        dims = [
            dim if dim.known or dim.symbol is not None else dim.named(f"{stem}.{axis}")
            for axis, dim in enumerate(fact.shape)
        ]
        return fact.with_shape(Shape(dims))


class Propagation:
    """Infers nodes of a store again, as far as a change reaches."""

    def __init__(self, store: NodeStore, facts: Facts, weights: Weights) -> None:
        self.store, self.facts, self.weights = store, facts, weights
        self._broken: dict[Node, None] | None = None
        """Within checked_together: the nodes of which a requirement is broken for now."""
        self._redeclared: frozenset[Node] = frozenset()
        """The nodes whose bodies declare what follows from other inputs than those of the model."""

    @contextmanager
    def checked_together(self) -> Iterator[None]:
        """Check what the changes of the block concern at its end; see Graph.changes."""
        if self._broken is not None:  # the outer block checks
            with self.store.change():
                yield
            return
        self._broken = {}
        try:
            with self.store.change():
                yield
                broken, self._broken = self._broken, None
                left = [node for node in broken if not node.removed]
                for node in left:
                    self.store.set(node, "failed", False)
                self.follow(left)
        finally:
            self._broken = None

    def follow(self, nodes: Iterable[Node]) -> None:
        """Infer nodes again, and all whose inputs have other facts than before.

        Raises:  DiagnosticError where a requirement is broken that was met before
        """
        ahead: list[tuple[float, int, Node]] = []
        waiting: set[Node] = set()

        def wait(node: Node) -> None:
            if node not in waiting:
                waiting.add(node)
                heappush(ahead, (node.rank, node.key, node))

        for node in nodes:
            wait(node)
        while ahead:
            node = heappop(ahead)[2]
            waiting.discard(node)
            for index in self._infer_again(node):
                for user, _ in node.consumers[index]:
                    wait(user)

    def _infer_again(self, node: Node) -> list[int]:
        """Infer one node; the outputs with other facts than before."""
        if node.invocation is None or node.kind in (LayerKind.PARAMETER, LayerKind.CONSTANT):
            return []
        try:
            facts = self.facts.of(node, node.input_facts, self.weights, node.key)
        except DiagnosticError:
            if not node.failed:
                if self._broken is None:
                    raise
                self._broken[node] = None
                self.store.set(node, "failed", True)
            facts = unknown(len(node.outputs))
        else:
            self.store.set(node, "failed", False)
            if node.bodies:
                self._redeclare_bodies(node)
        if node.kind is LayerKind.RESULT:
            return []
        if len(facts) != len(node.outputs):
            self._resize(node, len(facts))
        changed = [
            index
            for index, fact in enumerate(facts)
            if index >= len(node.facts) or not same(node.facts[index], fact)
        ]
        self.store.set(node, "facts", facts)
        return changed

    def _redeclare_bodies(self, node: Node) -> None:
        """Let the ports and Parameters in bodies declare what follows from other inputs of their node."""
        is_other = [*map(declaration, node.first_inputs)] != [*map(declaration, node.input_facts)]
        if is_other or node in self._redeclared:
            inferred = self.facts.of_bodies(node, node.input_facts, self.weights)
            bodies = {
                name: redeclared_body(body, inferred[name]) if name in inferred else body
                for name, body in node.bodies.items()
            }
            self._redeclared |= {node}
            self.store.set(node, "bodies", bodies)

    def _resize(self, node: Node, count: int) -> None:
        """Give a node another number of outputs. Raises: DiagnosticError where one too many is used"""
        lost = [output for output in node.outputs[count:] if node.consumers[output.index]]
        if lost:
            user = lost[0].users[0]
            message = f"{node} has {count} outputs, but {user} uses its output {lost[0].index}"
            raise refuse("unusable-node", message, node.name)
        outputs = [*node.outputs[:count]]
        outputs += [Value(node, index) for index in range(len(outputs), count)]
        empty: list[Any] = [{} for _ in range(count - len(node.outputs))]
        self.store.set(node, "consumers", [*node.consumers[:count], *empty])
        names = [*node.tensor_names[:count], *[()] * (count - len(node.outputs))]
        self.store.set(node, "tensor_names", names)
        self.store.set(node, "outputs", tuple(outputs))

    def take_over(self, old: Value, new: Value) -> None:
        """Let the users of a value use another, which takes its name where a result is known by it."""
        users = self.store.redirect(old, new, but=new.node)
        if any(user.kind is LayerKind.RESULT for user in users):
            self.move_names(old, new)
        self.follow(users)

    def move_names(self, old: Value, new: Value) -> None:
        for value, names in ((new, (*new.names, *old.names)), (old, ())):
            changed = [*value.node.tensor_names]
            changed[value.index] = tuple(names)
            self.store.set(value.node, "tensor_names", changed)


def same(before: Fact, after: Fact) -> bool:
    """Whether nothing that follows from one Fact is different for the other."""
    return (
        before.element_type is after.element_type
        and before.shape == after.shape
        and [dim.symbol for dim in before.shape.dims or ()] == [dim.symbol for dim in after.shape.dims or ()]
        and not before.may_have_value
        and not after.may_have_value
    )


def unknown(count: int) -> list[Fact]:
    """Outputs of which nothing is known."""
    return [Fact(DYNAMIC) for _ in range(count)]
