"""An op applied to inputs: binding, validation, inference, computation and gradients in one place."""

from collections.abc import Callable, Collection, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from irops.diagnostics.diagnostic import Diagnostic, Location
from irops.diagnostics.printable import shortened
from irops.diagnostics.rules import rule
from irops.files.limits import notes as limit_notes
from irops.ops import stock
from irops.spec.attributes import AttributeFault, bind, bound_values
from irops.spec.definition import PortSpec
from irops.spec.extension import is_extension
from irops.spec.op import Op
from irops.values.dim import MAX_DIM
from irops.values.element import DYNAMIC, ElementType, element_type
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import LimitExceeded, Violation


class OpFault(Exception):
    """An op and its inputs do not meet the definition, or a function of the op fails.

    rule: the name of the diagnostic rule; constraint: the number of the broken requirement, if it is one;
    at: the byte offset of the cause, where that is not the layer as a whole; violation: the Violation that
    it comes from, if any.
    """

    def __init__(
        self,
        rule: str,
        message: str,
        constraint: str | None = None,
        at: int = -1,
        violation: Violation | None = None,
    ) -> None:
        super().__init__(rule, message, constraint, at)
        self.rule, self.message, self.constraint, self.at = rule, message, constraint, at
        self.violation = violation

    def __str__(self) -> str:
        return self.message

    def diagnostic(self, op: Op, location: Location, facts: str | None = None) -> Diagnostic:
        """This fault of an op as a finding at a place. facts: the inputs and attributes, on one line."""
        constraint = None if self.constraint is None else op.definition.constraints[self.constraint]
        about = None if constraint is None else f"{op.id}:{constraint.id}"
        level, notes = None if constraint is None else constraint.severity, limit_notes(self.rule)
        return Diagnostic(rule(self.rule), self.message, location, about, facts, notes, level=level)


FAULTS = (OpFault, Violation, LimitExceeded, MemoryError)
"""The exceptions that functions of an op raise on purpose, and the one where its outputs do not fit."""


def fault_of(op: Op, error: Exception) -> OpFault:
    """The fault of an op for an exception of FAULTS: a broken requirement, a limit, or too little memory.

    Raises:  KeyError where a function of irops' own cites a requirement that the definition lacks
    """
    match error:
        case OpFault():
            return error
        case Violation():
            return _broken(op, error)
        case LimitExceeded():
            return OpFault(error.rule, str(error))
    return OpFault("out-of-memory", f"{op.id} does not fit into the memory of this machine")


def _broken(op: Op, violation: Violation) -> OpFault:
    """The sentence of the definition, and the values that break it."""
    constraint = op.definition.constraints.get(violation.constraint)
    if constraint is None and is_extension(op.module):
        message = (
            f"a function of {op.id} cites {violation.constraint}, must cite a requirement of its definition"
        )
        return OpFault("undefined-constraint", message)
    if constraint is None:
        raise KeyError(f"{op.id} has no constraint {violation.constraint}") from violation
    detail = f"; {violation.detail}" if violation.detail else ""
    message = f"{op.id} requires: {constraint.text}{detail}"
    return OpFault("violated-constraint", message, constraint.id, violation.at, violation)


def named_inputs(op: Op, inputs: Sequence[Any]) -> dict[str, Any]:
    """Inputs by their names in the definition: a tuple for a variadic one, None for an optional one left out.

    Raises:  OpFault where there are too many or too few
    """
    ports, is_variadic, min_inputs = op.definition.inputs, op.is_variadic, op.min_inputs
    count = len(inputs)
    if count == min_inputs == len(ports) and not is_variadic and all(item is not None for item in inputs):
        return {port.name: item for port, item in zip(ports, inputs)}
    given = (*inputs, *(None,) * len(ports))
    missing = next((p.name for p, item in zip(ports, given) if not p.optional and item is None), None)
    if count < min_inputs or (count > len(ports) and not is_variadic):
        message = f"{op.id} has {count} input{'s' * (count != 1)}, takes {_input_counts(op)}"
        raise OpFault("wrong-number-of-inputs", message)
    if missing is not None:
        raise OpFault("wrong-number-of-inputs", f"{op.id} has no input {missing}")
    named: dict[str, Any] = {p.name: inputs[k] if k < count else None for k, p in enumerate(ports)}
    if is_variadic:
        named[ports[-1].name] = tuple(inputs[len(ports) - 1 :])
    return named


