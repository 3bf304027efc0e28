"""How derivatives of ops are declared, what their functions see, and how compositions are differentiated."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from math import prod
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from irops.diagnostics.diagnostic import DiagnosticError
from irops.differentiation import openvino
from irops.expansion.arrays import ArrayBuilder, NamedOps, invocation_of
from irops.expansion.expanding import (
    Expanding,
    Expansion,
    OpBuilder,
    OtherFormError,
    RefusedError,
    expansions_of,
)
from irops.ops.invocation import Invocation, OpFault, input_spec
from irops.spec.body import BodyFunction
from irops.spec.op import Op
from irops.values.element import Array, ElementType
from irops.values.fact import Fact


class NotDerivedError(Exception):
    """A gradient would have to flow where there is none; the text is the reason, without "because"."""


# Values that rules compute with.


@dataclass(frozen=True, slots=True)
class Unsaved:
    """A tensor of the forward pass of which only the type and shape are known."""

    fact: Fact


class Term:
    """A value of a builder, on which Python's operators apply ops. Two Terms are equal if they are one."""

    __slots__ = ("terms", "value")

    def __init__(self, terms: Terms, value: Any) -> None:
        self.terms, self.value = terms, value

    @property
    def fact(self) -> Fact:
        return self.terms.fact(self)

    def __add__(self, other: Any) -> Term:
        return self.terms.applied("Add-1", self, other)

    def __radd__(self, other: Any) -> Term:
        return self.terms.applied("Add-1", other, self)

    def __sub__(self, other: Any) -> Term:
        return self.terms.applied("Subtract-1", self, other)

    def __rsub__(self, other: Any) -> Term:
        return self.terms.applied("Subtract-1", other, self)

    def __mul__(self, other: Any) -> Term:
        return self.terms.applied("Multiply-1", self, other)

    def __rmul__(self, other: Any) -> Term:
        return self.terms.applied("Multiply-1", other, self)

    def __truediv__(self, other: Any) -> Term:
        return self.terms.applied("Divide-1", self, other)

    def __rtruediv__(self, other: Any) -> Term:
        return self.terms.applied("Divide-1", other, self)

    def __neg__(self) -> Term:
        return self.terms.applied("Negative-1", self)

    def __matmul__(self, other: Any) -> Term:
        return self.terms.applied("MatMul-1", self, other)


@dataclass(frozen=True, slots=True)
class Applied:
    """An op that a composition applied."""

    invocation: Invocation
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    bodies: Mapping[str, DerivedBody] = field(default_factory=dict)


Branch: TypeAlias = "Callable[[Terms, Sequence[Term]], Sequence[Term]]"
"""Gives values, out of operands that are Terms of the same builder."""


class Terms:
    """A builder whose values are Terms, which may note what is applied.

    is_exact: sums over repetitions are computed in f64
    """

    def __init__(self, builder: OpBuilder, *, is_exact: bool) -> None:
        self.builder, self.is_exact = builder, is_exact
        self.noted: list[Applied] | None = None

    def noting(self) -> Terms:
        """Terms of the same builder that note what is applied."""
        other = Terms(self.builder, is_exact=self.is_exact)
        other.noted = []
        return other

    def term(self, value: Any) -> Any:
        """A value, or a Term of other Terms of the same builder, as a Term of these."""
        if value is None or isinstance(value, (int, float, list, tuple)):
            return value
        if isinstance(value, Term) and value.terms is self:
            return value
        return Term(self, value.value if isinstance(value, Term) else value)

    def op(self, name: str) -> Op:
        op: Op = self.builder.op(name)
        return op

    def apply(
        self, op: Op, operands: Sequence[Any], attributes: Mapping[str, Any], part: str
    ) -> tuple[Term, ...]:
        operands = [self._typed(op, index, operand, operands) for index, operand in enumerate(operands)]
        values = [_value(operand) for operand in operands]
        outputs = tuple(Term(self, value) for value in self.builder.apply(op, values, attributes, part))
        if self.noted is not None:
            self.noted.append(Applied(invocation_of(op, attributes), tuple(operands), outputs))
        return outputs

    def _typed(self, op: Op, index: int, operand: Any, operands: Sequence[Any]) -> Any:
        """An operand; a number takes the type of the Terms whose type must be the same."""
        port = input_spec(op, index)
        if not isinstance(operand, (int, float)) or port.type not in op.definition.types:
            return operand
        for place, other in enumerate(operands):
            if isinstance(other, Term) and input_spec(op, place).type == port.type:
                return np.array(operand).astype(self.fact(other).element_type.dtype)
        return operand

    def applied(self, op: str, *operands: Any, **attributes: Any) -> Term:
        """The first output of an op of an id."""
        found = self.op(op)
        return self.apply(found, operands, attributes, found.definition.type)[0]

    def choose(
        self, condition: Any, then: Branch, otherwise: Branch, operands: Sequence[Any]
    ) -> tuple[Term, ...]:
        """The values of one of two functions, whichever a condition chooses that only a run knows."""
        given = [_value(operand) for operand in operands]
        values = self.builder.choose(_value(condition), then, otherwise, given)  # type: ignore[attr-defined]
        return tuple(Term(self, value) for value in values)

    def constant(self, array: Array, part: str) -> Term:
        return Term(self, self.builder.constant(array, part))

    def fact(self, value: Any) -> Fact:
        inner = value.value if isinstance(value, Term) else value
        return inner.fact if isinstance(inner, Unsaved) else self.builder.fact(inner)


