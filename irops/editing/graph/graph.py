"""irops.Graph: a model that is built and changed node by node, and given as a model."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, cast

from irops.analysis.structure import LayerNode, declared_variables
from irops.diagnostics.diagnostic import DiagnosticError
from irops.diagnostics.html_table import html_table
from irops.diagnostics.printable import plural, shortened
from irops.diagnostics.suggestions import did_you_mean
from irops.dialects import dialects
from irops.dialects.registry import Registry, default_registry
from irops.editing.graph.base import Base, Ops, Origin, array_of, own
from irops.editing.graph.bodies import (
    Carried,
    Inflow,
    Purposes,
    Sliced,
    Stacked,
    conditional_bodies,
    layers_of,
    loop_body,
)
from irops.editing.graph.node import Node, Value, refuse, same, unknown
from irops.environment import MissingExtraError, naming_arguments
from irops.files.limits import Limits
from irops.ir.model import Layer, LayerKind, Model
from irops.spec.attributes import format_value
from irops.spec.body import Cut
from irops.spec.op import Op
from irops.spec.releases import opsets
from irops.values.arrays import fact_of
from irops.values.element import DYNAMIC, TypeLike, element_type_like
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape, ShapeLike

if TYPE_CHECKING:
    from irops.editing.graph.ops import Ops as TypedOps  # a stub: the inputs and attributes of each op

MAX_DRAWN = 300
"""How many nodes a graph has at most that notebooks draw."""
INTERNAL = {name for name in vars(Base) if not name.startswith("__")} - {
    "add",
    "changes",
    "constant",
    "rename",
}
INTERNAL |= {"drop_unused", "facts", "follow", "move_names", "order", "origin", "spelled"}
INTERNAL |= {"take_over", "topological"}
"""Names that modules of irops use, and dir(graph) does not list."""


def _op_of(node: Node) -> Op:
    """The op of a node. Raises: DiagnosticError where irops has no definition of it"""
    if node.op is None:
        raise refuse("undefined-op", f"irops has no definition of {node}", node.name)
    return node.op


def _listed(names: Iterable[str]) -> list[str]:
    return [name for name in names if name not in INTERNAL and (name[0] != "_" or name[:2] == "__")]


class _GraphType(type):
    """The type of Graph, whose dir lists what users call."""

    def __dir__(cls) -> list[str]:
        return _listed(super().__dir__())


class Graph(Base, metaclass=_GraphType):
    """A model that is built or changed node by node; what is known of each tensor is inferred at once.

    Graph("name") starts an empty one, Graph(model) changes a copy of a model or graph, which stays as it is;
    path: the layers and bodies down to the graph to change, ("loop", "body"). model() gives the result.

    opset: of g.ops, the newest by default; registry: where ops are looked up, custom ones included.
    Raises:  DiagnosticError, at the caller's line, for a call that breaks a requirement of an op or names
        what does not exist; the graph is then as it was
    """

    @naming_arguments
    def __init__(
        self,
        name: str | Model | Graph = "model",
        *,
        path: Sequence[str] = (),
        opset: int | None = None,
        registry: Registry | None = None,
        limits: Limits | None = None,
    ) -> None:
        newest = len(opsets().names)
        opset = newest if opset is None else opset
        if not 1 <= opset <= newest:
            raise ValueError(f"opset is {opset}, must be 1 to {newest}")
        if isinstance(name, Base):
            registry, limits, name = registry or name.registry, limits or name.limits, name.model()
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
        self.ops = cast("TypedOps", Ops(self))
        if origin.graph is not None:
            fill(self)

    def __repr__(self) -> str:
        return f"<Graph {shortened(self.name)!r}: {plural(len(self), 'node')}>"

    def _repr_html_(self) -> str:
        """A picture for notebooks, where irops[draw] is installed and the graph has a result and is not too
        large, and a table: the nodes in topological order, with their inputs and what is inferred.
        """
        picture = ""
        if self.results and len(self) <= MAX_DRAWN:
            with suppress(DiagnosticError, MissingExtraError):
                picture = sys.modules["irops"].draw(self).svg  # drawing imports what is here
        rows = (
            (
                node.name,
                node.type,
                ", ".join("" if source is None else source.node.name for source in node.sources),
                ", ".join(map(str, node.outputs)),
            )
            for node in self
        )
        return picture + html_table(repr(self)[1:-1], ("node", "op", "inputs", "outputs"), rows)

    # building

    def parameter(self, name: str, tensor: TypeLike | Fact, shape: ShapeLike | None = None) -> Value:
        """Add an input of the model: parameter("image", "f32[N,3,224,224]") or ("image", np.float32, (1, 3)).

        tensor: the element type, and in a text the shape in brackets unless it is given apart. In a shape ?
        or None is an unknown size, 1..8 an interval, a word a symbol: equal words are equal sizes. Without a
        shape, the rank is unknown.
        """
        fact = self._declared(name, tensor, shape)
        self.require_free(name)
        data = {"shape": format_value(fact.shape.unnamed()), "element_type": str(fact.element_type)}
        with self.changes():
            node = self._created(self.op("Parameter-1"), name, data)
            node.facts, node.tensor_names = [fact], [(name,)]
            self._finish(node, 1)
        return node.outputs[0]

    def _declared(self, name: str, tensor: TypeLike | Fact, shape: ShapeLike | None) -> Fact:
        if isinstance(tensor, Fact):
            return tensor
        kind, bracket, inside = tensor.partition("[") if isinstance(tensor, str) else (tensor, "", "")
        try:
            if bracket and (shape is not None or not inside.endswith("]")):
                raise ValueError(f"{tensor!r} is not an element type with a shape in brackets")
            if shape is None:
                shape = bracket + inside if bracket else UNRANKED
            return Fact(element_type_like(kind.strip() if isinstance(kind, str) else kind), Shape.like(shape))
        except ValueError as error:
            raise refuse("invalid-input-shape", f"input {name!r}: {error}", name) from None

    def result(self, value: Value, name: str | None = None) -> Node:
        """Add an output of the model. name: of the tensor, by which runtimes and irops.run know it"""
        source = own(self, value, f"the result {name or ''}".rstrip(), name)
        label = name or self.unique("Result", number=True)
        if name is not None and self.has_name(name):
            label = self.unique(f"{name}/result")
        with self.changes():
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
            self._set_tensor_names(value, (*value.names, name))

    def _set_tensor_names(self, value: Value, names: tuple[str, ...]) -> None:
        changed = [*value.node.tensor_names]
        changed[value.index] = names
        self.set(value.node, "tensor_names", changed)

    def add_result(self, value: Value, name: str | None = None) -> Node:
        """The same as result: let the model give one more value."""
        return self.result(value, name)

    # ops with bodies

    def If(  # noqa: N802
        self,
        condition: Any,
        then: Base,
        otherwise: Base,
        inputs: Mapping[str, Any] | None = None,
        *,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """Add an If: the results of one of two graphs, whichever the condition chooses.

        inputs: what flows into the Parameters of the graphs, by their names; one of a name that both have
        flows into both. The graphs give their results in the same order; they are copied.
        """
        op = self.newest("If")
        name = self.new_name(op, name)
        with self.changes():
            operands, bodies = conditional_bodies(self, then, otherwise, inputs or {}, name)
            return self.added(op, name, [condition, *operands], {}, bodies=bodies).outputs

    def Loop(  # noqa: N802
        self,
        body: Base,
        inputs: Mapping[str, Inflow],
        outputs: Sequence[str | Stacked],
        *,
        trip_count: Any = -1,
        condition: Any = True,
        iteration: str | None = None,
        continue_if: str | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """Add a Loop, which runs a graph repeatedly.

        inputs: what flows into the Parameters of the graph, by their names: a Value, the same in each
        iteration; sliced(value, axis=0), a part in each; carried(initial, "result"), what the iteration
        before gave. outputs: names of results, of which the last value flows out, or stacked("result",
        axis=0), the values of all iterations. trip_count: the most iterations, -1 for any number; condition:
        whether there is a first one; iteration: the Parameter that gets their number; continue_if: the result
        that says whether there is another, true by default
        """
        op = self.newest("Loop")
        name = self.new_name(op, name)
        with self.changes():
            purposes = Purposes(iteration, continue_if)
            operands, made = loop_body(self, body, 2, inputs, outputs, name, purposes)
            operands = [trip_count, condition, *operands]
            return self.added(op, name, operands, {}, bodies={"body": made}).outputs

    def TensorIterator(  # noqa: N802
        self,
        body: Base,
        inputs: Mapping[str, Inflow],
        outputs: Sequence[str | Stacked],
        *,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """Add a TensorIterator, which runs a graph once for each part of its sliced inputs; see Loop."""
        op = self.newest("TensorIterator")
        name = self.new_name(op, name)
        with self.changes():
            operands, made = loop_body(self, body, 0, inputs, outputs, name)
            return self.added(op, name, operands, {}, bodies={"body": made}).outputs

    @staticmethod
    def sliced(
        value: Any, axis: int = 0, *, start: int = 0, end: int = -1, stride: int = 1, part_size: int = 1
    ) -> Sliced:
        """An input of a body, part by part: part_size elements along axis from start to end in each
        iteration, backwards with a negative stride.
        """
        return Sliced(value, Cut(axis, start, end, stride, part_size))

    @staticmethod
    def carried(initial: Any, result: str) -> Carried:
        """An input of a body from its previous iteration: a result of it, at first the initial value."""
        return Carried(initial, result)

    @staticmethod
    def stacked(
        result: str, axis: int = 0, *, start: int = 0, end: int = -1, stride: int = 1, part_size: int = 1
    ) -> Stacked:
        """An output of a body: the values of a result in all iterations, concatenated along axis."""
        return Stacked(result, Cut(axis, start, end, stride, part_size))

    # changing: each method changes all or, where it raises, nothing

    def replace(
        self, node: Node, by: str | Value, /, *inputs: Any, name: str | None = None, **attributes: Any
    ) -> Node | Value:
        """Make a node one of another op, in place: it keeps its inputs, users, position and names.

        by: the id or type of the op, with inputs in place of those that the node has, if any are given, and
        attributes; or a Value that the users of the node's output use from now on: the node is then removed.
        Returns the node, or the Value.
        Raises:  DiagnosticError where a requirement of the op, or of a node behind it, is broken
        """
        self._require_own(node)
        if isinstance(by, Value):
            return self._replace_by_value(node, by)
        op = self.op(str(by))
        with self.changes():
            if name is not None and name != node.name:
                self.rename(node, name)
            operands: Sequence[Any] = inputs or node.sources
            self._become(node, op, operands, attributes)
        return node

    def insert_after(
        self, target: Node | Value, op: str, /, *inputs: Any, name: str | None = None, **attributes: Any
    ) -> Node:
        """Add a node that takes a value as its first input, and whose output all users of the value take.

        inputs: those after the first. A tensor name by which a result is known moves to the new output.
        """
        value = own(self, self._value_of(target), "the value to insert after")
        with self.changes():
            node = self._inserted(op, (value, *inputs), name, attributes, self.place(value.node) + 1)
            if not node.outputs:
                raise refuse("unusable-node", f"{node} has no output that the users could take", node.name)
            users = self.redirect(value, node.outputs[0], but=node)
            if any(user.kind is LayerKind.RESULT for user in users):
                self.move_names(value, node.outputs[0])
            self.follow(users)
        return node

    def insert_before(
        self,
        target: Node,
        op: str,
        /,
        *inputs: Any,
        input: int = 0,
        name: str | None = None,
        **attributes: Any,
    ) -> Node:
        """Add a node between one input of a node and what that input uses, which no other user notices.

        inputs: of the new node after the first; input: the index of the input
        """
        self._require_own(target)
        value = target.sources[input] if -len(target.sources) <= input < len(target.sources) else None
        if value is None:
            message = f"{target} has no input {input} to insert before; it has {len(target.sources)}"
            raise refuse("unusable-node", message, target.name)
        with self.changes():
            node = self._inserted(op, (value, *inputs), name, attributes, self.place(target))
            if not node.outputs:
                raise refuse("unusable-node", f"{node} has no output that {target} could take", node.name)
            self.connect(target, input % len(target.sources), node.outputs[0])
            self.follow([target])
        return node

    def remove(self, node: Node, *, input: int = 0) -> None:
        """Take a node out of the graph; users of its output take its input instead.

        input: which of its inputs
        Raises:  DiagnosticError where it has users and no such input, or several outputs that are used
        """
        self._require_own(node)
        used = [output for output in node.outputs if node.consumers[output.index]]
        with self.changes():
            if used:
                value = node.sources[input] if -len(node.sources) <= input < len(node.sources) else None
                if value is None or len(used) > 1:
                    users = ", ".join(str(user) for user in node.users[:3])
                    message = f"{node} cannot be removed: {users} would have nothing in its place"
                    raise refuse("unusable-node", message, node.name)
                self.take_over(used[0], value)
            self.delete(node)

    def rename(self, node: Node, name: str) -> None:
        """Give a node another name. Raises: DiagnosticError where a node has it"""
        self._require_own(node)
        if name != node.name:
            self.require_free(name)
            super().rename(node, name)

    def set_constant(self, node: Node | Value, value: Any) -> None:
        """Give a constant another value; its element type, if the array is of Python numbers, stays.

        Raises:  DiagnosticError where a requirement of a node behind it is broken
        """
        constant = node.node if isinstance(node, Value) else node
        self._require_own(constant)
        if constant.kind is not LayerKind.CONSTANT:
            raise refuse("unusable-node", f"{constant} is no constant", constant.name)
        kind = None if hasattr(value, "dtype") else constant.facts[0].element_type
        array = array_of(value, kind, f"constant {constant.name}", constant.name)
        fact = fact_of(array, with_value=True)
        with self.changes():
            data = {**constant.data, **self.stored(array, fact.element_type)}
            self.set(constant, "data", data)
            self.set(constant, "invocation", self.invocation(_op_of(constant), constant.name, data))
            self.set(constant, "facts", [fact])
            self.follow(constant.users)

    def set_attributes(self, node: Node, **attributes: Any) -> None:
        """Give attributes of a node other values; the rest stay."""
        self._require_own(node)
        op = _op_of(node)
        spelled = {a.parameter: a.name for a in op.definition.attributes.values()}
        changed = {spelled.get(name, name): value for name, value in attributes.items()}
        texts = self.texts(op, changed)
        data = {**node.data, **{name: texts[name] for name in changed if name in texts}}
        with self.changes():
            self.set(node, "invocation", self.invocation(op, node.name, data))
            self.set(node, "data", data)
            self.follow([node])

    def reshape(self, shapes: Mapping[str | int, ShapeLike]) -> None:
        """Give inputs of the model other shapes: reshape({"image": "N,3,H,W"}); all shapes behind follow.

        shapes: by the name of the tensor or of the node, or by position
        Raises:  DiagnosticError where there is no such input, or a requirement of a node is broken
        """
        wanted = [(self._input(key), shape) for key, shape in shapes.items()]
        with self.changes():
            for node, shape in wanted:
                try:
                    known = Shape.like(shape)
                except ValueError as error:
                    raise refuse("invalid-input-shape", f"input {node.name!r}: {error}", node.name) from None
                fact = Fact(node.facts[0].element_type, known)
                self.set(node, "data", {**node.data, "shape": format_value(known.unnamed())})
                self.set(node, "invocation", self.invocation(_op_of(node), node.name, dict(node.data)))
                self.set(node, "facts", [fact])
            self.follow([user for node, _ in wanted for user in node.users])

    def find(self, type: str | None = None, name: str | None = None) -> tuple[Node, ...]:
        """The nodes of a type (ReLU) or a version of it (ReLU-1), with a name that a pattern matches
        ("block_*/relu"). Case does not matter, and another name of an op is its type (conv2d).

        Raises:  DiagnosticError where neither the graph nor an opset has the type
        """
        wanted = None if type is None else self.spelled(type)
        return tuple(
            node
            for node in self.order
            if (wanted is None or wanted in (node.type, None if node.op is None else node.op.id))
            and (name is None or fnmatchcase(node.name, name))
        )

    def spelled(self, type: str) -> str:
        """A type, or the id of an op, in the spelling of the graph or of the definitions."""
        known = {node.type for node in self.order} | set(self.op_types())
        if type in known:
            return type
        kind, dash, number = type.rpartition("-")
        if dash and number.isdigit():
            return self.op(f"{self.spelled(kind)}-{number}").id
        same = [spelling for spelling in known if spelling.lower() == type.lower()]
        return min(same) if same else self.newest(type).definition.type

    def _become(self, node: Node, op: Any, operands: Sequence[Any], attributes: Mapping[str, Any]) -> None:
        """Make a node one of an op, with inputs and attributes."""
        sources = self.operand_values(op, operands, node.name, self.place(node))
        data = self.texts(op, attributes)
        self.set(node, "invocation", self.invocation(op, node.name, data))
        self.set(node, "data", data)
        self.set(node, "type", op.definition.type)
        self.set(node, "version", op.definition.version)
        self.set(node, "failed", False)
        for index, source in enumerate(sources):
            self.connect(node, index, source)
        for index in range(len(sources), len(node.sources)):
            self.connect(node, index, None)
        self.set_sources(node, len(sources))
        self.follow([node])

    def _inserted(
        self, op: str, operands: Sequence[Any], name: str | None, attributes: Mapping[str, Any], place: int
    ) -> Node:
        found = self.op(op)
        name = self.new_name(found, name)
        return self.added(found, name, operands, attributes, place)

    def _replace_by_value(self, node: Node, value: Value) -> Value:
        own(self, value, f"the replacement of {node}")
        with self.changes():
            used = [output for output in node.outputs if node.consumers[output.index]]
            if len(used) > 1:
                raise refuse("unusable-node", f"{node} has {len(used)} outputs that are used", node.name)
            for output in used:
                self.take_over(output, value)
            if node.users:
                message = (
                    f"{node} would be replaced by an output of {value.node}, which follows from it: a cycle"
                )
                raise refuse("cycle", message, node.name)
            self.delete(node)
        return value

    def _require_own(self, node: Node) -> None:
        if not isinstance(node, Node):
            raise TypeError(f"{node!r} is no node of a graph; graph[name] gives one")
        if node.graph is not self or node.removed:
            why = "was removed from the graph" if node.removed else "belongs to another graph"
            raise refuse("removed-node", f"{node} {why}", node.name)

    def _value_of(self, target: Node | Value) -> Value:
        if isinstance(target, Value):
            return target
        self._require_own(target)
        if len(target.outputs) != 1:
            message = f"{target} has {len(target.outputs)} outputs; name one of them, node.outputs[0]"
            raise refuse("unusable-node", message, target.name)
        return target.outputs[0]

    def _input(self, key: str | int) -> Node:
        parameters = [node for node in self.order if node.kind is LayerKind.PARAMETER]
        if isinstance(key, int) and 0 <= key < len(parameters):
            return parameters[key]
        for node in parameters:
            if key == node.name or key in node.tensor_names[0]:
                return node
        names = [node.name for node in parameters]
        has = ", ".join(map(repr, names)) or "none"
        message = f"the graph has no input {key!r}; its inputs are {has}{did_you_mean(key, names)}"
        raise refuse("unknown-input", message)

    # inferring again, as far as a change reaches

    def topological(self) -> list[Node]:
        """The nodes, each after those whose outputs it uses; otherwise in their order."""
        done: set[Node] = set()
        found: list[Node] = []
        for start in self.order:
            ahead = [start]
            while ahead:
                node = ahead[-1]
                waiting = [s.node for s in node.sources if s is not None and s.node not in done]
                if node in done or not waiting:
                    ahead.pop()
                    if node not in done:
                        done.add(node)
                        found.append(node)
                else:
                    ahead.extend(reversed(waiting))  # the first is popped first
        return found

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
            facts = self.facts.of(node, node.input_facts, self.origin.weights, node.key)
        except DiagnosticError:
            if not node.failed:
                raise
            facts = unknown(len(node.outputs))
        else:
            self.set(node, "failed", False)
            if node.bodies:
                self.set(node, "bodies", self.facts.bodies(node, node.input_facts, self.origin.weights))
        if node.kind is LayerKind.RESULT:
            return []
        if len(facts) != len(node.outputs):
            self._resize(node, len(facts))
        changed = [
            index
            for index, fact in enumerate(facts)
            if index >= len(node.facts) or not same(node.facts[index], fact)
        ]
        self.set(node, "facts", facts)
        return changed

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
        self.set(node, "consumers", [*node.consumers[:count], *empty])
        names = [*node.tensor_names[:count], *[()] * (count - len(node.outputs))]
        self.set(node, "tensor_names", names)
        self.set(node, "outputs", tuple(outputs))

    def take_over(self, old: Value, new: Value) -> None:
        """Let the users of a value use another, which takes its name where a result is known by it."""
        users = self.redirect(old, new, but=new.node)
        if any(user.kind is LayerKind.RESULT for user in users):
            self.move_names(old, new)
        self.follow(users)

    def move_names(self, old: Value, new: Value) -> None:
        self._set_tensor_names(new, (*new.names, *old.names))
        self._set_tensor_names(old, ())

    def prune(self) -> int:
        """Remove nodes that no result and no variable depends on, inputs apart. How many they were."""
        before = len(self)
        with self.changes():
            for node in reversed(self.topological()):  # users first: what only they use has none then
                if (
                    node.kind not in (LayerKind.PARAMETER, LayerKind.RESULT, LayerKind.SINK)
                    and not node.users
                ):
                    self.delete(node)
        return before - len(self)

    def drop_unused(self, node: Node) -> None:
        """Remove a node whose outputs are not used, and constants that only this node used."""
        if node.removed or node.users or node.kind in (LayerKind.RESULT, LayerKind.SINK):
            return
        constants = [s.node for s in node.sources if s is not None and s.node.kind is LayerKind.CONSTANT]
        self.delete(node)
        for constant in dict.fromkeys(constants):
            self.drop_unused(constant)

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
    def nodes(self) -> tuple[Node, ...]:
        """All nodes in topological order."""
        return tuple(self.topological())

    @property
    def inputs(self) -> tuple[Value, ...]:
        """The outputs of the graph's Parameters, in order."""
        return tuple(node.outputs[0] for node in self.order if node.kind is LayerKind.PARAMETER)

    @property
    def results(self) -> tuple[Value, ...]:
        """The values that the graph's Results give, in order."""
        found = (node.sources[0] for node in self.order if node.kind is LayerKind.RESULT and node.sources)
        return tuple(value for value in found if value is not None)

    outputs = results

    def __dir__(self) -> list[str]:
        return _listed(super().__dir__())

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
