"""The base of graphs under change: origin, look-up of ops, new nodes and constants."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from math import frexp, ldexp
from typing import Any

import ml_dtypes
import numpy as np

from irops.analysis.inferred import Inferred
from irops.analysis.invocation import Invocation, OpFault, input_spec, require_all
from irops.analysis.model_analysis import ModelAnalysis, graph_at
from irops.analysis.structure import GraphNode
from irops.diagnostics.diagnostic import DiagnosticError, Location, Severity, errors_of
from irops.diagnostics.rules import rule
from irops.diagnostics.suggestions import did_you_mean
from irops.dialects.registry import Registry
from irops.editing.graph.node import Facts, Node, Value, refuse
from irops.files.limits import Limits
from irops.files.storage import JoinedWeights, Weights
from irops.ir.model import Body, LayerGraph as Layers, Model
from irops.ir.names import LayerNames
from irops.ir.weights import Region, declared_end
from irops.spec.attributes import format_value, text_of
from irops.spec.definition import OPENVINO, Attribute, Definition
from irops.spec.op import NoOp, Op
from irops.spec.releases import opsets
from irops.values.arrays import as_tensor, fact_of
from irops.values.element import (
    DYNAMIC,
    Array,
    ElementType,
    TypeLike,
    element_type,
    element_type_like,
    element_type_of,
    tagged,
)
from irops.values.packing import pack


def separated(definition: Definition, keywords: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Keyword arguments of a call as attributes and inputs. An unknown name is left among the attributes."""
    attributes = {a.parameter for a in definition.attributes.values()} | set(definition.attributes)
    ports = {port.name for port in definition.inputs} - attributes
    inputs = {name: value for name, value in keywords.items() if name in ports}
    return {name: value for name, value in keywords.items() if name not in ports}, inputs


def in_order(op: Op, positional: Sequence[Any], named: Mapping[str, Any], node: str) -> list[Any]:
    """Inputs given by position and by name, in the order of the definition. Raises: DiagnosticError"""
    result = list(positional)
    for index, port in enumerate(op.definition.inputs):
        if port.name not in named:
            continue
        if index < len(positional):
            message = f"{op.id} is given the input {port.name} twice, by position and by name"
            raise refuse("wrong-number-of-inputs", message, node)
        value = named[port.name]
        items = list(value) if port.variadic and isinstance(value, (list, tuple)) else [value]
        result.extend([None] * (index - len(result)))
        result.extend(items)
    while result and result[-1] is None:
        result.pop()
    return result


Constants = Callable[[Array, str], Value]
"""Makes a constant of a graph, from its value and its name."""


def values_of(
    graph: object, op: Op, operands: Sequence[Any], node: str, make: Constants
) -> list[Value | None]:
    """Operands as Values of a graph; make: what is none becomes a constant.

    Python numbers take the element type of the Values whose type the definition requires to be the same.
    Raises:  DiagnosticError
    """
    bound: dict[str, ElementType] = {}
    for index, operand in enumerate(operands):
        kind = _type_of(operand)
        if kind is not None and kind is not DYNAMIC and op.definition.inputs:
            bound.setdefault(input_spec(op, index).type, kind)
    return [
        _value_of(graph, op, index, operand, bound, node, make) if operand is not None else None
        for index, operand in enumerate(operands)
    ]


def _type_of(operand: Any) -> ElementType | None:
    if isinstance(operand, Value):
        return operand.element_type
    return element_type_of(operand) if isinstance(operand, np.ndarray) and operand.dtype.kind != "O" else None


def _value_of(
    graph: object,
    op: Op,
    index: int,
    operand: Any,
    bound: Mapping[str, ElementType],
    node: str,
    make: Constants,
) -> Value:
    if isinstance(operand, Value):
        return own(graph, operand, f"an input of {op.id}", node)
    if not op.definition.inputs:
        raise refuse("wrong-number-of-inputs", f"{op.id} has an input, takes 0", node)
    spec = input_spec(op, index)
    kind = None
    if not isinstance(operand, (np.ndarray, np.generic)):
        kind = bound.get(spec.type) if spec.type in op.definition.types else None
    if kind is None:
        kind = _usual_type(operand, spec.allowed)
    array = array_of(operand, kind, f"input {spec.name} of {op.id}", node)
    return make(array, f"{node}/{spec.name}")