def _value(operand: Any) -> Any:
    if not isinstance(operand, Term):
        return operand
    if isinstance(operand.value, Unsaved):
        raise LookupError(f"a rule uses a tensor ({operand.fact}) that its <gradient> does not save")
    return operand.value


def array_terms(ops: NamedOps) -> Terms:
    """Terms that compute arrays."""
    return Terms(ArrayBuilder(ops), is_exact=True)


# Bodies of If, Loop and TensorIterator.

Place: TypeAlias = tuple[int, int]
"""An output of a layer: its id, and the number of the output."""


@dataclass(frozen=True, slots=True)
class BodyLayer:
    """A layer of a body. invocation: of its op, None for a Parameter or a constant; value: of a constant"""

    id: int
    invocation: Invocation | None
    sources: tuple[Place | None, ...]
    value: Callable[[], Array] | None = None
    bodies: Mapping[str, DerivedBody] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DerivedBody:
    """A body as layers in order. function: the port maps; results: what each Result takes"""

    layers: tuple[BodyLayer, ...]
    parameters: tuple[int, ...]
    results: tuple[Place, ...]
    function: BodyFunction


# What the function of a rule sees.


class Derivation(Expanding):
    """An op whose inputs get cotangents out of those of its outputs.

    outputs: of the op; cotangents: of the outputs, None where none reaches; wanted: the indices of the inputs
    whose cotangents are wanted; bodies: of the op, by name
    """

    builder: Terms

    def __init__(
        self,
        terms: Terms,
        invocation: Invocation,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        cotangents: Sequence[Any],
        wanted: Collection[int],
        bodies: Mapping[str, DerivedBody] = MappingProxyType({}),
    ) -> None:
        super().__init__(terms, invocation, [terms.term(value) for value in inputs])
        self.bodies = bodies
        self.results = [terms.term(value) for value in outputs]
        self._cotangents, self._wanted = [terms.term(value) for value in cotangents], frozenset(wanted)

    @property
    def out(self) -> Any:
        """The first output."""
        return self.results[0]

    @property
    def cot(self) -> Any:
        """The cotangent of the first output."""
        return self.cotangent(0)

    def cotangent(self, index: int) -> Any:
        """The cotangent of an output; zeros where none reaches it."""
        found = self._cotangents[index]
        return self.zeros(self.results[index]) if found is None else found

    def reaches(self, index: int) -> bool:
        """Whether a cotangent reaches an output."""
        return self._cotangents[index] is not None

    def wants(self, name: str) -> bool:
        place = self._places[name]
        if self.op.definition.inputs[place].variadic:
            return any(index >= place for index in self._wanted)
        return place in self._wanted

    def wants_index(self, index: int) -> bool:
        return index in self._wanted

    def sizes_of(self, term: Any) -> Any:
        """The shape of a tensor: integers if it is known, else a Term."""
        shape = self.builder.fact(term).shape
        return list(shape.to_tuple()) if shape.static else self.add("ShapeOf-3", term)

    def nought(self, like: Any) -> Array:
        """0 in the type of a tensor."""
        return self.like(0, self.builder.fact(like).element_type)

    def size(self, term: Any, axis: int) -> Any:
        """The size of an axis: a number if it is known."""
        size = self.builder.fact(term).shape[axis]
        if size.known:
            return int(size)
        return self.add("Gather-8", self.add("ShapeOf-3", term), self.at(axis), self.at(0))

    def vector(self, sizes: Sequence[Any]) -> Any:
        """Sizes, numbers or scalars of i64, as one tensor."""
        if all(isinstance(size, int) for size in sizes):
            return np.array(sizes, np.int64)
        parts = [
            np.array([size], np.int64) if isinstance(size, int) else self.in_shape(size, [1])
            for size in sizes
        ]
        return self.add("Concat-1", *parts, axis=0)

    def numbers_to(self, count: Any) -> Any:
        """0, 1, ... below a number: an array if it is known."""
        if isinstance(count, int):
            return np.arange(count, dtype=np.int64)
        return self.add("Range-4", self.at(0), count, self.at(1), output_type="i64")

    def zeros(self, like: Any) -> Any:
        kind = self.builder.fact(like).element_type
        return self.add("Broadcast-3", self.like(0, kind), self.sizes_of(like))

    def as_shape(self, term: Any, like: Any) -> Any:
        """A tensor reshaped to the shape of another."""
        ours, theirs = self.builder.fact(term).shape, self.builder.fact(like).shape
        if ours.static and theirs.static and ours.to_tuple() == theirs.to_tuple():
            return term
        return self.in_shape(term, self.sizes_of(like))

    def in_shape(self, term: Any, shape: Any) -> Any:
        return self.add("Reshape-1", term, _integers(shape), special_zero=False)

    def transposed(self, term: Any, order: Sequence[int]) -> Any:
        return term if list(order) == sorted(order) else self.add("Transpose-1", term, _integers(order))

    def total(self, term: Any, axes: Any, *, keep: bool = False) -> Any:
        """The sum over axes; of arrays in f64, rounded once."""
        if isinstance(axes, (list, tuple)) and not axes:
            return term
        kind = self.builder.fact(term).element_type
        wide = self.builder.is_exact and kind.name in ("f16", "bf16", "f32")
        wider = self.add("Convert-1", term, destination_type="f64") if wide else term
        found = self.add("ReduceSum-1", wider, _integers(axes), keep_dims=keep)
        return self.add("Convert-1", found, destination_type=kind.name) if wide else found

    def summed_to(self, term: Any, like: Any) -> Any:
        """A cotangent of a tensor that NumPy broadcast, summed over the axes along which it was."""
        ours, theirs = self.builder.fact(term).shape, self.builder.fact(like).shape
        if ours.rank is None or theirs.rank is None:
            raise NotDerivedError("the rank of an input is unknown")
        new = ours.rank - theirs.rank
        sizes = {axis: theirs[axis - new] for axis in range(new, ours.rank)}
        repeated = [*range(new), *(axis for axis, size in sizes.items() if size.known and int(size) == 1)]
        unsure = [
            axis
            for axis, size in sizes.items()
            if size.low <= 1 < size.high and not (size.symbol and size.symbol == ours[axis].symbol)
        ]
        longer = [axis for axis in repeated if axis < new or not (ours[axis].known and int(ours[axis]) == 1)]
        term = self.total(term, longer, keep=True)
        if unsure:
            # OpenVINO takes constant axes alone: each of these is divided into one to sum and one to keep
            target: list[Any] = []
            summed: list[int] = []
            for axis in range(ours.rank):
                kept = self.size(like, axis - new) if axis in unsure else self.size(term, axis)
                if axis in unsure:
                    summed.append(len(target))
                    target.append(self.size(term, axis) / self.add("Maximum-1", kept, 1))
                target.append(kept)
            term = self.total(self.in_shape(term, self.vector(target)), summed)
        return self.as_shape(term, like)

    def where(self, condition: Any, then: Any, otherwise: Any) -> Any:
        if isinstance(then, float) and isinstance(otherwise, float):
            then = self.like(then, self.kind_of(self.cot))
        return self.add("Select-1", condition, then, otherwise)

    def indicator(self, condition: Any, kind: ElementType) -> Any:
        """1 where a condition holds, else 0."""
        return self.add("Convert-1", condition, destination_type=kind.name)

    def kind_of(self, term: Any) -> ElementType:
        return self.builder.fact(term).element_type

    def fixed_shape(self, term: Any) -> tuple[int, ...]:
        """The shape of a tensor. Raises: NotDerivedError where it is not known"""
        shape = self.builder.fact(term).shape
        if not shape.static:
            raise NotDerivedError(f"its gradient needs shapes that are known, and one is {shape.unnamed()}")
        return shape.to_tuple()

    def known_value(self, term: Any) -> Array | None:
        """The elements, if they are known."""
        if isinstance(term, Term) and isinstance(term.value, Unsaved):
            return None
        return None if term is None else self.builder.fact(term).value

    def constant_of(self, name: str) -> list[Any]:
        """The elements of an input that must be known."""
        value = self.known_value(self.input(name))
        if value is None:
            raise NotDerivedError(f"its gradient needs the elements of {name}, which are not constant")
        return list(np.asarray(value).ravel().tolist())

    def scattered(self, term: Any, positions: Any, size: Any) -> Any:
        """A vector of a size: the sums of the elements that go to each position.

        positions: from 1; elements at position 0 go nowhere
        """
        flat, where = self.in_shape(term, [-1]), self.known_value(positions)
        kind = self.kind_of(term)
        if where is not None and isinstance(size, int):
            numbers = np.asarray(where).ravel().astype(np.int64)
            sources = np.zeros(size + 1, np.int64)
            sources[numbers] = np.arange(1, numbers.size + 1)
            counts = np.bincount(numbers, minlength=size + 1)
            if (counts[1:] <= 1).all():
                padded = self.add("Concat-1", np.zeros(1, kind.dtype), flat, axis=0)
                return self.add("Gather-8", padded, sources[1:], self.at(0))
        target = self.add("Broadcast-3", self.like(0, kind), self.vector([size + 1]))
        found = self.add(
            "ScatterElementsUpdate-12", target, self.in_shape(positions, [-1]), flat, self.at(0),
            reduction="sum", use_init_val=True,
        )  # fmt: skip
        return self.add(
            "Slice-8", found, _integers([1]), self.vector([size + 1]), _integers([1]), _integers([0])
        )

    def at(self, number: int) -> Array:
        """A scalar of i64."""
        return np.array(number, np.int64)

    def count(self, like: Any) -> Any:
        """The number of elements of a tensor: a number if it is known."""
        shape = self.builder.fact(like).shape
        if shape.static:
            return prod(shape.to_tuple())
        return self.add("ReduceProd-1", self.add("ShapeOf-3", like), self.at(0))

    def positions(self, like: Any) -> Any:
        """The numbers of the elements of a tensor, from 1: an array if its shape is known."""
        count = self.count(like)
        if isinstance(count, int):
            shape = self.fixed_shape(like)
            return np.arange(1, count + 1, dtype=np.int64).reshape(shape)
        return self.in_shape(self.numbers_to(count) + 1, self.sizes_of(like))

    def numbers_of(self, like: Any, kind: ElementType) -> Any:
        """The numbers of the elements of a tensor as numbers of a type."""
        positions = self.positions(like)
        known = positions if isinstance(positions, Term) else self.value(positions, "numbers")
        return self.typed(known, kind)

    def again(self, *inputs: Any, index: int = 0, changed: Mapping[str, Any] | None = None) -> Any:
        """The op itself, applied to other inputs, with some attributes changed."""
        attributes = {**self.attributes, **(changed or {})}
        given = {name: value for name, value in attributes.items() if value is not None}
        return self.add(self.op.id, *inputs, index=index, **given)

    def sized(self, term: Any, sizes: Mapping[int, int]) -> Any:
        """A tensor cropped, or padded with zeros, at the end of some axes to given sizes."""
        shape = self.fixed_shape(term)
        cropped = {axis: size for axis, size in sizes.items() if size < shape[axis]}
        longer = {axis: size - shape[axis] for axis, size in sizes.items() if size > shape[axis]}
        if cropped:
            axes = list(cropped)
            stops = [cropped[axis] for axis in axes]
            term = self.add("Slice-8", term, *map(_integers, ([0] * len(axes), stops, [1] * len(axes), axes)))
        if longer:
            ends = [longer.get(axis, 0) for axis in range(len(shape))]
            none = _integers([0] * len(shape))
            term = self.add("Pad-12", term, none, _integers(ends), self.nought(term), pad_mode="constant")
        return term


