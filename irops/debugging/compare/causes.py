"""Why OpenVINO's CPU plug-in computes something else: what definitions note of it, where that holds."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from irops.analysis.inferred import LayerFacts
from irops.backends.backend import Reference
from irops.debugging.compare.compared_layer import ComparedLayer, first_fault
from irops.debugging.sources.source import Context
from irops.diagnostics.diagnostic import EvaluationError
from irops.runtime.evaluator import Evaluator, Variables
from irops.runtime.run import Computed, walk_model
from irops.spec.condition import condition_holds
from irops.spec.definition import GROUPS, Note
from irops.values.element import ElementType
from irops.verdicts.question import Verdict

WITHOUT_VNNI = ("SSE41", "AVX", "AVX2", "AVX512_CORE")
"""Values of ONEDNN_MAX_CPU_ISA that hide the instructions for sums of products of 8 bits."""
SWITCHES = ("DYNAMIC_QUANTIZATION_GROUP_SIZE=0", "INFERENCE_PRECISION_HINT=f32", "INFERENCE_NUM_THREADS=1")
"""Properties that may end a difference of results that no layer explains."""
AGREES = "no result differs"


def instructions() -> list[str]:
    """Those that the plug-in may use, with vnni for all kinds of these; none where the system lists none."""
    text = ""
    with suppress(OSError):
        text = Path("/proc/cpuinfo").read_text("utf-8")
    found = [word.rpartition("_")[2] if word.endswith("vnni") else word for word in text.split()]
    hidden = ("vnni", "amx_int8") if os.environ.get("ONEDNN_MAX_CPU_ISA") in WITHOUT_VNNI else ()
    return [word for word in found if word not in hidden]


@dataclass(frozen=True, slots=True)
class LayerSubjects:
    """The values of the subjects of conditions for one layer. compiled: alone, or within the whole model;
    computed: the layer in a run of the reference, without which elements and sizes are not known.
    """

    context: Context
    facts: LayerFacts
    layer: ComparedLayer
    compiled: str
    computed: Computed | None = None

    def __call__(self, name: str, aspect: str) -> Any:
        """As condition_holds asks for them."""
        if name in self.facts.attributes:
            return _words(self.facts.attributes[name])
        match name:
            case "verdict":
                return [str(judgement.verdict).replace(" ", "_") for judgement in self.layer.judgements]
            case "processor":
                return instructions()
            case "compiled":
                return [self.compiled]
        return np.concatenate([[], *self._of_ports(name, aspect)])

    def _of_ports(self, name: str, aspect: str) -> Iterator[Any]:
        """The values of each input and output of a name, or of a type variable."""
        assert self.facts.op is not None
        definition, count = self.facts.op.definition, len(self.facts.inputs)
        inputs = [definition.inputs[min(place, len(definition.inputs) - 1)] for place in range(count)]
        facts = (*self.facts.inputs, *self.facts.outputs)
        for place, (port, fact) in enumerate(zip((*inputs, *definition.outputs), facts)):
            if fact is not None and name == port.type:
                yield _words(fact.element_type)
            elif fact is not None and name == port.name:
                yield _words(fact.element_type) if aspect == "type" else self._of_port(place, aspect)

    def _of_port(self, place: int, aspect: str) -> Any:
        if aspect == "source":
            sources = self.context.analysis.root.wiring.inputs[self.layer.id][place : place + 1]
            return [source[0].type for source in sources if source is not None]
        if self.computed is None:
            raise LookupError("the elements and sizes of a layer that was not computed")
        array = np.asarray((*self.computed.inputs, *self.computed.outputs)[place])
        return {"rank": [array.ndim], "size": array.shape}.get(aspect, array.ravel())


def _words(value: Any) -> list[Any]:
    """The values of an attribute; of an element type, its name and those of the groups that have it."""
    if isinstance(value, ElementType):
        return [value.name, *(group for group, types in GROUPS.items() if value.name in types)]
    values = value if isinstance(value, list | tuple) else [value]
    return [str(one).lower() if isinstance(one, bool) else one for one in values if one is not None]


def causes_of(context: Context, layers: Sequence[ComparedLayer], compiled: str) -> dict[int, list[Note]]:
    """The notes that explain layers, by id. compiled: as LayerSubjects has it"""
    facts, found = context.analysis.infer(), dict[int, list[Note]]()
    pending = {layer.id: LayerSubjects(context, facts.of(layer.id), layer, compiled) for layer in layers}
    for number, subjects in list(pending.items()):
        with suppress(LookupError):
            found[number] = _holding(subjects)
            del pending[number]
    run = walk_model(Evaluator(context.analysis, (Reference(),)), context.inputs, Variables())
    with suppress(EvaluationError, StopIteration):  # no cause is known where values cannot be computed
        while pending:
            computed = next(run)
            number = computed.step.layer.id
            if number in pending:
                found[number] = _holding(replace(pending.pop(number), computed=computed))
    return found


def _holding(subjects: LayerSubjects) -> list[Note]:
    """Raises: LookupError"""
    notes = () if subjects.facts.op is None else subjects.facts.op.definition.notes
    if subjects.layer.verdict is Verdict.FAILED:  # which a note explains only if it says so
        notes = tuple(note for note in notes if any(t.name == "verdict" for part in note.cause for t in part))
    return [note for note in notes if condition_holds(note.cause, subjects)]


def with_causes(
    context: Context, layers: Sequence[ComparedLayer], compiled: str, effect_of: Callable[[str], str]
) -> tuple[tuple[ComparedLayer, ...], tuple[str, ...]]:
    """The layers that differ with what is known of the plug-in, and the property that ends a difference of
    results where no layer explains it.

    effect_of: what becomes of wrong results with a property, name=value; "" if nothing
    """
    causes = causes_of(context, [layer for layer in layers if layer.is_fault and not layer.path], compiled)
    effects = {"": ""}
    explained: list[ComparedLayer] = []
    for layer in layers:
        texts: list[str] = []
        for note in causes.get(layer.id, ()) if layer.is_fault and not layer.path else ():
            if note.switch not in effects:
                effects[note.switch] = effect_of(note.switch)
            if effects[note.switch] or not note.switch:
                texts += filter(None, (note.text.rstrip("."), effects[note.switch]))
        cause = f"known of {layer.op}: {'; '.join(texts)}" if texts else ""
        explained.append(replace(layer, cause=cause, is_known=True) if cause else layer)
    first = first_fault(explained)
    if first is not None and first.cause:
        return tuple(explained), ()
    tried = (effect_of(switch) for switch in SWITCHES if switch not in effects)
    ending = next((effect for effect in tried if effect.endswith(AGREES)), "")
    return tuple(explained), (ending,) if ending else ()
