"""Small IR files of which each uses one thing that a release may not know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from releases.features import feature_probes, type_probes
from releases.probe import Probe, made
from releases.uses import use_probes
from releases.variants import absent_probes, shape_probes, value_probes

from irops.dialects.registry import default_registry
from irops.spec.load import examples
from irops.spec.op import Op
from irops.spec.releases import OpVersion, opsets


def all_probes() -> Iterator[Probe]:
    for version in opsets().all():
        yield from op_probes(version)
    yield from type_probes()
    yield from feature_probes()
    yield from use_probes()


def variants(version: OpVersion) -> Iterator[Probe]:
    """Of each example: the op without one of its attributes, and with inputs of which less is known."""
    op = default_registry().resolve(version.type, version.since)
    for number, case in enumerate(examples(op.definition)) if isinstance(op, Op) else ():
        yield from shape_probes(version, op, case, number)
        if number == 0:
            yield from absent_probes(version, op, case)


def op_probes(version: OpVersion) -> Iterator[Probe]:
    """Of each example: the op in the opset that brought it; the first also in all other opsets that have it,
    and with other element types and attributes.
    """
    op = default_registry().resolve(version.type, version.since)
    if not isinstance(op, Op):
        return
    first = True
    for number, case in enumerate(examples(op.definition)):
        model = made(op, case, {})
        if model is None:
            continue
        text, weights = model
        yield Probe(("example", version.id, str(number), version.since), text, weights)
        if not first or any(0 in (tensor.shape.dims or ()) for tensor in case.tensors):
            continue
        first = False
        for opset in sorted(version.opsets):
            was = f'type="{op.definition.type}" version="{op.definition.version}"'
            assert was in text
            yield Probe(
                ("op", version.id, opset),
                text.replace(was, f'type="{op.definition.type}" version="{opset}"'),
                weights,
            )
        yield from value_probes(version, op, case)
        for variable, allowed in type_variables(op).items():
            for name in sorted(allowed):
                model = made(op, case, {variable: name})
                if model is not None:
                    yield Probe(("typed", version.id, variable, name), *model)


def type_variables(op: Op) -> Mapping[str, frozenset[str]]:
    """The type variables of inputs, or the names of inputs that have a set of types, with their types."""
    return {
        port.type if port.type in op.definition.types else port.name: port.allowed
        for port in op.definition.inputs
    }