def _integers(numbers: Any) -> Any:
    return np.array(numbers, np.int64) if isinstance(numbers, (list, tuple)) else numbers


# Declarations.

Cotangents: TypeAlias = Mapping[str, Any]
"""By the name of an input, its cotangent, or a list of them for a variadic one; None where there is none."""
Rule: TypeAlias = Callable[[Derivation], Cotangents]
RULES: dict[str, Rule] = {}


def derivative(*ids: str) -> Callable[[Rule], Rule]:
    """Mark a function that gives the cotangents of an op's inputs."""

    def mark(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(ids, rule))
        return rule

    return mark


Slope: TypeAlias = Callable[[Derivation], Any] | float


def elementwise(*ids: str, **slopes: Slope) -> None:
    """Declare the derivative of an elementwise op with respect to each of its inputs, which may broadcast."""

    def rule(d: Derivation) -> Cotangents:
        return {
            name: d.as_shape(d.summed_to(_times(d, slope), aligned(d, name)), d.input(name))
            for name, slope in slopes.items()
            if d.wants(name)
        }

    derivative(*ids)(rule)


def _times(d: Derivation, slope: Slope) -> Any:
    if callable(slope):
        return d.cot * slope(d)
    return d.cot if slope == 1 else d.cot * slope


def aligned(d: Derivation, name: str, to: str = "a") -> Any:
    """An input, reshaped so that NumPy broadcasts it to another one as auto_broadcast says."""
    term = d.input(name)
    if d.attributes.get("auto_broadcast") != "pdpd" or name == to:
        return term
    ours = d.builder.fact(term).shape
    axis, rank = d.attributes["auto_broadcast_axis"], d.fact(to).shape.rank
    if axis == -1 or ours.rank is None or rank is None or rank == len(ours) + axis:
        return term
    shape = list(d.fixed_shape(term)) + [1] * (rank - len(ours) - axis)
    if isinstance(term, Term) and isinstance(term.value, Unsaved):
        return Term(d.builder, Unsaved(Fact(term.fact.element_type, type(ours)(shape))))
    return d.in_shape(term, shape)