def require_all(op: Op, inputs: Sequence[Any], attributes: Collection[str]) -> None:
    """Name at once what a call lacks. attributes: the names of those that it gives

    Raises:  OpFault where it lacks both inputs and attributes; what it lacks alone is reported elsewhere
    """
    given = (*inputs, *(None,) * len(op.definition.inputs))
    ports = [p.name for p, item in zip(op.definition.inputs, given) if not p.optional and item is None]
    known = op.definition.attributes
    lacking = [a.parameter for a in known.values() if a.required and a.name not in attributes]
    if ports and lacking and known.keys() >= set(attributes):
        raise OpFault("missing-attribute", f"{op.id} needs {', '.join((*ports, *lacking))}")


def _input_counts(op: Op) -> str:
    """How many inputs an op takes, in words."""
    if op.is_variadic:
        return f"{op.min_inputs} or more"
    count = len(op.definition.inputs)
    return str(count) if op.min_inputs == count else f"{op.min_inputs} to {count}"


def positional(op: Op, named: Mapping[str, Any]) -> list[Any]:
    """Named inputs in the order in which functions take them; those of a variadic one follow one by one."""
    values: list[Any] = []
    for port in op.definition.inputs:
        if port.variadic:
            values.extend(named[port.name])
        else:
            values.append(named[port.name])
    return values


def input_spec(op: Op, index: int) -> PortSpec:
    """The port of the definition that an input belongs to."""
    ports = op.definition.inputs
    return ports[min(index, len(ports) - 1)]


def element_types(op: Op, inputs: Sequence[Fact | None]) -> dict[str, ElementType]:
    """The element types of the definition's type variables.

    Raises:  OpFault where an input has a type that the definition does not allow
    """
    bound: dict[str, ElementType] = {}
    first: dict[str, str] = {}
    for index, fact in enumerate(inputs):
        if fact is None or fact.element_type is DYNAMIC:
            continue
        spec, kind = input_spec(op, index), fact.element_type
        if kind.name not in spec.allowed:
            variable = op.definition.types.get(spec.type)
            allowed = variable.text if variable else spec.type
            message = f"{op.id} does not accept {kind} for input {spec.name!r}; must be {allowed}"
            raise OpFault("unsupported-element-type", message)
        before = bound.setdefault(spec.type, kind)
        if before is not kind and spec.type in op.definition.types:
            wanted = f"{first[spec.type]} and {spec.name} of one element type"
            message = f"{op.id} takes {wanted}; got {before} and {kind}"
            raise OpFault("mismatched-element-types", message)
        first.setdefault(spec.type, spec.name)
    return bound


def check_ranks(op: Op, inputs: Sequence[Fact | None]) -> None:
    """Validate the ranks of the inputs. Raises: OpFault"""
    for index, fact in enumerate(inputs):
        if fact is None or fact.shape.dims is None:
            continue
        spec, rank = input_spec(op, index), len(fact.shape.dims)
        if not spec.low_rank <= rank <= spec.high_rank:
            message = f"{op.id} takes {spec.name} of rank {spec.ranks}; got rank {rank}, {fact.shape}"
            raise OpFault("unsupported-rank", message)


