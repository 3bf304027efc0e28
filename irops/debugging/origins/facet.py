"""One fact of one output of a layer: what irops.why is asked about, and what it depends on in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from irops.analysis.structure import Path
from irops.debugging.origins.expression import Expression
from irops.debugging.origins.symbolic import LayerKey
from irops.diagnostics.printable import abridged
from irops.values.dim import Dim
from irops.values.fact import Fact, holds_dims

MAX_TEXT = 200
"""The greatest number of characters of a value that is shown."""


class Aspect(Enum):
    """The kinds of facts."""

    SIZE = "size"
    SHAPE = "shape"
    TYPE = "type"
    ELEMENT = "element"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Facet:
    """A fact of an output. index: the axis of a size, or the number of an element."""

    path: Path
    layer: int
    output: int
    aspect: Aspect
    index: int = 0

    @property
    def key(self) -> LayerKey:
        return self.path, self.layer

    @property
    def subject(self) -> str:
        """The fact as a noun: axis 1, the shape, element 2."""
        match self.aspect:
            case Aspect.SIZE:
                return f"axis {self.index}"
            case Aspect.ELEMENT:
                return f"element {self.index}"
        return f"the {'element type' if self.aspect is Aspect.TYPE else self.aspect.value}"

    def size(self, fact: Fact) -> Dim | None:
        """The size or the element; None where there is none, or nothing is known of it."""
        if self.aspect is Aspect.SIZE:
            dims = fact.shape.dims
            return None if dims is None or self.index >= len(dims) else dims[self.index]
        if self.aspect is Aspect.ELEMENT and fact.known is not None:
            dims = fact.dims if holds_dims(fact.known) or fact.element_type.integral else None
            return None if dims is None or self.index >= len(dims) else dims[self.index]
        return None

    def sizes(self, fact: Fact) -> Sequence[Dim] | None:
        """The sizes and elements that the facet consists of; None where it is none of these."""
        match self.aspect:
            case Aspect.SIZE | Aspect.ELEMENT:
                one = self.size(fact)
                return None if one is None else (one,)
            case Aspect.SHAPE:
                return fact.shape.dims
            case Aspect.VALUE if fact.known is not None and fact.element_type.integral:
                return fact.dims
        return None

    def expressions(self, fact: Fact) -> tuple[Expression | None, ...] | None:
        """The expression of every size or element; None where the facet has none."""
        sizes = self.sizes(fact)
        return None if sizes is None else tuple(map(Expression.of, sizes))

    def content(self, fact: Fact) -> object:
        """What is compared to find out whether the facet is the same for other facts of the inputs."""
        if self.aspect is Aspect.TYPE:
            return fact.element_type
        sizes = self.sizes(fact)
        if sizes is not None:
            return tuple((size.bounds, size.symbol) for size in sizes)
        if self.aspect in (Aspect.VALUE, Aspect.ELEMENT) and fact.known is not None:
            return fact.known.tobytes()
        return None

    def text(self, fact: Fact) -> str:
        """The facet as text: 2*N + 1, f32, [N,3], ?"""
        if self.aspect is Aspect.TYPE:
            return str(fact.element_type)
        sizes = self.sizes(fact)
        if sizes is None:
            return _value_text(fact) if self.aspect in (Aspect.VALUE, Aspect.ELEMENT) else "unknown"
        texts = [str(Expression.of(size) or size) for size in sizes]
        if len(texts) == 1 and self.aspect is not Aspect.SHAPE:
            return abridged(texts[0], MAX_TEXT)
        return abridged(f"[{','.join(texts)}]", MAX_TEXT)


def _value_text(fact: Fact) -> str:
    value = fact.known
    if value is None or value.size > MAX_TEXT:
        return "unknown" if value is None else f"{value.size} elements"
    return abridged(" ".join(str(value.tolist()).split()), MAX_TEXT)