Composition: TypeAlias = Callable[[Derivation], Sequence[Any]]


def composition(*ids: str) -> Callable[[Composition], Composition]:
    """Mark a function that gives the outputs of an op in other ops, through which it is differentiated."""

    def mark(function: Composition) -> Composition:
        derivative(*ids)(lambda d: through(d, function))
        return function

    return mark


def through(d: Derivation, function: Composition) -> Cotangents:
    """The cotangents of an op's inputs, back through the ops that give its outputs."""
    inner = d.builder.noting()
    again = Derivation(inner, d.invocation, d.inputs, d.results, d._cotangents, d._wanted, d.bodies)
    outputs = function(again)
    assert inner.noted is not None
    wanted = [again.inputs[index] for index in sorted(d._wanted)]
    seeds = [
        (output, d.cotangent(index))
        for index, output in enumerate(outputs)
        if output is not None and d.reaches(index)
    ]
    found = propagated(d.builder, inner.noted, seeds, wanted)
    by_index = dict(zip(sorted(d._wanted), found))
    result: dict[str, Any] = {}
    for place, port in enumerate(d.op.definition.inputs):
        if port.variadic:
            result[port.name] = [by_index.get(index) for index in range(place, len(d.inputs))]
        elif place in by_index:
            result[port.name] = by_index[place]
    return result