def own(graph: object, value: Value, what: str, node: str | None = None) -> Value:
    """A Value of the graph.

    Raises:  DiagnosticError for one of another graph, or of a removed node; TypeError for what is no Value
    """
    if not isinstance(value, Value):
        raise TypeError(f"{what} is {type(value).__name__}, must be a Value of the graph")
    if value.node.graph is not graph:
        message = f"{what} is an output of {value.node} of another graph; a graph connects its own nodes only"
        raise refuse("cross-graph-connection", message, node)
    if value.node.removed:
        message = f"{what} is an output of {value.node}, which was removed from the graph"
        raise refuse("removed-node", message, node)
    return value


def array_of(given: Any, kind: ElementType | None, what: str, node: str | None) -> Array:
    """An array of an element type, that of the array by default.

    Raises:  DiagnosticError where it has no element type, or an element that the type cannot represent
    """
    items = given if isinstance(given, list | tuple) else (given,)
    its = next(
        ("outputs[0]" if len(one.outputs) > 1 else "output" for one in items if isinstance(one, Node)), ""
    )
    if its:
        raise refuse("invalid-constant", f"{what} is a node, must be a value: give node.{its}", node)
    if any(isinstance(item, Value) for item in items):
        text = f"{what} is {len(items)} values, must be one: an op takes each value as an argument of its own"
        raise refuse("invalid-constant", text, node)
    try:
        array = as_tensor(given, kind or DYNAMIC)
    except ValueError as error:
        raise refuse("invalid-constant", f"{what} cannot be a constant: {error}", node) from None
    if kind is None or element_type_of(array) is kind:
        return array
    _require_same_kind(array, kind, what, node)
    with np.errstate(all="ignore"):
        converted = tagged(array.astype(kind.dtype), kind)
    lost = _lost(array, converted, kind)
    if lost.size:
        message = f"{what} has elements that {kind} cannot represent, such as {lost.flat[0]}"
        raise refuse("invalid-constant", message, node)
    return converted


def _require_same_kind(array: Array, kind: ElementType, what: str, node: str | None) -> None:
    """Refuse strings for numbers, complex numbers for real ones, and numbers for codes."""
    found = element_type_of(array)
    if kind.kind == "lookup":
        message = f"{what} is an array of {found}; {kind} takes its codes, 0 to 15, as an array of uint8"
    else:
        message = f"{what} is an array of {found}, must be of {kind}"
    if array.dtype.kind == "O" or kind.kind in ("string", "lookup"):
        raise refuse("invalid-constant", message, node)
    if found.kind == "complex" and kind.kind != "complex":
        raise refuse("invalid-constant", message, node)


def _lost(array: Array, converted: Array, kind: ElementType) -> Array:
    """The elements that a type cannot represent: those of integers that are not whole or out of range, those
    of floats that would become another kind of number (finite, infinite, NaN) or exceed the greatest one.
    """
    if kind.kind == "complex":
        return array[:0].ravel()
    numbers = array if array.dtype.kind in "biu" else array.astype(np.float64)
    if kind.floating:
        found = converted.astype(np.float64)
        wrong = np.isnan(numbers) ^ np.isnan(found) | np.isinf(numbers) ^ np.isinf(found)
        # the least number that rounds beyond the greatest one; types without infinity take the greatest one
        # for it
        limits = ml_dtypes.finfo(kind.dtype)  # type: ignore[no-untyped-call]
        greatest = float(limits.max)
        spacing = ldexp(float(limits.eps), frexp(greatest)[1] - 1)
        wrong |= np.isfinite(numbers) & (np.abs(numbers) >= greatest + spacing / 2)
        return np.asarray(array[wrong])
    low, high = kind.extent
    wrong = ~((numbers >= low) & (numbers <= high))
    if numbers.dtype.kind == "f":
        wrong |= numbers != np.floor(numbers)
    return np.asarray(numbers[wrong])


