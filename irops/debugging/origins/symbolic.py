"""The named sizes of a model, expressions of them, and the model inferred with them."""

import ast
import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import count
from math import inf
from typing import Any

from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import Key
from irops.analysis.structure import GraphNode, LayerNode, Path
from irops.diagnostics.diagnostic import Location
from irops.diagnostics.printable import shown
from irops.environment import no_collection
from irops.ir.model import Layer
from irops.values.dim import GENERATED_PREFIX, Dim, Symbol
from irops.values.fact import Fact
from irops.values.shape import Shape

GENERATED = re.compile(rf"{GENERATED_PREFIX}(\d+)")
"""A name that inference generates; in an expression it is n and the number: n7 for #7."""
SUM, PRODUCT, ATOM = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Expression:
    """A size as a function of named sizes. str() gives it in Python's syntax: 2*N + 1.

    broadcast(a, b) is the size of an axis after broadcasting: that of a and b which is not 1.
    """

    text: str

    @classmethod
    def of(cls, size: Dim | Symbol, ones: Collection[str] = ()) -> "Expression | None":
        """The expression of a size; None where the size has no symbol and is not one number.

        ones: names of axes that are declared as 1, which say nothing of a size after broadcasting
        """
        if isinstance(size, Dim) and size.known:
            return cls(str(size))
        symbol = size if isinstance(size, Symbol) else size.symbol
        if symbol is None:
            return None
        return cls.parsed(GENERATED.sub(r"n\1", str(symbol)), ones)

    @classmethod
    def parsed(cls, text: str, ones: Collection[str] = ()) -> "Expression":
        return cls(_written(_Broadcasts(ones).visit(ast.parse(text, mode="eval").body)))

    @property
    def names(self) -> tuple[str, ...]:
        """The named sizes, in the order in which they occur."""
        nodes = tuple(ast.walk(self._tree()))
        functions = [node.func for node in nodes if isinstance(node, ast.Call)]
        names = [node for node in nodes if isinstance(node, ast.Name) and node not in functions]
        return tuple(dict.fromkeys(node.id for node in sorted(names, key=lambda node: node.col_offset)))

    def evaluate(self, sizes: Mapping[str, int]) -> int:
        """The number for these sizes by name.

        Raises:  KeyError for a name without a size; ValueError where sizes do not broadcast;
            ZeroDivisionError
        """
        return _evaluated(self._tree(), sizes)

    def with_names(self, replacements: "Mapping[str, Expression]") -> "Expression":
        """The expression with names replaced by other expressions."""
        if not replacements.keys() & set(self.names):
            return self
        return Expression(_written(_Replacement(replacements).visit(self._tree())))

    def _tree(self) -> ast.expr:
        return ast.parse(self.text, mode="eval").body

    def __str__(self) -> str:
        return self.text


class _Broadcasts(ast.NodeTransformer):
    """Leaves out of broadcast(...) the names of axes that are 1."""

    def __init__(self, ones: Collection[str]) -> None:
        self._ones = ones

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if self._ones and isinstance(node.func, ast.Name) and node.func.id == "broadcast":
            kept = [one for one in node.args if not (isinstance(one, ast.Name) and one.id in self._ones)]
            node.args = kept or node.args[:1]
            return node if len(node.args) > 1 else node.args[0]
        return node


class _Replacement(ast.NodeTransformer):
    def __init__(self, replacements: Mapping[str, Expression]) -> None:
        self._replacements = replacements

    def visit_Name(self, node: ast.Name) -> ast.expr:
        replacement = self._replacements.get(node.id)
        return node if replacement is None else replacement._tree()


def broadcast_size(*sizes: int) -> int:
    """The size of an axis after broadcasting. Raises: ValueError where two sizes differ and none is 1"""
    others = {size for size in sizes if size != 1}
    if len(others) > 1:
        raise ValueError(f"the sizes {', '.join(map(str, sizes))} do not broadcast")
    return others.pop() if others else 1