def movement(*ids: str, of: str = "data") -> None:
    """Declare ops whose output consists of elements of one input and zeros; of: the name of the input."""

    def rule(d: Derivation) -> Cotangents:
        data = d.input(of)
        place = d._places[of]
        inputs = [*d.inputs[:place], d.positions(data), *d.inputs[place + 1 :]]
        moved = d.again(*inputs)
        return {of: d.as_shape(d.scattered(d.cot, moved, d.count(data)), data)}

    derivative(*ids)(rule)


Narrowed: TypeAlias = Callable[[Derivation, int, Any], Any]
"""Applies the op to a matrix of unit vectors along one axis: the op, the axis, and the array."""


def separable(*ids: str, of: str = "data") -> Callable[[Narrowed], Narrowed]:
    """Mark a function of linear ops that treat each axis apart, of which it gives one.

    The function gets the unit vectors as rows: an array whose first axis counts them, and whose other axes
    are those of the input, of size 1 but for the one; it gives the op along that axis, None if there is
    nothing to do.
    """

    def mark(narrowed: Narrowed) -> Narrowed:
        def rule(d: Derivation) -> Cotangents:
            return {of: back_along_axes(d, d.input(of), narrowed)}

        derivative(*ids)(rule)
        return narrowed

    return mark


def back_along_axes(d: Derivation, data: Any, narrowed: Narrowed) -> Any:
    found, rank = d.cot, d.builder.fact(data).shape.rank
    if rank is None:
        raise NotDerivedError("the rank of its input is unknown")
    for axis in range(rank):
        size = d.size(data, axis)
        answer = narrowed(d, axis, _units(d, size, axis, rank))
        if answer is None:
            continue
        known = d.known_value(answer)
        matrix: Any = d.in_shape(answer if known is None else known, d.vector([size, -1]))
        order = [other for other in range(rank) if other != axis] + [axis]
        moved = d.add("MatMul-1", d.transposed(found, order), matrix, transpose_b=True)
        found = d.transposed(moved, list(np.argsort(order)))
    return found


