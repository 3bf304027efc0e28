"""How an op is said in other ops: what the functions of expansions see, and how they are declared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Protocol, TypeAlias

import numpy as np

from irops.expansion import openvino
from irops.ops.invocation import Invocation, OpFault
from irops.spec.domains import format_value
from irops.spec.op import Op
from irops.values.dim import Dim
from irops.values.element import DYNAMIC, I64, Array, ElementType, as_i64, tagged
from irops.values.fact import Fact
from irops.values.shape import Shape


class RefusedError(Exception):
    """An expansion does not apply to an op; the text is the reason, to be read after the name of a layer."""


class OtherFormError(RefusedError):
    """An expansion is for ops of another kind; the reason is of interest only if no other one gives one."""


# Where the ops of an expansion go.


class OpBuilder(Protocol):
    """Takes the ops of an expansion, and gives a value for each of their outputs.

    A value is what the builder says: an array, a Value of a graph. Operands are values, arrays, and numbers
    or lists of them, which take the element type that the op requires.
    """

    def op(self, name: str) -> Op:
        """The op of an id; of a type alone, the version that the values are computed with."""

    def apply(
        self, op: Op, operands: Sequence[Any], attributes: Mapping[str, Any], part: str
    ) -> Sequence[Any]:
        """Apply an op. part: what distinguishes it from the other ops of the expansion, for its name"""

    def constant(self, array: Array, part: str) -> Any:
        """A value of known elements."""

    def fact(self, value: Any) -> Fact:
        """What is known of a value or an operand."""


# An op during its expansion.


class Expanding:
    """An op with its inputs by name, and the builder that takes the ops in its place.

    op.Exp(value) applies an op by its type, op.add("Exp-1", value) by its id.

    invocation: the op with its attributes; inputs: values of the builder, None for one that is left out;
    texts: the attributes as a file has them; uses: whether an output of a number is used; outputs: what is
    known of the outputs, where that is known before; is_named: whether the output is a result, whose name
    stays
    Raises:  RefusedError where an axis is out of range
    """

    def __init__(
        self,
        builder: OpBuilder,
        invocation: Invocation,
        inputs: Sequence[Any],
        *,
        texts: Mapping[str, str] | None = None,
        uses: Callable[[int], bool] = lambda _: True,
        outputs: Sequence[Fact] = (),
        is_named: bool = False,
    ) -> None:
        self.builder, self.invocation, self.op, self.uses = builder, invocation, invocation.op, uses
        self.is_named = is_named
        self._inputs, self._texts, self._outputs = list(inputs), texts or {}, outputs
        try:
            self._by_name = invocation.normal_attributes(self.input_facts)
        except OpFault as fault:
            raise RefusedError(fault.message) from None
        spelled = self.op.definition.attributes
        self.attributes: dict[str, Any] = {spelled[n].parameter: v for n, v in self._by_name.items()}
        """The values of the attributes by Python name, axes counted from 0 where ranks are known."""
        self._places = {port.name: place for place, port in enumerate(self.op.definition.inputs)}

    # what the op has

    @property
    def inputs(self) -> list[Any]:
        return list(self._inputs)

    @property
    def input_facts(self) -> list[Fact | None]:
        return [None if value is None else self.builder.fact(value) for value in self._inputs]

    def optional(self, name: str) -> Any:
        """The input of a name; None where it is left out."""
        place = self._places[name]
        return self._inputs[place] if place < len(self._inputs) else None

    def input(self, name: str) -> Any:
        """An input that cannot be left out."""
        value = self.optional(name)
        if value is None:
            raise RefusedError(f"it has no input {name}")
        return value

    def variadic(self, name: str) -> list[Any]:
        """The inputs of a variadic port."""
        return self._inputs[self._places[name] :]

    def fact(self, name: str) -> Fact:
        value = self.optional(name)
        return Fact() if value is None else self.builder.fact(value)

    def output(self, index: int) -> Fact:
        """What is known of an output. Raises: RefusedError where its inputs break a requirement"""
        if not self._outputs:
            try:
                self._outputs = self.invocation.infer(self.input_facts)
            except OpFault as fault:
                raise RefusedError(fault.message) from None
        return self._outputs[index]

    def sizes(self, name: str, purpose: str) -> tuple[Dim, ...]:
        """The sizes of an input. Raises: RefusedError where its rank is unknown; purpose: what needs it"""
        dims = self.fact(name).shape.dims
        if dims is None:
            raise RefusedError(f"the rank of {name} is unknown, but {purpose}")
        return dims

    def static_sizes(self, name: str, purpose: str) -> tuple[int, ...]:
        """The sizes of an input, all of which are known."""
        shape = Shape(self.sizes(name, purpose))
        if not shape.static:
            raise RefusedError(f"the shape of {name} is {shape.unnamed()}, but {purpose}")
        return shape.to_tuple()

    def numbers(self, name: str) -> list[int] | None:
        """The elements of an integer input as far as they follow from constants; None if they do not."""
        value = self.fact(name).value if self.optional(name) is not None else None
        return None if value is None else [int(number) for number in as_i64(value).ravel()]

    def constant(self, name: str, purpose: str) -> list[int]:
        """The elements of an integer input that must be constant."""
        numbers = self.numbers(name)
        if numbers is None:
            raise RefusedError(f"{name} is not constant, but {purpose}")
        return numbers

    def element_type(self, name: str, purpose: str = "the conversion depends on it") -> ElementType:
        kind = self.fact(name).element_type
        if kind is DYNAMIC:
            raise RefusedError(f"the element type of {name} is unknown, but {purpose}")
        return kind

    def real_type(self, name: str) -> ElementType:
        """The element type of an input of real numbers, in which an expansion computes them.

        Raises:  RefusedError for integers, for which results of real numbers are rounded, and for types too
                 narrow to hold the numbers in between
        """
        kind = self.element_type(name, "an op of real numbers rounds for integers")
        if not kind.floating:
            raise RefusedError(f"its input is {kind}, for which the result is rounded to an integer")
        if kind.bits < 16:
            raise RefusedError(f"its input is {kind}, which is too narrow for the steps in between")
        return kind

    def of_rank(self, name: str, purpose: str) -> int:
        """The rank of an input. Raises: RefusedError where it is unknown"""
        return len(self.sizes(name, purpose))

    def shape_of(self, name: str, part: str = "shape") -> Any:
        """The shape of an input as an i64 tensor: a constant where it is known."""
        shape = self.fact(name).shape
        if shape.static:
            return np.array(shape.to_tuple(), np.int64)
        return self.add("ShapeOf-3", self.input(name), part=part, output_type=I64)

    # attributes of the replacement

    def carried(
        self, *, without: Collection[str] = (), added: Mapping[str, Any] | None = None, **changed: Any
    ) -> dict[str, Any]:
        """The attributes by Python name, as the file has them where the replacement may have them so.

        without: those to leave out, beside those that a replacement does not have
        """
        texts: dict[str, Any] = {}
        known = self.op.definition.attributes
        for name, value in self._by_name.items():
            if known[name].parameter not in without:
                texts[known[name].parameter] = KeptAttribute(value, self._texts.get(name))
        return {**texts, **(added or {}), **changed}

    def require_attribute(self, name: str, value: Any, older: str) -> None:
        """Raises: RefusedError where an attribute has another value than an older version implies"""
        actual = self.attributes.get(name)
        if actual != value:
            shown = f"{name}={format_value(actual)}"
            raise RefusedError(f"it has {shown}; {older} computes as with {format_value(value)}")

    def broadcasting(self) -> dict[str, Any]:
        """The attributes of an elementwise op that say how its inputs are broadcast."""
        return {name: self.attributes[name] for name in ("auto_broadcast", "auto_broadcast_axis")}

    # ops in its place

    def add(self, op: str, *operands: Any, part: str = "", index: int = 0, **attributes: Any) -> Any:
        """Apply an op. part: what distinguishes its name, by default its type; index: of the output"""
        return self.all_of(op, *operands, part=part, **attributes)[index]

    def all_of(self, op: str, *operands: Any, part: str = "", **attributes: Any) -> Sequence[Any]:
        """Apply an op; all of its outputs."""
        found = self.builder.op(op)
        return self.builder.apply(found, operands, attributes, part or found.definition.type)

    def reshaped(self, value: Any, sizes: Sequence[Dim | int], part: str = "") -> Any:
        """A value with other sizes, of which one may be unknown. Raises: RefusedError where more are"""
        dims = [Dim.of(size) for size in sizes]
        unknown = sum(not dim.known for dim in dims)
        if unknown > 1 or (unknown and any(dim.low == 0 for dim in dims if dim.known)):
            raise RefusedError(f"a Reshape to {Shape(dims).unnamed()} has more than one unknown size")
        numbers = np.array([int(dim) if dim.known else -1 for dim in dims], np.int64)
        return self.add("Reshape-1", value, numbers, part=part, special_zero=False)

    def __getattr__(self, type: str) -> Callable[..., Any]:
        if not type[0].isupper():
            raise AttributeError(type)
        return lambda *operands, **keywords: self.add(type, *operands, **keywords)

    def value(self, array: Array, part: str) -> Any:
        """A value of known elements."""
        return self.builder.constant(array, part)

    def typed(self, value: Any, kind: ElementType, part: str = "") -> Any:
        """A value converted to an element type; the value itself, if it has this type."""
        if self.builder.fact(value).element_type is kind:
            return value
        return self.add("Convert-1", value, part=part, destination_type=kind.name)

    def like(self, number: float, kind: ElementType) -> Array:
        """A scalar of an element type."""
        return tagged(np.array(number).astype(kind.dtype), kind)


@dataclass(frozen=True, slots=True)
class KeptAttribute:
    """The value of an attribute that a replacement takes over if it has it, and its text in the file."""

    value: Any
    text: str | None


@dataclass(frozen=True, slots=True)
class ReplacingOp:
    """What an op becomes: the op that its expansion declares, with these inputs and attributes, in its place.

    inputs: operands in the order of the definition, None for one that is left out
    """

    inputs: Sequence[Any]
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def operands(self, op: Op, new: Op) -> list[Any]:
        """The inputs without those at the end that are left out. Raises: RefusedError for too many"""
        operands = list(self.inputs)
        while operands and operands[-1] is None:
            operands.pop()
        ports = new.definition.inputs
        if len(operands) > len(ports) and not new.is_variadic:
            extra = op.definition.inputs[len(ports)].name
            raise RefusedError(f"it has the input {extra}, which {new.id} does not have")
        return operands

    def attributes_for(self, new: Op) -> dict[str, Any]:
        """The attributes as the new op takes them; those that were carried over only where it has them."""
        known = {attribute.parameter: attribute for attribute in new.definition.attributes.values()}
        found: dict[str, Any] = {}
        for name, value in self.attributes.items():
            if not isinstance(value, KeptAttribute):
                found[name] = value
            elif name in known:
                is_axis = known[name].type in ("axis", "axes")
                text = value.text
                is_given = text is not None and not (is_axis and "-" in text and known[name].low >= 0)
                found[name] = text if is_given else value.value
        return found


@dataclass(frozen=True, slots=True)
class Outputs:
    """What takes the place of each output of an op."""

    values: Sequence[Any]


Function: TypeAlias = Callable[[Expanding], Any]
"""Gives a ReplacingOp, Outputs, or the value of the only output."""


# Declarations.


@dataclass(frozen=True, slots=True)
class Expansion:
    """An op said in other ops. function: raises RefusedError where the op has no such form

    old: the op; new: the op that it becomes, "" where its outputs are values alone; rounds: what the results
    may differ by, "" where they are equal bit for bit; is_decomposition: whether it becomes several ops, so
    that the expansion is used only where something has not the op itself.
    """

    old: str
    new: str
    function: Function
    rounds: str = ""
    is_decomposition: bool = False

    @property
    def is_of_one_type(self) -> bool:
        return self.old.rpartition("-")[0] == self.new.rpartition("-")[0]

    def replacement(self, subject: Expanding) -> ReplacingOp | Outputs:
        """What takes the place of an op. Raises: RefusedError where the expansion does not apply"""
        made = self.function(subject)
        return made if isinstance(made, (ReplacingOp, Outputs)) else Outputs([made])

    def values(self, subject: Expanding) -> Sequence[Any]:
        """The values of the outputs. Raises: RefusedError where it does not apply"""
        made = self.replacement(subject)
        if isinstance(made, Outputs):
            return made.values
        new = subject.builder.op(self.new)
        return subject.builder.apply(new, made.operands(subject.op, new), made.attributes_for(new), "")


EXPANSIONS: dict[str, list[Expansion]] = defaultdict(list)
"""The expansions that were declared, by the op that they expand; see expansions_of."""


@cache
def _load() -> None:
    """Import the modules that declare expansions of irops' own ops."""
    for found in iter_modules(openvino.__path__):
        import_module(f"{openvino.__name__}.{found.name}")