OPERATIONS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}
FUNCTIONS: Mapping[str, Callable[..., int]] = {"min": min, "max": max, "broadcast": broadcast_size}


def _evaluated(node: ast.expr, sizes: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name):
            return sizes[name]
        case ast.UnaryOp(operand=operand):
            return -_evaluated(operand, sizes)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return FUNCTIONS[name](*(_evaluated(argument, sizes) for argument in arguments))
        case ast.BinOp(left=left, op=operation, right=right):
            if type(operation) not in OPERATIONS:
                raise ValueError(f"{type(operation).__name__} is no operation on sizes")
            return OPERATIONS[type(operation)](_evaluated(left, sizes), _evaluated(right, sizes))
    raise ValueError(f"{ast.dump(node)} is no part of an expression of sizes")


def _written(node: ast.expr, outer: int = 0) -> str:
    """The text of a tree, in parentheses where it binds less strongly than its surroundings require."""
    match node:
        case ast.UnaryOp(operand=operand):
            text, strength = f"-{_factor(operand)}", PRODUCT
        case ast.Call(func=ast.Name(id=name), args=arguments):
            text, strength = f"{name}({', '.join(map(_written, arguments))})", ATOM
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            text, strength = f"{_written(left, SUM)} + {_written(right, SUM)}", SUM
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            text, strength = f"{_written(left, SUM)} - {_written(right, PRODUCT)}", SUM
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            text, strength = f"{_factor(left)}*{_factor(right)}", PRODUCT
        case ast.BinOp(left=left, right=right):
            text, strength = f"{_factor(left)}//{_written(right, ATOM)}", PRODUCT
        case _:
            return ast.unparse(node)
    return f"({text})" if strength < outer else text


def _factor(node: ast.expr) -> str:
    """A factor: a quotient is put in parentheses, since the order of // and * matters."""
    is_quotient = isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv)
    return _written(node, ATOM if is_quotient else PRODUCT)


MAX_LIST = 8
LETTERS = "NMKLPQRSTUVWXYZABCDEFGHIJ"


class Kind(Enum):
    """The meaning of a named size: the size of an input; a number that only data decide; one that follows
    from an unknown rank; one of an op that irops does not define; a size for which irops has no formula; or
    one whose formula is not that of inference, but fits all sizes that irops tries.
    """

    INPUT = "input"
    DATA = "data"
    RANK = "rank"
    UNDEFINED = "undefined"
    UNEXPRESSED = "unexpressed"
    FITTED = "fitted"


_REASONS = {
    Kind.DATA: "only the data decide it",
    Kind.RANK: "it follows from a rank that is not known",
    Kind.UNDEFINED: "irops does not define the op",
    Kind.UNEXPRESSED: "irops has no formula for it",
    Kind.FITTED: "its formula fits sizes up to 65537, as irops has tried",
}
"""Why a size has no expression that inference gives."""


@dataclass(frozen=True, slots=True)
class NamedSize:
    """A named size: axis number axis of an output of a layer.

    declared: of an input, the size in the file, or the one that the caller asks for; of another layer, what
    is inferred of the size; path: the layers and bodies down to the graph of the layer; op: the id of its
    op.
    """

    symbol: str
    kind: Kind
    layer: str
    output: int
    axis: int
    declared: Dim
    op: str
    location: Location
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        name, place = shown(self.layer), at_line(self.location, ", ")
        if self.kind is Kind.INPUT:
            size = self.declared.spelled
            declared = "of any size" if size == "?" else f"declared as {size}"
            return f"axis {self.axis} of input {name}{place}, {declared}"
        output = f"axis {self.axis} of output {self.output} of {name} ({self.op}{place})"
        return f"{output}; {_REASONS[self.kind]}"


def at_line(location: Location, before: str) -> str:
    """The line of a place in a file; nothing where there is none."""
    return "" if location.line is None else f"{before}line {location.line}"