def _units(d: Derivation, size: Any, axis: int, rank: int) -> Any:
    """The unit vectors along an axis: an array if their number is known."""
    shape = [size, *(size if other == axis else 1 for other in range(rank))]
    kind = d.kind_of(d.cot)
    if isinstance(size, int):
        return np.eye(size, dtype=kind.dtype).reshape(shape)
    return d.in_shape(d.add("Eye-9", size, size, d.at(0), output_type=kind.name), d.vector(shape))


# Looking rules up, and applying them one after another.


def rule_of(op: Op) -> Rule | None:
    """The rule of an op version: one of its own, or that which follows from its expansions."""
    _load()
    return RULES.get(op.id) or (by_expansion if differentiable_forms(op.id) else None)


def differentiable_forms(op: str) -> list[Expansion]:
    """The expansions of an op through which its derivative follows: those in several ops, otherwise those in
    a version that has a derivative itself.
    """
    forms = expansions_of(op)
    parted = [form for form in forms if form.is_decomposition]
    return parted or [
        form
        for form in forms
        if form.new in RULES or any(other.is_decomposition for other in expansions_of(form.new))
    ]


def by_expansion(d: Derivation) -> Cotangents:
    """The cotangents of the inputs, back through the ops of the first expansion that applies."""
    reasons: list[RefusedError] = []
    for form in differentiable_forms(d.op.id):
        try:
            return through(d, form.values)
        except RefusedError as refusal:
            reasons.append(refusal)
    shown = [reason for reason in reasons if not isinstance(reason, OtherFormError)] or reasons
    raise NotDerivedError("; ".join(map(str, shown)))


@cache
def _load() -> None:
    for module in iter_modules(openvino.__path__, f"{openvino.__name__}."):
        import_module(module.name)


def cotangents_of(derivation: Derivation) -> list[Any]:
    """The cotangent of each input, None for those that get none. Raises: NotDerivedError"""
    op, count = derivation.op, len(derivation.inputs)
    rule = rule_of(op)
    if rule is None:
        raise NotDerivedError(f"irops has no rule for {op.id}")
    found = rule(derivation)
    result: list[Any] = [None] * count
    for place, port in enumerate(op.definition.inputs):
        value = found.get(port.name)
        if value is None or place >= count:
            continue
        if port.variadic:
            result[place:] = list(value)
        else:
            result[place] = value
    return result


FORMULA_PARTS: dict[tuple[str, str], Callable[[Array], bool]] = {}


def part_of_formula(op: str, name: str, holds: Callable[[Array], bool]) -> None:
    """Declare that constants for which a condition holds say which function an op is."""
    FORMULA_PARTS[op, name] = holds