def _usual_type(operand: Any, allowed: Iterable[str]) -> ElementType | None:
    """The type of Python numbers where nothing else decides: i64, f32, as far as the input takes it."""
    if isinstance(operand, (np.ndarray, np.generic)):
        return None
    kind = np.asarray(operand).dtype.kind
    order = {"b": ("boolean",), "i": ("i64", "i32"), "u": ("u64",), "f": ("f32", "f16", "f64")}.get(kind, ())
    if kind == "f" and np.asarray(operand).size == 0:
        order = ("i64", "i32", "f32")  # an empty list
    known = set(allowed)
    return next((element_type(name) for name in order if name in known), None) or (
        element_type(order[0]) if order else None
    )


def texts_of(definition: Definition, attributes: Mapping[str, Any]) -> dict[str, str]:
    """Attribute values as texts, in the order of the definition, defaults written out.

    A default that the specification has is written, because readers may take another; and where an empty list
    stands for ones, these are.
    """
    given = {}
    for name, value in attributes.items():
        attribute = _attribute(definition, name)
        given[name if attribute is None else attribute.name] = (attribute, value)
    texts: dict[str, str] = {}
    for name, attribute in definition.attributes.items():
        if name in given:
            if given[name][1] is not None:
                texts[name] = text_of(attribute, given[name][1])
        elif attribute.default is not None:
            texts[name] = attribute.default
    for name, attribute in definition.attributes.items():
        if attribute.ones_like and texts.get(name) == "":
            texts[name] = ",".join("1" for number in texts.get(attribute.ones_like, "").split(",") if number)
    unknown = {name: format_value(value) for name, (known, value) in given.items() if known is None}
    return texts | unknown


def _attribute(definition: Definition, name: str) -> Attribute | None:
    found = definition.attributes.get(name)
    return found or next((a for a in definition.attributes.values() if a.parameter == name), None)


class Origin:
    """The model that a graph was made from, if any; weights: its weights, and those of new constants.

    path: the layers and bodies down to the graph within the model
    """

    def __init__(self, model: Model, path: tuple[str, ...], layers: Layers | None) -> None:
        self.base, self.path, self.layers = model, path, layers
        self.weights = JoinedWeights(model.weights or Weights.of_bytes(b""), declared_end(model))
        self.graph: GraphNode | None = None
        self.inferred: Inferred | None = None

    @classmethod
    def empty(cls, name: str) -> "Origin":
        return cls(Model(name), (), None)

    @classmethod
    def of(cls, model: Model, path: tuple[str, ...], registry: Registry, limits: Limits) -> "Origin":
        """The origin of a graph of a model. Raises: DiagnosticError where its edges are wrong"""
        if model.dialect != OPENVINO:
            message = f"the model is of dialect {model.dialect}; a Graph changes models of openvino"
            raise refuse("unsupported-graph", message)
        analysis = ModelAnalysis(model, registry, limits)
        faults = [d for d in errors_of(analysis.structural_findings) if d.name in _FAULTS_OF_EDGES]
        if faults:
            raise DiagnosticError(faults)
        graph, inferred = graph_at(analysis, path)
        origin = cls(model, path, graph.graph)
        origin.graph, origin.inferred = graph, inferred
        return origin

    def location(self, node: Node) -> Location:
        """Where a node is in the file of the model; its name alone for a node that was added."""
        if node.layer is None:
            return Location(None, None, None, None, node.name, self.path)
        return self.base.location(node.layer, self.path)

    def model_with(self, layers: Layers, name: str) -> Model:
        """The model, with other layers in place of those of the graph."""
        outermost = layers if not self.path else _with_body(self.base.graph, self.path, layers)
        weights = self.base.weights if self.weights.is_single else self.weights.copy()
        model = replace(self.base, graph=outermost, weights=weights)
        return model if self.path else replace(model, name=name)


_OF_EDGES = "dangling-edge unknown-output-port unknown-input-port multiple-producers cycle duplicate-layer-id"
_FAULTS_OF_EDGES = frozenset(_OF_EDGES.split())
"""Faults of a model whose nodes would not be what the file means."""


