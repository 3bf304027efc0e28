"""Why OpenVINO's CPU plug-in computes something else: what definitions note of it, where that holds."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice, repeat
from pathlib import Path
from typing import Any

import numpy as np

from irops.backends.backend import Reference
from irops.debugging.compare.compared_layer import ComparedLayer, first_fault
from irops.debugging.sources.source import Context
from irops.diagnostics.diagnostic import EvaluationError
from irops.runtime.evaluator import Evaluator, Variables
from irops.runtime.run import Computed, walk_model
from irops.spec.condition import Values, condition_holds
from irops.spec.definition import GROUPS, Note
from irops.values.element import ElementType
from irops.verdicts.question import Verdict

SWITCHES = ("DYNAMIC_QUANTIZATION_GROUP_SIZE=0", "INFERENCE_PRECISION_HINT=f32", "INFERENCE_NUM_THREADS=1")
"""Properties that may end a difference of results that no layer explains."""
AGREES = "no result differs"


def instructions() -> list[str]:
    """Those of the processor, "vnni" for each kind of these; none where the system does not list them."""
    text = ""
    with suppress(OSError):
        text = Path("/proc/cpuinfo").read_text("utf-8")
    return [word.rpartition("_")[2] if word.endswith("vnni") else word for word in text.split()]


def values_of(
    context: Context, compiled: str, layer: ComparedLayer, computed: Computed | None, name: str, aspect: str
) -> Any:
    """The values of a subject of a condition. compiled: alone, or within the whole model; computed: the layer
    in a run of the reference. Raises: LookupError where it lacks and elements or sizes are asked for
    """
    facts, sources = context.analysis.infer().of(layer.id), context.analysis.root.wiring.inputs[layer.id]
    if name in facts.attributes:
        return _words(facts.attributes[name])
    if name == "verdict":
        return [str(judgement.verdict).replace(" ", "_") for judgement in layer.judgements]
    if name in ("compiled", "processor"):
        return [compiled] if name == "compiled" else instructions()
    assert facts.op is not None
    ports = (*facts.op.definition.inputs[: len(sources)], *facts.op.definition.outputs)
    arrays = repeat(None) if computed is None else (*computed.inputs, *computed.outputs)
    found: list[Any] = []
    for place, (port, fact, array) in enumerate(zip(ports, (*facts.inputs, *facts.outputs), arrays)):
        if fact is None or name not in (port.name, port.type):
            continue
        if aspect == "type" or name == port.type:
            found.append(_words(fact.element_type))
        elif aspect == "source":
            found.append([source[0].type for source in sources[place : place + 1] if source is not None])
        elif array is None:
            raise LookupError(name)
        else:
            found.append({"rank": [array.ndim], "size": array.shape}.get(aspect, np.ravel(array)))
    return np.concatenate([[], *found])


def _words(value: Any) -> list[Any]:
    """The values of an attribute; of an element type, its name and those of the groups that have it."""
    if isinstance(value, ElementType):
        return [value.name, *(group for group, types in GROUPS.items() if value.name in types)]
    values = value if isinstance(value, list | tuple) else [value]
    return [str(one).lower() if isinstance(one, bool) else one for one in values if one is not None]


def causes_of(context: Context, layers: Sequence[ComparedLayer], compiled: str) -> dict[int, list[Note]]:
    """The notes that explain layers, by id: at once, or as the reference computes what they depend on."""
    run = walk_model(Evaluator(context.analysis, (Reference(),)), context.inputs, Variables())
    pending = {layer.id: layer for layer in layers}
    found: dict[int, list[Note]] = {}
    computed: Computed | None = None
    with suppress(EvaluationError, StopIteration):  # no cause is known where values cannot be computed
        while pending:
            for number in [*pending] if computed is None else {computed.step.layer.id} & pending.keys():
                values = partial(values_of, context, compiled, pending[number], computed)
                with suppress(LookupError):
                    found[number] = _explaining(context, pending[number], values)
                    del pending[number]
            computed = next(run) if pending else None
    return found


def _explaining(context: Context, layer: ComparedLayer, values: Values) -> list[Note]:
    """A failure is explained by what says so alone. Raises: LookupError"""
    op, has_failed = context.analysis.root.layers[layer.id].op, layer.verdict is Verdict.FAILED
    notes = () if op is None else op.definition.notes
    holding = [note for note in notes if condition_holds(note.cause, values)]
    return [n for n in holding if not has_failed or any(t.name == "verdict" for p in n.cause for t in p)]


def with_causes(
    context: Context, layers: Sequence[ComparedLayer], compiled: str, effect_of: Callable[[str], str]
) -> tuple[tuple[ComparedLayer, ...], tuple[str, ...]]:
    """The layers that differ with what is known of the plug-in; else what ends the difference of results.

    effect_of: what becomes of wrong results with a property, name=value; "" if nothing
    """
    faulty = {layer.id: layer for layer in layers if layer.is_fault and not layer.path}
    causes = causes_of(context, tuple(faulty.values()), compiled)
    switches = dict.fromkeys(note.switch for notes in causes.values() for note in notes if note.switch)
    effects = {"": "", **{switch: effect_of(switch) for switch in switches}}
    for number, notes in causes.items():
        proven = [note for note in notes if effects[note.switch] or not note.switch]
        texts = [text for note in proven for text in (note.text.rstrip("."), effects[note.switch]) if text]
        cause = f"known of {faulty[number].op}: {'; '.join(texts)}" if texts else ""
        faulty[number] = replace(faulty[number], cause=cause, is_known=bool(cause))
    layers = tuple(layer if layer.path else faulty.get(layer.id, layer) for layer in layers)
    first = first_fault(layers)
    if first is not None and first.cause:
        return layers, ()
    tried = (effect_of(switch) for switch in SWITCHES if switch not in effects)
    return layers, tuple(islice((effect for effect in tried if effect.endswith(AGREES)), 1))
