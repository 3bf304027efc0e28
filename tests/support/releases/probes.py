"""Small IR files of which each uses one thing that a release may not know."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from releases.probe import Probe, made

from irops.analysis.invocation import Invocation, OpFault
from irops.conformance.cases import inputs_of
from irops.dialects.registry import default_registry
from irops.spec.definition import Attribute, ExampleCase
from irops.spec.load import examples
from irops.spec.op import Op
from irops.spec.releases import OpVersion
from irops.values.element import element_types
from irops.values.fact import Fact

NUMBERS = (-2, -1, 0, 1, 2, 3, 4, 7, 1000, 2**31)
REALS = (-1.0, 0.0, 0.25, 0.5, 1.0, 2.0, 1e30)


def op_probes(version: OpVersion) -> Iterator[Probe]:
    """Of the first example without empty tensors: the op in all opsets that have it, and with other values of
    attributes.
    """
    op = default_registry().resolve(version.type, version.since)
    if not isinstance(op, Op):
        return
    for case in examples(op.definition):
        model = made(op, case)
        if model is None or any(0 in (tensor.shape.dims or ()) for tensor in case.tensors):
            continue
        text, weights = model
        was = f'type="{op.definition.type}" version="{op.definition.version}"'
        assert was in text
        for opset in sorted(version.opsets):
            other = text.replace(was, f'type="{op.definition.type}" version="{opset}"')
            yield Probe(("op", version.id, opset), other, weights)
        yield from value_probes(version, op, case)
        return


def type_variables(op: Op) -> Mapping[str, frozenset[str]]:
    """The type variables of inputs, or the names of inputs that have a set of types, with their types."""
    return {
        port.type if port.type in op.definition.types else port.name: port.allowed
        for port in op.definition.inputs
    }


def value_probes(version: OpVersion, op: Op, case: ExampleCase) -> Iterator[Probe]:
    """An example with other values of each attribute that are valid with its inputs."""
    for attribute in op.definition.attributes.values() if case.net is None else ():
        for text in dict.fromkeys(_texts(attribute, case.attributes.get(attribute.name))):
            changed = replace(case, attributes={**case.attributes, attribute.name: text})
            model = made(op, changed)
            if model is not None and _is_valid(op, changed):
                yield Probe(("value", version.id, attribute.name, text), *model)


def _is_valid(op: Op, case: ExampleCase) -> bool:
    facts = [None if t is None else Fact(t.element_type, t.shape, t.value) for t in inputs_of(op, case)]
    invocation = Invocation(op, case.attributes)
    try:
        return invocation.usable and bool(invocation.infer(facts))
    except OpFault as fault:
        return fault.rule == "missing-body"


def _texts(attribute: Attribute, text: str | None) -> Iterator[str]:
    """Values of an attribute. text: that of the example; lists have its length, with equal elements"""
    numbers = NUMBERS if attribute.type in ("int", "ints") else REALS
    within = [number for number in numbers if attribute.low <= number <= attribute.high]
    match attribute.type:
        case "enum":
            yield from attribute.values
        case "bool":
            yield from ("false", "true")
        case "element_type":
            yield from (kind.name for kind in element_types())
        case "int" | "float":
            yield from map(str, within)
        case "ints" | "floats":
            length = len((text or "0").split(","))
            yield ""
            yield from (",".join([str(number)] * length) for number in within)