def _with_body(graph: Layers, path: tuple[str, ...], layers: Layers) -> Layers:
    """A graph with other layers in the body that a path leads to."""
    named = (k for k, layer in enumerate(graph.layers) if layer.name == path[0] and path[1] in layer.bodies)
    place = next(named)
    layer = graph.layers[place]
    body = layer.bodies[path[1]]
    inner = layers if len(path) == 2 else _with_body(body.graph, path[2:], layers)
    changed: Body = replace(body, graph=inner)
    layer = replace(layer, bodies={**layer.bodies, path[1]: changed})
    return replace(graph, layers=[*graph.layers[:place], layer, *graph.layers[place + 1 :]])


class Ops:
    """The ops that a graph's opset contains, each in its newest version there, and custom ops.

    ops.X(*inputs, **attributes) adds a node of type X and gives its output, or a tuple of outputs; see
    Graph.add.
    """

    __slots__ = ("_graph",)

    def __init__(self, graph: "Base") -> None:
        self._graph = graph

    def __getattr__(self, type: str) -> Callable[..., Value | tuple[Value, ...]]:
        if type.startswith("_"):
            raise AttributeError(type)
        op = self._graph.newest(type)

        def add(*inputs: Any, **keywords: Any) -> Value | tuple[Value, ...]:
            return self._graph.add(op.id, *inputs, **keywords)

        add.__name__, add.__qualname__ = type, f"Ops.{type}"
        add.__doc__ = op.definition.summary
        return add

    def __dir__(self) -> list[str]:
        return sorted({*self._graph.op_types(), *super().__dir__()})

    def __repr__(self) -> str:
        return f"<Ops of {self._graph!r}>"


def _enter(value: Value | None, node: Node, index: int) -> None:
    if value is not None:
        value.node.consumers[value.index][(node, index)] = None


def _leave(value: Value | None, node: Node, index: int) -> None:
    if value is not None:
        del value.node.consumers[value.index][(node, index)]


_SERIALS = count(1)
"""Numbers of graphs, which keep the sizes of one apart from those of another."""