def expansions_of(op: str) -> Sequence[Expansion]:
    """The expansions of an op version, in the order in which they are tried."""
    _load()
    return EXPANSIONS.get(op, ())


def expanded_ops() -> Iterator[str]:
    """The op versions that have expansions."""
    _load()
    return iter(EXPANSIONS)


def add(expansion: Expansion) -> None:
    """Declare an expansion. Forms in one op are tried before those in several, whichever comes first."""
    known = EXPANSIONS[expansion.old]
    parted = (place for place, other in enumerate(known) if other.is_decomposition)
    known.insert(len(known) if expansion.is_decomposition else next(parted, len(known)), expansion)


def expansion(
    old: str, new: str = "", *, rounds: str = "", decomposition: bool | None = None
) -> Callable[[Function], Function]:
    """Mark a function as an expansion of an op.

    new: the op that it becomes, where the function gives a ReplacingOp; rounds: what results may differ by
    """

    def mark(function: Function) -> Function:
        made = Expansion(old, new, function, rounds)
        parted = not made.is_of_one_type if decomposition is None else decomposition
        add(Expansion(old, new, function, rounds, parted))
        return function

    return mark


def versions(old: str, new: str, **fixed: Any) -> None:
    """Declare that a newer version with some attributes fixed means what an older one does: two expansions.

    fixed: the attributes that the older version does not have, by Python name, with the values of its meaning
    """
    newer(old, new, **fixed)
    add(Expansion(new, old, _Narrowed(dict(fixed), old)))


def newer(old: str, new: str, **fixed: Any) -> None:
    """Declare the form in a newer version alone, for pairs with a function of their own for the older one."""
    add(Expansion(old, new, _Widened(dict(fixed))))


@dataclass(frozen=True, slots=True)
class _Widened:
    """The function of a newer form."""

    fixed: Mapping[str, Any]

    def __call__(self, subject: Expanding) -> ReplacingOp:
        return ReplacingOp(subject.inputs, subject.carried(added=self.fixed))


@dataclass(frozen=True, slots=True)
class _Narrowed:
    """The function of an older form."""

    fixed: Mapping[str, Any]
    old: str

    def __call__(self, subject: Expanding) -> ReplacingOp:
        for name, value in self.fixed.items():
            subject.require_attribute(name, value, self.old)
        return ReplacingOp(subject.inputs, subject.carried())
