"""An op with its attributes: bound and validated once, then inferred and computed as often as needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from irops.diagnostics.printable import shortened
from irops.invocation.faults import OpFault
from irops.invocation.inputs import (
    check_ranks,
    element_types,
    named_inputs,
    positional,
    with_normal_axes,
)
from irops.invocation.outputs import output_facts, output_shapes
from irops.spec.attributes import AttributeFault, bind, bound_values
from irops.spec.op import Op
from irops.values.fact import Fact

Extras = Mapping[str, Any]
"""What functions may take beside attributes: bodies by name, and irops.spec.binding.CONTEXT."""
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
    def of_values(cls, op: Op, values: Mapping[str, Any]) -> Invocation:
        """The invocation with attribute values by name; those left out have their default."""
        return cls._made(op, bound_values(op, values))

    @classmethod
    def _made(
        cls, op: Op, values: Mapping[str, Any] | None, texts: Texts = (), like: Invocation | None = None
    ) -> Invocation:
        made = cls.__new__(cls)
        made.op, made._values, made._texts, made.like = op, values, texts, like
        made.faults, made.usable = (), True
        return made

    def with_texts(self, texts: Texts) -> Invocation:
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

    def with_values(self, attributes: Mapping[str, Any]) -> Invocation:
        """This invocation with all attribute values replaced."""
        made = self._made(self.op, attributes)
        made.faults, made.usable = self.faults, self.usable
        return made

    def _selected(self, role: str, attributes: Mapping[str, Any], extras: Extras) -> dict[str, Any]:
        """What a function takes by keyword, out of attributes, bodies and context."""
        names = self.op.functions.keyword_params[role]
        if names is not None and not names:
            return {}
        known = self.op.definition.attributes
        everything = {**{known[name].parameter: value for name, value in attributes.items()}, **extras}
        if names is None:
            return everything
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
