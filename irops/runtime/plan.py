"""What all runs with inputs of the same shapes share, computed once, layer by layer."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.structure import GraphNode, LayerNode
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.rule import Severity
from irops.ir.model import Layer, LayerKind
from irops.ir.wiring import Wiring
from irops.ops.invocation import Invocation, OpFault
from irops.runtime.arrays import size_in_bytes
from irops.runtime.precision import Constants, constants_of, wide_types
from irops.spec.binding import CONTEXT
from irops.spec.op import Op
from irops.values.fact import Fact

ValueKey = tuple[int, int]
"""A layer's id and the index of one of its outputs."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """How one layer is computed.

    node: the layer with its bodies; facts: what is inferred of it; sources: the values that its inputs are;
    constant: it depends on constants alone; rounding: for each input, the fact whose type it is rounded to,
    where it comes from such constants; keywords: what the kernel takes, None where that differs from run to
    run; static: the facts of the outputs determine their shapes; size: of the outputs, in bytes.
    """

    node: LayerNode
    op: Op
    invocation: Invocation
    facts: LayerFacts
    sources: tuple[ValueKey | None, ...]
    constant: bool
    rounding: tuple[Fact | None, ...]
    keywords: dict[str, Any] | None
    static: bool
    size: float
    done_with: tuple[ValueKey, ...]

    @property
    def layer(self) -> Layer:
        return self.node.layer


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The steps of a graph in order, how often each value is used, and the warnings of inference."""

    steps: tuple[Step, ...]
    users: dict[ValueKey, int]
    warnings: tuple[Diagnostic, ...] = ()


def plan_of(graph: GraphNode, inferred: Inferred) -> Plan:
    """How a graph is computed of which all Facts are inferred."""
    wiring = graph.wiring
    constants = constants_of(graph)
    steps = tuple(_step(wiring, node, inferred.layers[node.layer.id], constants) for node in graph.order)
    warnings = tuple(d for d in inferred.findings if d.severity is Severity.WARNING)
    return Plan(steps, {key: len(users) for key, users in wiring.consumers.items()}, warnings)


def absent_output(wiring: Wiring, inferred: Inferred) -> tuple[LayerFacts, int] | None:
    """A layer, and an output that is used and that its op does not give; None where there is none."""
    used = (source for sources in wiring.inputs.values() for source in sources if source is not None)
    facts = ((inferred.layers[layer.id], index) for layer, index in used)
    return next(((known, index) for known, index in facts if index >= len(known.outputs)), None)


def _step(wiring: Wiring, node: LayerNode, facts: LayerFacts, constants: Constants) -> Step:
    layer, op, invocation = node.layer, node.op, node.invocation
    assert op is not None
    assert invocation is not None
    sources = tuple(None if s is None else (s[0].id, s[1]) for s in wiring.inputs[layer.id])
    constant, is_result = layer.id in constants.layers, layer.kind is LayerKind.RESULT
    if layer.id in constants.weights:
        invocation = invocation.with_values(wide_types(invocation.attributes))
    keywords = None
    if _is_same_every_run(op, facts):
        with suppress(OpFault):  # reported when the layer is computed
            keywords = invocation.keywords("kernel", facts.inputs, {"output_count": len(layer.outputs)})
    return Step(
        node=node,
        op=op,
        invocation=invocation,
        facts=facts,
        sources=sources,
        constant=constant,
        rounding=() if constant else _rounding(facts, sources, constants),
        keywords=keywords,
        static=_is_static(op, facts),
        size=0 if is_result else size_in_bytes(facts.outputs),
        done_with=() if is_result else tuple(s for s in sources if s is not None),
    )


def _rounding(
    facts: LayerFacts, sources: tuple[ValueKey | None, ...], constants: Constants
) -> tuple[Fact | None, ...]:
    rounded = tuple(
        fact if source is not None and source[0] in constants.layers else None
        for fact, source in zip(facts.inputs, sources)
    )
    return rounded if any(rounded) else ()


def _is_same_every_run(op: Op, facts: LayerFacts) -> bool:
    names = op.functions.keyword_params["kernel"]
    ranked = all(fact is None or fact.shape.rank is not None for fact in facts.inputs)
    return not op.definition.bodies and names is not None and not names & CONTEXT and (ranked or not op.axes)


def _is_static(op: Op, facts: LayerFacts) -> bool:
    """Whether the facts say all: whether bodies run, and how often, depends on values, and so do
    their shapes.
    """
    known = [fact for fact in (*facts.inputs, *facts.outputs) if fact is not None]
    return not facts.inputs or (not op.definition.bodies and all(fact.shape.static for fact in known))