def symbolic_inputs(
    analysis: ModelAnalysis, overrides: Mapping[int, Fact], *, generalised: bool
) -> tuple[dict[str | int, Fact], dict[str, NamedSize]]:
    """Facts for the inputs by position, in which every size has a symbol, and the sources by symbol.

    overrides: Facts that replace what inputs declare, by layer id; generalised: whether static sizes get
    symbols, too. Sizes 0 stay as they are, and so do inputs with a value, and the static length of a short
    list of integers, which may be a shape: with another length, ranks would be unknown.
    """
    facts: dict[str | int, Fact] = {}
    sources: dict[str, NamedSize] = {}
    wanted = [overrides.get(port.layer.id, port.fact) for port in analysis.signature.inputs]
    names = _names(
        str(dim.symbol) for fact in wanted for dim in fact.shape.dims or () if dim.symbol is not None
    )
    for port, fact in zip(analysis.signature.inputs, wanted):
        if fact.shape.dims is None or fact.may_have_value:
            facts[port.position] = fact
            continue
        is_fixed = not generalised or _is_list(fact)
        sizes = [
            size
            if size == 0 or (size.known and is_fixed)
            else _generalised(size, names if size.symbol is None else iter([str(size.symbol)]))
            for size in fact.shape.dims
        ]
        facts[port.position] = Fact(fact.element_type, Shape(sizes))
        for axis, (size, declared) in enumerate(zip(sizes, fact.shape.dims)):
            if size.symbol is not None:
                source = _source(analysis, port.layer, axis, str(size.symbol), declared)
                sources.setdefault(source.symbol, source)
    return facts, sources


def _is_list(fact: Fact) -> bool:
    """Whether a tensor is a short list of integers: a shape, axes, or the like."""
    return fact.element_type.integral and fact.shape.rank == 1 and fact.shape.size <= MAX_LIST


def _generalised(size: Dim, names: Iterator[str]) -> Dim:
    """A size of 1 or greater with a symbol. That of an axis with more than one element is 2 or greater, since
    an axis of size 1 may broadcast.
    """
    if size.known:
        return Dim(2 if size > 1 else 1, inf).named(next(names))
    return Dim(max(size.low, 1), max(size.high, 1)).named(next(names))


def _source(analysis: ModelAnalysis, layer: Layer, axis: int, symbol: str, declared: Dim) -> NamedSize:
    op = analysis.root.layers[layer.id].op
    place = analysis.location(layer)
    return NamedSize(
        symbol, Kind.INPUT, layer.name, 0, axis, declared, layer.type if op is None else op.id, place
    )


def _names(reserved: Iterator[str]) -> Iterator[str]:
    """N, M, K …, N2, M2 …, without those that the caller uses."""
    used = set(reserved)
    for number in count(1):
        for letter in LETTERS:
            name = letter if number == 1 else f"{letter}{number}"
            if name not in used:
                yield name


USUAL_SIZE = 48
"""The number for a dynamic size: divisible by many numbers, and not smaller than most windows."""
LayerKey = tuple[Path, int]
"""The path of a graph, and the id of a layer in it."""


@dataclass(frozen=True, slots=True)
class NewSize:
    """A size without an expression, at the axis of an output where inference gave it a name."""

    name: str
    layer: LayerKey
    output: int
    axis: int


