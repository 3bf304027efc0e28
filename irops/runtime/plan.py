"""What is the same in every run with inputs of the same shapes: worked out once, layer by layer."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from irops.analysis.facts import Facts, LayerFacts
from irops.analysis.layer import LayerFault, taken, with_normal_axes
from irops.graph.wiring import Wiring
from irops.ir.model import Layer, LayerKind
from irops.runtime.arrays import size_in_bytes
from irops.runtime.precision import Constants, constants_of, wide_types
from irops.spec.binding import CONTEXT
from irops.spec.op import Op
from irops.values.fact import Fact

ValueKey = tuple[int, int]
"""A layer's id and the index of one of its outputs."""


@dataclass(frozen=True, slots=True)
class Step:
    """How one layer is computed.

    sources: the values that its inputs are; constant: it depends on constants alone; rounding: for each
        input, the fact whose type it
    is to be rounded to, where it comes from such constants; attributes: axes counted from 0 where ranks are
    known; keywords: what the kernel takes, None where that differs from run to run; settled: the outputs'
    facts say all; size: of
    the outputs, in bytes.
    """

    layer: Layer
    op: Op
    known: LayerFacts
    sources: tuple[ValueKey | None, ...]
    constant: bool
    rounding: tuple[Fact | None, ...]
    attributes: Mapping[str, Any]
    keywords: dict[str, Any] | None
    settled: bool
    size: float
    done_with: tuple[ValueKey, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of a graph in order, and how often each value is asked for."""

    steps: tuple[Step, ...]
    users: dict[ValueKey, int]


def plan_of(wiring: Wiring, facts: Facts) -> Plan:
    """How a graph is computed whose facts are known."""
    constants = constants_of(wiring, facts)
    steps = tuple(_step(wiring, facts.layers[layer.id], constants) for layer in wiring.order)
    return Plan(steps, {key: len(users) for key, users in wiring.consumers.items()})


def absent_output(wiring: Wiring, facts: Facts) -> tuple[LayerFacts, int] | None:
    """A layer, and an output that is asked for and that its op does not give, whatever the layer declares;
    None where there is none.
    """
    asked = (source for sources in wiring.inputs.values() for source in sources if source is not None)
    found = ((facts.layers[layer.id], index) for layer, index in asked)
    return next(((known, index) for known, index in found if index >= len(known.outputs)), None)


def _step(wiring: Wiring, known: LayerFacts, constants: Constants) -> Step:
    layer, op = known.layer, known.op
    assert op is not None
    sources = tuple(None if s is None else (s[0].id, s[1]) for s in wiring.inputs[layer.id])
    constant = layer.id in constants.layers
    attributes = wide_types(known.attributes) if layer.id in constants.weights else known.attributes
    with suppress(LayerFault):  # told again, in its place, when the layer is computed
        attributes = with_normal_axes(op, known.inputs, attributes)
    return Step(
        layer=layer,
        op=op,
        known=known,
        sources=sources,
        constant=constant,
        rounding=() if constant else _rounding(known, sources, constants),
        attributes=attributes,
        keywords=taken(op, "kernel", attributes, {}) if _the_same_every_run(op, known) else None,
        settled=_settled(op, known),
        size=0 if layer.kind is LayerKind.RESULT else size_in_bytes(known.outputs),
        done_with=() if layer.kind is LayerKind.RESULT else tuple(s for s in sources if s is not None),
    )


def _rounding(
    known: LayerFacts, sources: tuple[ValueKey | None, ...], constants: Constants
) -> tuple[Fact | None, ...]:
    facts = tuple(
        fact if source is not None and source[0] in constants.layers else None
        for fact, source in zip(known.inputs, sources)
    )
    return facts if any(facts) else ()


def _the_same_every_run(op: Op, known: LayerFacts) -> bool:
    names = op.functions.keyword_params["kernel"]
    ranked = all(fact is None or fact.shape.rank is not None for fact in known.inputs)
    return not op.definition.bodies and names is not None and not names & CONTEXT and (ranked or not op.axes)


def _settled(op: Op, known: LayerFacts) -> bool:
    """Whether the facts say all: whether and how often bodies run depends on values, and their outputs'
    shapes on that.
    """
    facts = [fact for fact in (*known.inputs, *known.outputs) if fact is not None]
    return not known.inputs or (not op.definition.bodies and all(fact.shape.static for fact in facts))
