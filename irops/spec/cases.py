"""Examples and counterexamples of a definition, parsed on demand."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.spec.definition import Case, Definition, Tensor
from irops.values.element import STRING, Array, ElementType, element_type, tagged
from irops.values.shape import Shape


def examples(definition: Definition) -> tuple[Case, ...]:
    """The examples, with their tensors."""
    return tuple(_case(e) for e in definition.cases_source.findall("example"))


def counterexamples(definition: Definition) -> tuple[Case, ...]:
    """The counterexamples, whose inputs violate one constraint each."""
    return tuple(_case(e) for e in definition.cases_source.findall("counterexample"))


def _case(element: Any) -> Case:
    from lxml import etree

    data, net = element.find("data"), element.find("net")
    return Case(
        name=element.get("name"),
        attributes={} if data is None else dict(data.attrib),
        tensors=tuple(_tensor(t) for t in element.findall("tensor")),
        net=None if net is None else etree.tostring(net, with_tail=False),
        tolerance=float(element.get("tolerance", 1e-5)),
        violates=element.get("violates"),
        line=element.sourceline,
    )


def _tensor(element: Any) -> Tensor:
    kind = element_type(element.get("type"), foreign=True)
    shape = Shape.parse(element.get("shape"))
    known = element.get("known", "yes") == "yes" and shape.static
    value = value_of(element.text or "", kind, shape.to_tuple()) if known else None
    return Tensor(element.get("name"), kind, shape, value, element.get("output") == "yes")


def value_of(text: str, kind: ElementType, shape: tuple[int, ...]) -> Array:
    """Parse elements separated by whitespace: numbers, strings quoted with ', or true and false."""
    if kind is STRING:
        import shlex

        out = np.empty(shape, dtype=object)
        out.ravel()[:] = shlex.split(text)
        return out
    words = text.split()
    if kind.name == "boolean":
        return np.array(
            [{"true": True, "false": False, "1": True, "0": False}[w.lower()] for w in words], bool
        ).reshape(shape)
    if kind.integral or kind.kind == "lookup":
        wide = np.array([int(w) for w in words], dtype=np.uint64 if kind.name == "u64" else np.int64)
        return tagged(wide.astype(kind.dtype), kind).reshape(shape)
    if kind.kind == "complex":
        return np.array([complex(w) for w in words], kind.dtype).reshape(shape)
    return np.array([float(w) for w in words], dtype=np.float64).astype(kind.dtype).reshape(shape)