class Base:
    """Nodes that are made of ops: looked up, validated, inferred; in the order in which layers are written.

    All changes of nodes go through the methods here, so that a change that fails is undone as a whole. A node
    has a greater rank than each node that it uses.
    """

    def __init__(self, origin: Origin, registry: Registry, limits: Limits, opset: int) -> None:
        self.order: list[Node] = []
        self._by_name: dict[str, list[Node]] = {}
        self._undo: list[Callable[[], Any]] | None = None
        self.origin, self.registry, self.limits, self.opset = origin, registry, limits, opset
        self.facts = Facts(registry, limits, next(_SERIALS))
        self._counts: dict[str, int] = {}
        self._keys = count()

    @contextmanager
    def changes(self) -> Iterator[None]:
        """Several changes as one: those of the block are undone if it raises; blocks may be nested."""
        is_outermost = self._undo is None
        steps = [] if self._undo is None else self._undo
        self._undo, first = steps, len(steps)
        try:
            yield
        except BaseException:
            while len(steps) > first:
                steps.pop()()
            raise
        finally:
            if is_outermost:
                self._undo = None

    def _note(self, step: Callable[[], Any]) -> None:
        if self._undo is not None:
            self._undo.append(step)

    # nodes

    def find_by_name(self, name: str) -> Node:
        """The node of a name, the first of equal names, else of another key of LayerNames; KeyError, with a
        suggestion, if there is none.
        """
        found = self._by_name.get(name)
        if not found:
            return LayerNames((node, node) for node in self.order).one(name)[0]  # nodes have no ids
        return min(found, key=self.order.index) if len(found) > 1 else found[0]

    def names(self) -> Iterator[str]:
        return (name for name, nodes in self._by_name.items() if nodes)

    def has_name(self, name: str) -> bool:
        if not isinstance(name, str):
            raise TypeError(f"the name of a node is {name!r}, must be a string")
        return bool(self._by_name.get(name))

    def place(self, node: Node) -> int:
        """The position of a node in the order."""
        return self.order.index(node)

    def insert(self, node: Node, place: int | None = None) -> None:
        """Add a node, at the end by default."""
        if place is None:
            self.order.append(node)
            self._note(self.order.pop)
        else:
            self.order.insert(place, node)
            self._note(lambda: self.order.remove(node))
        self._add_name(node)
        self._note(lambda: self._drop_name(node))

    def move(self, node: Node, place: int) -> None:
        """Give a node another position in the order."""
        before = self.place(node)
        self.order.insert(place, self.order.pop(before))
        self._note(lambda: self.order.insert(before, self.order.pop(self.order.index(node))))

    def delete(self, node: Node) -> None:
        """Take a node out; nothing may use its outputs any more."""
        for index in range(len(node.sources)):
            self.connect(node, index, None)
        place = self.place(node)
        del self.order[place]
        self._drop_name(node)
        node.removed = True

        def restore() -> None:
            node.removed = False
            self.order.insert(place, node)
            self._add_name(node)

        self._note(restore)

    def rename(self, node: Node, name: str) -> None:
        before = node.name
        self._set_name(node, name)
        self._note(lambda: self._set_name(node, before))

    def set(self, node: Node, field: str, value: Any) -> None:
        """Give a field of a node another value."""
        before = getattr(node, field)
        setattr(node, field, value)
        self._note(lambda: setattr(node, field, before))

    def _add_name(self, node: Node) -> None:
        self._by_name.setdefault(node.name, []).append(node)

    def _set_name(self, node: Node, name: str) -> None:
        self._drop_name(node)
        node.name = name
        self._add_name(node)

    def _drop_name(self, node: Node) -> None:
        self._by_name[node.name].remove(node)

    # connections

    def connect(self, node: Node, index: int, value: Value | None) -> None:
        """Let an input of a node use a value, or none; an index behind the last input adds one.

        Raises:  DiagnosticError where the value follows from the node
        """
        sources = node.sources
        added = index == len(sources)
        before = None if added else sources[index]
        if added:
            sources.append(value)
        else:
            sources[index] = value
        _leave(before, node, index)
        _enter(value, node, index)

        def restore() -> None:
            _leave(value, node, index)
            _enter(before, node, index)
            if added:
                sources.pop()
            else:
                sources[index] = before

        self._note(restore)
        if value is not None and value.node.rank >= node.rank:
            self._put_in_order(value.node, node)

    def _put_in_order(self, source: Node, user: Node) -> None:
        """Change ranks, of few nodes, so that a node has a greater one than each that it uses."""
        low = max((s.node.rank for s in source.sources if s is not None), default=user.rank - 2)
        high = min(node.rank for consumers in source.consumers for node, _ in consumers)
        middle = (low + high) / 2
        if low < middle < high and user.consumers and any(user.consumers):
            self.set(source, "rank", middle)
            return
        ahead = [user]
        while ahead:
            node = ahead.pop()
            if node is source:
                message = f"{user} would use an output of {source}, which follows from it: a cycle"
                raise refuse("cycle", message, user.name)
            lowest = 1 + max(s.node.rank for s in node.sources if s is not None)
            if node.rank < lowest:
                self.set(node, "rank", lowest)
                ahead += [
                    other for consumers in node.consumers for other, _ in consumers if other.rank <= lowest
                ]

    def redirect(self, old: Value, new: Value, *, but: Node | None = None) -> list[Node]:
        """Let all users of a value use another; the nodes that changed. but: a node that keeps the old one"""
        users = [(node, index) for node, index in old.node.consumers[old.index] if node is not but]
        for node, index in users:
            self.connect(node, index, new)
        return list(dict.fromkeys(node for node, _ in users))

    def next_key(self) -> int:
        """A number that no other node of the graph has."""
        return next(self._keys)

    # ops and names

    def op(self, id: str) -> Op:
        """The op of an id, or of a type in the graph's opset. Raises: DiagnosticError where there is none"""
        if not id.rpartition("-")[2].isdigit() and id not in self.registry.extensions():
            return self.newest(id)
        try:
            return self.registry.named(id)
        except KeyError as error:
            raise refuse("unknown-op", str(error.args[0])) from None

    def newest(self, type: str) -> Op:
        """The newest version of an op that the graph's opset or an older one introduced, or a custom op.

        type: in any case, or another name of an op (see Registry.alias)
        Raises:  DiagnosticError where there is none
        """
        versions = [v for v in opsets().versions.get(type.lower(), ()) if _number(v.since) <= self.opset]
        if versions:
            found = self.registry.resolve(type, versions[-1].since)
        else:
            custom = [known for known in self.registry.extensions() if known.rpartition("-")[0] == type]
            if custom:
                return self.registry.op(custom[-1])
            found = self.registry.resolve(type, f"opset{self.opset}")
        if isinstance(found, NoOp):
            if found.rule != "unknown-op":
                raise refuse(found.rule, found.message)
            alias = self.registry.alias(type)
            if alias is not None:
                return self.newest(alias.rpartition("-")[0])
            words = " or ".join(self.registry.called(type)[:3])
            meant = f"; did you mean {words}?" if words else did_you_mean(type, self.op_types())
            raise refuse(found.rule, f"{found.message}{meant}")
        return found

    def op_types(self) -> Iterable[str]:
        """The types of all ops that g.ops has."""
        own_types = {v.type for v in opsets().all() if _number(v.since) <= self.opset}
        return sorted(own_types | {known.rpartition("-")[0] for known in self.registry.extensions()})

    def unique(self, stem: str, *, number: bool = False) -> str:
        """A name that no node has: the stem, with a number if need be or if asked for."""
        name = stem
        while number or self.has_name(name):
            known = self._counts[stem] = self._counts.get(stem, -1) + 1
            name, number = f"{stem}_{known}", False
        return name

    def require_free(self, name: str) -> None:
        if self.has_name(name):
            raise refuse("duplicate-name", f"the name {name!r} is given to a second node", name)

    def new_name(self, op: Op, name: str | None) -> str:
        """The name of a new node: the one given, which no other node has, or its type and a number."""
        if name is None:
            return self.unique(op.definition.type, number=True)
        self.require_free(name)
        return name

    # nodes

    def constant(self, value: Any, name: str | None = None, *, element_type: TypeLike | None = None) -> Value:
        """Add a constant: an array, a number, nested lists, or strings.

        element_type: that of the array by default; any other, such as i4, u4 or nf4, whose elements share
            bytes. Elements are converted, which must lose no digits of whole numbers; nf4 and u1 take codes.
        """
        try:
            kind = None if element_type is None else element_type_like(element_type)
        except ValueError as error:
            raise refuse("invalid-constant", str(error)) from None
        array = array_of(value, kind, f"constant {name}" if name else "the constant", name)
        fact = fact_of(array, with_value=True)
        data = self.stored(array, fact.element_type)
        if name is None:
            name = self.unique("Constant", number=True)
        else:
            self.require_free(name)
        with self.changes():
            node = self._created(self.op("Const-1"), name, data)
            node.facts = [fact]
            self._finish(node, 1)
        return node.outputs[0]

    def stored(self, array: Any, kind: ElementType) -> dict[str, str]:
        """The attributes of a Const whose elements are added to the weights."""
        content = pack(array, kind)
        offset = self.origin.weights.append(Weights.of_bytes(content))
        return Region(kind, array.shape, offset, len(content)).data

    def operand_values(
        self, op: Op, operands: Sequence[Any], name: str, place: int | None
    ) -> list[Value | None]:
        """Operands of a node as Values; constants that are made of them lie at a place in the order."""
        before = len(self.order)
        sources = values_of(
            self, op, operands, name, lambda array, stem: self.constant(array, self.unique(stem))
        )
        if place is not None:
            for offset, node in enumerate(self.order[before:]):
                self.move(node, place + offset)
        return sources

    def texts(self, op: Op, attributes: Mapping[str, Any]) -> dict[str, str]:
        """The attributes of a layer, from values by name."""
        return texts_of(op.definition, attributes)

    def set_sources(self, node: Node, count: int) -> None:
        """Drop the inputs of a node behind the first ones, which nothing is connected to."""
        self.set(node, "sources", node.sources[:count])

    def added(
        self,
        op: Op,
        name: str,
        operands: Sequence[Any],
        attributes: Mapping[str, Any],
        place: int | None = None,
        bodies: Mapping[str, Body] | None = None,
    ) -> Node:
        """Add a node of an op. place: in the order of layers, the end by default; bodies: by name"""
        before, texts = len(self.order), self.texts(op, attributes)
        try:
            require_all(op, operands, texts)
        except OpFault as fault:
            raise refuse(fault.rule, fault.message, name) from None
        sources = self.operand_values(op, operands, name, place)
        if place is not None:
            place += len(self.order) - before
        node = self._created(op, name, texts, place)
        node.bodies = dict(bodies or {})
        for index, source in enumerate(sources):
            self.connect(node, index, source)
        node.facts = self.facts.of(node, node.input_facts, self.origin.weights, node.key)
        self._finish(node, len(node.facts))
        if node.type.lower() == "readvalue" and "variable_id" in node.data:
            self.facts.variables.setdefault(node.data["variable_id"], node.facts[0])
        return node

    def _created(self, op: Op, name: str, data: Mapping[str, str], place: int | None = None) -> Node:
        """A node without inputs and outputs. Raises: DiagnosticError where its attributes are wrong"""
        node = Node(self, op.definition.type, op.definition.version, name, dict(data))
        node.invocation = self.invocation(op, name, data)
        self.insert(node, place)
        return node

    def invocation(self, op: Op, name: str, data: Mapping[str, str]) -> Invocation:
        """The op with attributes, validated. Raises: DiagnosticError"""
        invocation = Invocation(op, dict(data))
        # a mistyped name first: what it leaves missing only follows from it
        for fault in sorted(invocation.faults, key=lambda fault: fault.rule != "unknown-attribute"):
            if fault.rule == "unknown-attribute":
                known = [a.parameter for n, a in op.definition.attributes.items() if data.get(n) == a.default]
                known += [port.name for port in op.definition.inputs]
                meant = did_you_mean(fault.attribute, known)
                raise refuse(fault.rule, f"{op.id} has no attribute {fault.attribute!r}{meant}", name)
            if rule(fault.rule).severity is Severity.ERROR or not invocation.usable:
                raise refuse(fault.rule, fault.message, name)
        return invocation

    def _finish(self, node: Node, outputs: int) -> None:
        """Give a node its outputs, once its Facts are known."""
        node.outputs = tuple(Value(node, index) for index in range(outputs))
        node.consumers = [{} for _ in range(outputs)]
        node.tensor_names = node.tensor_names or [()] * outputs

    def add(
        self, op: str | Definition, /, *inputs: Any, name: str | None = None, **keywords: Any
    ) -> Value | tuple[Value, ...]:
        """Add a node and give its output, or a tuple where the op has several or a variadic one.

        op: an id such as Convolution-1, or a type for its newest version in the graph's opset. inputs: Values
        in the order of the definition, None for an optional one that is left out; arrays, numbers and lists
        become constants, and numbers take the element type that the op requires. keywords: attributes by
        name (exclude_pad for exclude-pad), inputs by name; what has a default may be left out. name: of the
        node, by default the type and a number
        Raises:  DiagnosticError where the op does not exist, or a requirement of it is broken
        """
        found = self.op(str(op))
        name = self.new_name(found, name)
        attributes, named = separated(found.definition, keywords)
        with self.changes():
            node = self.added(found, name, in_order(found, inputs, named, name), attributes)
        variadic = found.definition.outputs and found.definition.outputs[-1].variadic
        return node.outputs if len(node.outputs) != 1 or variadic else node.outputs[0]

    def apply(self, type: str, *operands: Any) -> Value:
        """Add a node with one output, in the newest version of the graph's opset."""
        result = self.add(self.newest(type).id, *operands)
        assert isinstance(result, Value)
        return result

    def location_of(self, node: Node) -> Location:
        """Where a node is in the file that the model was read from."""
        return self.origin.location(node)


def _number(opset: str) -> int:
    return int(opset.removeprefix("opset"))