def with_normal_axes(op: Op, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """The attributes, with axes counted from 0 where the rank of the input that they refer to is known.

    inputs: Facts or arrays
    Raises:  OpFault where an axis is out of range
    """
    result = attributes
    for attribute in op.axes:
        name = attribute.name
        value = attributes.get(name)
        if value is None:
            continue
        rank = _rank_of(op, inputs, attribute.of)
        if rank is not None:
            axes = value if isinstance(value, tuple) else (value,)
            normal = tuple(_normal(axis, rank, name, attribute.of) for axis in axes)
            result = {**result, name: normal if isinstance(value, tuple) else normal[0]}
    return result


def _normal(axis: int, rank: int, name: str, of: str | None) -> int:
    if not -rank <= axis < rank:
        message = f"{name} is {axis}, must be in [{-rank}, {rank - 1}]: {of} has rank {rank}"
        raise OpFault("axis-out-of-range", message)
    return axis + rank if axis < 0 else axis


def _rank_of(op: Op, inputs: Sequence[Any], name: str | None) -> int | None:
    for index, item in enumerate(inputs):
        if item is not None and input_spec(op, index).name == name:
            rank: int | None = item.shape.rank if isinstance(item, Fact) else item.ndim
            if rank is not None:
                return rank
    return None


def output_shapes(
    op: Op, named: Mapping[str, Any], attributes: Mapping[str, Any], keywords: Mapping[str, Any]
) -> tuple[Shape | Fact, ...]:
    """The shapes of the outputs, or Facts where the shape function says more.

    Raises:  OpFault for a broken requirement, and where a shape function fails otherwise
    """
    try:
        return _shapes(op, named, attributes, keywords)
    except Violation as violation:
        raise fault_of(op, violation) from None
    except (OpFault, LimitExceeded, MemoryError, RecursionError):
        raise
    except Exception as error:
        message = f"the shape function of {op.id} failed: {type(error).__name__}: {error}"
        raise OpFault("failed-shape-function", message) from error


def _shapes(
    op: Op, named: Mapping[str, Any], attributes: Mapping[str, Any], keywords: Mapping[str, Any]
) -> tuple[Shape | Fact, ...]:
    function = op.functions.shape
    if function is None:
        return tuple(_stock(port, named, attributes) for port in op.definition.outputs)
    result = function(*positional(op, named), **keywords)
    shapes = result if isinstance(result, tuple) else (result,)
    if is_extension(op.module):
        # a user-defined op may return anything: one shape per output
        ports = op.definition.outputs
        for item in shapes:
            if not isinstance(item, (Shape, Fact)):
                message = f"the shape function of {op.id} gives {item!r}, must give a Shape or a Fact"
                raise OpFault("failed-shape-function", message)
        if len(shapes) != len(ports) and not (ports and ports[-1].variadic):
            message = f"the shape function of {op.id} gives {len(shapes)} shapes, must give {len(ports)}"
            raise OpFault("failed-shape-function", message)
    return shapes


def _stock(port: PortSpec, named: Mapping[str, Any], attributes: Mapping[str, Any]) -> Shape:
    assert port.shape is not None, f"{port.name} has neither a shape function nor a shape rule"
    rule, *words = port.shape
    return stock.RULES[rule](*(stock.argument(word, named, attributes) for word in words))


def output_facts(
    op: Op, shapes: tuple[Shape | Fact, ...], types: Mapping[str, ElementType], attributes: Mapping[str, Any]
) -> tuple[Fact, ...]:
    """The Facts of outputs of these shapes; types: of the definition's type variables.

    Raises:  OpFault where a tensor has more elements than 64 bits can count
    """
    ports = op.definition.outputs
    facts = []
    for index, shape in enumerate(shapes):
        if isinstance(shape, Fact):
            fact = shape
        else:
            port = ports[min(index, len(ports) - 1)]
            fact = Fact(_output_type(port, types, attributes), shape)
        lows = [dim.low for dim in fact.shape.dims or ()]
        if any(low > MAX_DIM for low in lows):
            raise OpFault("overflowing-shape", f"{op.id} gives {fact.shape}, must fit into 64 bits")
        if prod(lows) > MAX_DIM:
            message = f"{op.id} gives {fact.shape}, whose elements are more than 64 bits can count"
            raise OpFault("overflowing-shape", message)
        facts.append(fact)
    return tuple(facts)


def _output_type(
    port: PortSpec, types: Mapping[str, ElementType], attributes: Mapping[str, Any]
) -> ElementType:
    if port.type.startswith("@"):
        kind: ElementType | None = attributes[port.type[1:]]
        return kind or DYNAMIC
    if port.type in types:
        return types[port.type]
    return element_type(next(iter(port.allowed))) if len(port.allowed) == 1 else DYNAMIC


Extras = Mapping[str, Any]
"""The arguments that functions may take beside attributes: bodies by name, and irops.spec.binding.CONTEXT."""
NO_EXTRAS: Extras = {}
Texts = tuple[str, ...]
"""The attributes of a layer in one tuple: first the names of all, then their texts."""


class Invocation:
    """An op applied with some attributes. Immutable: equal layers share one, between threads too.

    op: the op; faults: what is wrong with the texts that the attributes were bound from; usable: whether the
    attributes are good enough to infer and compute with.
    """

    __slots__ = ("_texts", "_values", "faults", "like", "op", "usable")

    def __init__(self, op: Op, attributes: Mapping[str, str] | None = None) -> None:
        """attributes: texts by name, as <data> of a file has them."""
        bound = bind(op, attributes or {})
        self.op = op
        self._values: Mapping[str, Any] | None = bound.values
        self._texts: Texts = ()
        self.faults: tuple[AttributeFault, ...] = bound.faults
        self.usable = bound.usable
        self.like: Invocation | None = None
        """The invocation from which this one differs only in numbers that inference does not depend on."""

    @classmethod
    def of_values(cls, op: Op, values: Mapping[str, Any]) -> "Invocation":
        """The invocation with attribute values by name; those left out have their default."""
        return cls._made(op, bound_values(op, values))

    @classmethod
    def _made(
        cls, op: Op, values: Mapping[str, Any] | None, texts: Texts = (), like: "Invocation | None" = None
    ) -> "Invocation":
        made = cls.__new__(cls)
        made.op, made._values, made._texts, made.like = op, values, texts, like
        made.faults, made.usable = (), True
        return made

    def with_texts(self, texts: Texts) -> "Invocation":
        """This invocation, which is free of faults, with other numbers that inference does not depend on.

        texts: must be valid; they are bound when the attributes are first asked for
        """
        return self._made(self.op, None, texts, self.like or self)

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The attribute values by name, defaults filled in."""
        values = self._values
        if values is None:
            middle = len(self._texts) // 2
            texts = dict(zip(self._texts[:middle], self._texts[middle:]))
            values = self._values = bind(self.op, texts).values
        return values

    def infer(self, facts: Sequence[Fact | None], extras: Extras = NO_EXTRAS) -> tuple[Fact, ...]:
        """The Facts of the outputs.

        facts: of the inputs in order, None for an optional one that is left out
        Raises:  OpFault for the first requirement that is broken; LimitExceeded
        """
        op = self.op
        named = named_inputs(op, facts)
        if op.definition.bodies:
            missing = next((name for name in op.definition.bodies if name not in extras), None)
            if missing is not None:
                raise OpFault("missing-body", f"{op.id} has no {missing}")
        types = element_types(op, facts)
        check_ranks(op, facts)
        attributes = with_normal_axes(op, facts, self.attributes)
        keywords = self._selected("shape", attributes, extras) if op.functions.shape is not None else {}
        return output_facts(op, output_shapes(op, named, attributes, keywords), types, attributes)

    def compute(
        self,
        arrays: Sequence[Any],
        *,
        kernel: Callable[..., Any] | None = None,
        keywords: Mapping[str, Any] | None = None,
        extras: Extras = NO_EXTRAS,
    ) -> tuple[Any, ...]:
        """The outputs, always as a tuple.

        arrays: the inputs in order, None for an optional one that is left out; kernel: of a backend, the
        reference by default; keywords: the keyword arguments of the kernel, if they are known already
        Raises:  OpFault where the inputs do not fit; whatever the kernel raises
        """
        function = kernel or self.op.functions.kernel
        assert function is not None
        if keywords is None:
            keywords = self.keywords("kernel", arrays, extras)
        arguments = positional(self.op, named_inputs(self.op, arrays))
        with np.errstate(all="ignore"):
            result = function(*arguments, **keywords)
        return result if isinstance(result, tuple) else (result,)

    def partial_values(self, dims: Sequence[Any], extras: Extras = NO_EXTRAS) -> tuple[Any, ...]:
        """The outputs as far as they are known, from arrays of Dims; raises as compute does."""
        assert self.op.functions.values is not None
        return self.compute(
            dims, kernel=self.op.functions.values, keywords=self.keywords("values", dims, extras)
        )

    def gradient(
        self,
        of: str,
        cotangents: Sequence[Any],
        saved: Mapping[str, Any],
        inputs: Sequence[Fact | None],
        kernel: Callable[..., Any] | None = None,
    ) -> tuple[Any, ...]:
        """The gradients of the inputs of one port, always as a tuple: one for each input of a variadic port.

        of: the name of the port; cotangents: the gradient of every output of the definition (a tuple for a
        variadic one); saved: inputs and outputs of the forward pass by name; inputs: Facts of all inputs;
        kernel: of the op, where it computes the gradient
        Raises:  OpFault where an axis is out of range; whatever the function of the gradient raises
        """
        attributes = with_normal_axes(self.op, inputs, self.attributes)
        role = f"gradient of {of}" if kernel is None else "kernel"
        keywords = self._selected(role, attributes, _about(self.op, inputs) if kernel is None else NO_EXTRAS)
        arguments = [saved[name] for name in self.op.definition.gradients[of].saves]
        with np.errstate(all="ignore"):
            result = (kernel or self.op.functions.gradients[of])(*cotangents, *arguments, **keywords)
        return result if isinstance(result, tuple) else (result,)

    def normal_attributes(self, inputs: Sequence[Any]) -> Mapping[str, Any]:
        """The attribute values by name, with axes counted from 0 where ranks are known. Raises: OpFault"""
        return with_normal_axes(self.op, inputs, self.attributes)

    def keywords(self, role: str, inputs: Sequence[Any], extras: Extras = NO_EXTRAS) -> dict[str, Any]:
        """The keyword arguments of a function of the op.

        role: shape, kernel or values; inputs: Facts or arrays, for the ranks that axes need
        Raises:  OpFault where an axis is out of range
        """
        return self._selected(role, with_normal_axes(self.op, inputs, self.attributes), extras)

    def with_values(self, attributes: Mapping[str, Any]) -> "Invocation":
        """This invocation with all attribute values replaced."""
        made = self._made(self.op, attributes)
        made.faults, made.usable = self.faults, self.usable
        return made

    def _selected(self, role: str, attributes: Mapping[str, Any], extras: Extras) -> dict[str, Any]:
        """The keyword arguments of a function, out of attributes, bodies and context."""
        names = self.op.functions.keyword_params[role]
        if not names:
            return {}
        known = self.op.definition.attributes
        everything = {**{known[name].parameter: value for name, value in attributes.items()}, **extras}
        return {name: everything[name] for name in names if name in everything}

    def __repr__(self) -> str:
        stated = ", ".join(f"{name}={value}" for name, value in self.attributes.items())
        return f"<Invocation {self.op.id}({shortened(stated, 200)})>"


def _about(op: Op, inputs: Sequence[Fact | None]) -> dict[str, Any]:
    """Shapes and element types of the inputs, by the names under which gradient functions take them."""
    found: dict[str, Any] = {}
    for place, port in enumerate(op.definition.inputs):
        facts = inputs[place:] if port.variadic else inputs[place : place + 1]
        shapes = tuple(None if fact is None else fact.shape.to_tuple() for fact in facts)
        types = tuple(None if fact is None else fact.element_type for fact in facts)
        if facts:
            found[f"{port.name}_shape"] = shapes if port.variadic else shapes[0]
            found[f"{port.name}_type"] = types if port.variadic else types[0]
    return found
