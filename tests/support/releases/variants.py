"""Probes of one op with other attributes, and with inputs of which less is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from releases.probe import Probe, made

from irops.analysis.invocation import Invocation, OpFault
from irops.conformance.cases import inputs_of
from irops.spec.definition import Attribute, ExampleCase
from irops.spec.op import Op
from irops.spec.releases import OpVersion
from irops.values.element import element_types
from irops.values.fact import Fact

_PARAMETER = re.compile(r'(type="Parameter".*?shape=")([0-9,]*)(")', re.DOTALL)
_NUMBERS = (-2, -1, 0, 1, 2, 3, 4, 7, 1000, 2**31)
_REALS = (-1.0, 0.0, 0.25, 0.5, 1.0, 2.0, 1e30)


def value_probes(version: OpVersion, op: Op, case: ExampleCase) -> Iterator[Probe]:
    """An example with other values of each attribute that are valid with its inputs."""
    for attribute in op.definition.attributes.values() if case.net is None else ():
        for text in dict.fromkeys(_texts(attribute, case.attributes.get(attribute.name))):
            changed = replace(case, attributes={**case.attributes, attribute.name: text})
            model = made(op, changed, {})
            if model is not None and _is_valid(op, changed):
                yield Probe(("value", version.id, attribute.name, text), *model)


def _is_valid(op: Op, case: ExampleCase) -> bool:
    facts = [None if t is None else Fact(t.element_type, t.shape, t.value) for t in inputs_of(op, case)]
    invocation = Invocation(op, case.attributes)
    try:
        return invocation.usable and bool(invocation.infer(facts))
    except OpFault as fault:
        return fault.rule == "missing-body"


def absent_probes(version: OpVersion, op: Op, case: ExampleCase) -> Iterator[Probe]:
    """An example with each attribute left out."""
    for attribute in op.definition.attributes.values() if case.net is None else ():
        model = made(op, case, {}, without=attribute.name)
        if model is not None:
            yield Probe(("absent", version.id, attribute.name), *model)


def _texts(attribute: Attribute, text: str | None) -> Iterator[str]:
    """Values of an attribute. text: that of the example; lists have its length, with equal elements"""
    match attribute.type:
        case "enum":
            yield from attribute.values
        case "bool":
            yield from ("false", "true")
        case "element_type":
            yield from (kind.name for kind in element_types())
        case "int" | "float":
            yield from map(str, _numbers(attribute))
        case "ints" | "floats":
            length = len((text or "0").split(","))
            yield ""
            yield from (",".join([str(number)] * length) for number in _numbers(attribute))


def _numbers(attribute: Attribute) -> Iterator[float]:
    numbers: tuple[float, ...] = _NUMBERS if attribute.type in ("int", "ints") else _REALS
    return (number for number in numbers if attribute.low <= number <= attribute.high)


def shape_probes(version: OpVersion, op: Op, case: ExampleCase, number: int) -> Iterator[Probe]:
    """An example with inputs of unknown sizes, within intervals, and of unknown rank; constants as they are,
    and as inputs too.
    """
    kinds: dict[str, Callable[[str], str]] = {
        "static": lambda dims: dims,
        "dynamic": lambda dims: ",".join("?" for _ in _sizes(dims)),
        "interval": lambda dims: ",".join(f"{max(0, size - 1)}..{size + 1}" for size in _sizes(dims)),
        "unranked": lambda _: "...",
    }
    for constants in (True, False):
        model = made(op, case, {}, constants=constants)
        for kind, shape in kinds.items() if model is not None else ():
            if constants and kind == "static":
                continue
            text = _PARAMETER.sub(lambda match, of=shape: f"{match[1]}{of(match[2])}{match[3]}", model[0])
            what = "folded" if constants else "inputs"
            yield Probe(("shapes", version.id, str(number), what, kind), text, model[1])


def _sizes(dims: str) -> list[int]:
    return [int(size) for size in dims.split(",") if size]