class SymbolicModel:
    """The inferred Facts of a model, with expressions for sizes. Immutable once built.

    inputs: the facts of inputs by position, with a symbol for every size; sources: these sizes by symbol;
    inferred: the facts that follow from inputs; declared: the facts for the shapes that the file or the
    caller gives; new_sizes: sizes without an expression, by the name (n7) that expressions give them.
    """

    def __init__(
        self, analysis: ModelAnalysis, inputs: Mapping[Key, Any] | None = None, *, generalised: bool = True
    ) -> None:
        """inputs: other shapes for the inputs, see irops.infer; generalised: static sizes get symbols, too"""
        self.analysis = analysis
        overrides = analysis.signature.facts(inputs or {})
        self.inputs, self.sources = symbolic_inputs(analysis, overrides, generalised=generalised)
        self.ones = frozenset(name for name, size in self.sources.items() if size.declared == 1)
        with no_collection():
            self.declared = analysis.infer(inputs)
            self.inferred = analysis.infer(self.inputs)
        self._graphs = dict(_graphs(self.inferred))
        self._declared_graphs = dict(_graphs(self.declared))
        self.formulas: dict[str, Expression | None] = {}
        """Formulas that fit new sizes, by name, as far as they were looked for; see why.py."""
        self.new_sizes: dict[str, NewSize] = {}
        for path, layer_facts in _layers(self.inferred):
            self._add_new_sizes((path, layer_facts.layer.id), layer_facts)

    def _add_new_sizes(self, key: LayerKey, layer_facts: LayerFacts) -> None:
        for output, fact in enumerate(layer_facts.outputs):
            for axis, size in enumerate(fact.shape.dims or ()):
                for number in GENERATED.findall("" if size.symbol is None else str(size.symbol)):
                    self.new_sizes.setdefault(f"n{number}", NewSize(f"n{number}", key, output, axis))

    def graph(self, path: Path) -> GraphNode:
        return self.analysis.by_path[path]

    def node(self, key: LayerKey) -> LayerNode:
        return self.graph(key[0]).layers[key[1]]

    def facts(self, key: LayerKey) -> LayerFacts:
        """The inferred Facts of a layer with symbols; none where its body was not inferred."""
        return self._facts(self._graphs, key)

    def declared_facts(self, key: LayerKey) -> LayerFacts:
        """The inferred Facts of a layer for the declared shapes; none where its body was not inferred."""
        return self._facts(self._declared_graphs, key)

    def concrete_facts(self, key: LayerKey) -> LayerFacts:
        """The inferred Facts of a layer where every input size is one number; see numbers."""
        return self._facts(self._concrete_graphs, key)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """A number for every source: the declared size, or one that suits most models."""
        return {
            name: int(min(max(USUAL_SIZE, source.declared.low, 1), max(source.declared.high, 1)))
            for name, source in self.sources.items()
        }

    @cached_property
    def _concrete_graphs(self) -> Mapping[Path, Inferred]:
        return dict(_graphs(self.inferred_at(self.numbers)))

    def inferred_at(self, numbers: Mapping[str, int]) -> Inferred:
        """The inferred Facts for these sizes of the sources."""
        facts = {
            position: fact.with_shape(Shape(_number(size, numbers) for size in fact.shape.dims))
            for position, fact in self.inputs.items()
            if fact.shape.dims is not None
        }
        with no_collection():
            return self.analysis.infer(facts)

    def _facts(self, graphs: Mapping[Path, Inferred], key: LayerKey) -> LayerFacts:
        inferred = graphs.get(key[0])
        if inferred is None or key[1] not in inferred.layers:
            return LayerFacts(self.node(key).layer, failed=True)
        return inferred.layers[key[1]]


def _number(size: Dim, numbers: Mapping[str, int]) -> Dim:
    """A size of an input as one number. Its symbol is the name of a source."""
    return size if size.symbol is None else Dim.of(numbers[str(size.symbol)])


def _graphs(inferred: Inferred) -> Iterator[tuple[Path, Inferred]]:
    yield inferred.path, inferred
    for facts in inferred.layers.values():
        for body in facts.bodies.values():
            yield from _graphs(body)


def _layers(inferred: Inferred) -> Iterator[tuple[Path, LayerFacts]]:
    """The layers of a graph in order; those of its bodies before the layer that has them."""
    for facts in inferred.layers.values():
        for body in facts.bodies.values():
            yield from _layers(body)
        yield inferred.path, facts