def is_part_of_formula(op: Op, name: str, fact: Fact | None) -> bool:
    """Whether an input of these elements says which function an op is, so that no gradient flows into it."""
    _load()
    holds = FORMULA_PARTS.get((op.id, name))
    return holds is not None and fact is not None and fact.value is not None and holds(np.asarray(fact.value))


def tangents_of(terms: Terms, step: Applied, tangents: Mapping[int, Any]) -> list[Any]:
    """The tangent of each output out of those of some inputs, None where none reaches.

    The cotangents of the inputs are linear in those of the outputs, and the derivative of this function is
    the transpose that is wanted: the rule is applied to cotangents of zeros, and differentiated by them.
    Raises:  NotDerivedError
    """
    noting = terms.noting()
    facts = [noting.fact(value) for value in step.outputs]
    zeros = [
        noting.constant(np.zeros(fact.shape.to_tuple(), fact.element_type.dtype), "zeros")
        if fact.element_type.differentiable
        else None
        for fact in facts
    ]
    derivation = Derivation(noting, step.invocation, step.inputs, step.outputs, zeros, tangents, step.bodies)
    found = cotangents_of(derivation)
    seeds = [
        (found[index], terms.term(tangent))
        for index, tangent in tangents.items()
        if isinstance(found[index], Term)
    ]
    assert noting.noted is not None
    return propagated(terms, noting.noted, seeds, zeros)


def passes(op: Op, name: str, fact: Fact | None) -> bool:
    """Whether a cotangent flows into an input. Raises: NotDerivedError where it would have to and cannot"""
    if name in op.definition.gradients:
        return not is_part_of_formula(op, name, fact)
    stated = op.definition.no_gradient(name)
    if stated is not None and stated.kind == "none":
        raise NotDerivedError(stated.text)
    return False


Refusal: TypeAlias = Callable[[Applied, str], None]
"""Called where a gradient would have to flow through an op and cannot, with the reason."""


def refused(step: Applied, reason: str) -> None:
    raise NotDerivedError(f"{step.invocation.op.id} has no gradient, because {reason}")


def propagated(
    terms: Terms,
    noted: Sequence[Applied],
    seeds: Sequence[tuple[Any, Any]],
    wanted: Sequence[Any],
    refuse: Refusal = refused,
) -> list[Any]:
    """The cotangents of some Terms, back through what was applied; None where none reaches.

    seeds: Terms with their cotangents
    """
    active = {id(term) for term in wanted if isinstance(term, Term)}
    paths: list[tuple[Applied, list[int], str]] = []
    for step in noted:
        into: list[int] = []
        blocked = ""
        for index, term in enumerate(step.inputs):
            if id(term) in active:
                try:
                    into += (
                        [index]
                        if passes(step.invocation.op, _port_of(step.invocation.op, index), term.fact)
                        else []
                    )
                except NotDerivedError as error:
                    blocked = str(error)
        if into or blocked:
            paths.append((step, into, blocked))
            active.update(id(term) for term in step.outputs if term.fact.element_type.differentiable)
    found: dict[int, Any] = {}
    for term, cotangent in seeds:
        _collect(found, term, cotangent)
    for step, into, blocked in reversed(paths):
        reaching = [found.get(id(term)) for term in step.outputs]
        if all(cotangent is None for cotangent in reaching):
            continue
        reason = blocked
        if not reason:
            derivation = Derivation(
                terms, step.invocation, step.inputs, step.outputs, reaching, into, step.bodies
            )
            try:
                back = cotangents_of(derivation)
            except (NotDerivedError, RefusedError) as error:
                reason = str(error)
            except (OpFault, DiagnosticError) as error:  # of an op of the rule, which takes less than this op
                reason = error.message if isinstance(error, OpFault) else error.diagnostics[0].message
        if reason:
            refuse(step, reason)
            continue
        for index in into:
            if back[index] is not None:
                _collect(found, step.inputs[index], back[index])
    return [found.get(id(term)) for term in wanted]


def _port_of(op: Op, index: int) -> str:
    return input_spec(op, index).name


def _collect(found: dict[int, Any], term: Any, cotangent: Any) -> None:
    before = found.get(id(term))
    found[id(term)] = cotangent if before is None else before + cotangent
