"""How much the values of a model change by rounding alone, and whether two values of a whole run agree.

What two correct implementations may differ by at a layer depends on all layers before it. A second run of the
reference, in which each result is changed by its own rounding error (stochastic arithmetic), shows it, for
this model and these inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from irops.analysis.inferred import LayerFacts
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import GraphNode, LayerNode
from irops.backends.backend import Reference
from irops.debugging.sources.source import Context, LayerValue
from irops.diagnostics.diagnostic import EvaluationError
from irops.ir.model import LayerKind
from irops.runtime.evaluator import Evaluator, Variables
from irops.runtime.plan import PlannedLayer, rounded
from irops.runtime.run import Arrays, Computed, Observer, run_layer, walk_model
from irops.values.element import Array, ElementType, element_type_of
from irops.verdicts.bounds import floor_of, greatest_finite, has_exact_kind, root_mean_square
from irops.verdicts.judge import count, fault, greatest_share, outside, why_overflowing
from irops.verdicts.metrics import Metrics, differs, metrics_of
from irops.verdicts.policy import APART, MASK, NARROW_ULPS, NOISE_MARGIN, STEP, ULPS
from irops.verdicts.question import ROUNDOFF, Arithmetic, Judgement, Question, Verdict, is_float
from irops.verdicts.ties import NONE, RANDOM, TIES, may_tie, tie

FOLLOWS_RANDOM = "follows from random values"


def is_random(node: LayerNode) -> bool:
    """Whether a layer, or one in its bodies, draws numbers."""
    return node.layer.type in RANDOM or any(
        is_random(inner) for body in node.bodies.values() for inner in body.graph.order
    )


def random_layers(graph: GraphNode) -> frozenset[int]:
    """The ids of the layers that draw numbers, and of all that is computed from these."""
    found: set[int] = set()
    for node in graph.order:
        sources = graph.wiring.inputs[node.layer.id]
        if is_random(node) or any(source is not None and source[0].id in found for source in sources):
            found.add(node.layer.id)
    return frozenset(found)


SUMMING_CATEGORIES = ("matrix", "convolution", "normalization", "sequence", "reduction", "pooling", "signals")
"""Categories whose ops add up terms that may cancel, so that errors are relative to the whole tensor."""
SMALLEST_TENSOR = 2
"""Single numbers stay as they are: sizes of other tensors are computed from them."""
NOISE_SEEDS = (1, 2)


LEVELS = ("FakeQuantize", "FakeConvert", "Round", "Floor", "Ceiling", "Sign")
"""Ops whose results are levels, so that they differ by a step or not at all."""
STEPPED = (*LEVELS, "Convert")
"""Ops whose results have steps: differences of inputs that are within rounding may become whole ones."""


def decides(layer: LayerFacts) -> bool:
    """Whether rounding may decide a result: integers or truth of floats, and floats with steps."""
    of_floats = any(fact is not None and fact.element_type.floating for fact in layer.inputs)
    whole = any(not fact.element_type.floating for fact in layer.outputs)
    return of_floats and (whole or layer.layer.type in STEPPED)


def may_jump(context: Context, node: LayerNode) -> bool:
    """Whether a layer may give something else, although it is right."""
    known = context.analysis.infer().of(node.layer.id)
    return decides(known) or (node.op is not None and may_tie(node.op))


class Decisions:
    """Decisions of rounding in one run, for others to take over: then these differ from it by rounding alone,
    and not by all that follows from another level, bucket or element.
    """

    def __init__(self, context: Context) -> None:
        facts = context.analysis.infer()
        self._layers = {number for number in context.analysis.root.layers if decides(facts.of(number))}
        self._made: dict[int, tuple[Array | None, ...]] = {}

    def of(self, walk: Iterator[LayerValue]) -> Iterator[LayerValue]:
        """A walk, whose decisions are kept until they are taken over."""
        for value in walk:
            if value.layer in self._layers:
                self._made[value.layer] = value.outputs
            yield value

    def take_over(self, computed: Computed) -> None:
        """Put what was decided in place of the outputs of a layer."""
        made = None if computed.step.node.path else self._made.pop(computed.step.layer.id, None)
        if made is None:
            return
        pairs = list(zip(computed.outputs, made))
        whole = [(one, other) for one, other in pairs if other is not None and not is_float(other)]
        if any(one.shape != other.shape or (one != other).any() for one, other in whole):
            computed.outputs[:] = [one if other is None else other for one, other in pairs]
        elif computed.step.layer.type in LEVELS:
            computed.outputs[:] = [one if other is None else _in_step(one, other) for one, other in pairs]


def _in_step(one: Array, other: Array) -> Array:
    """The elements of a second array where they are a step away."""
    wide = one.astype(np.float64), other.astype(np.float64)
    with np.errstate(all="ignore"):
        is_close = np.abs(wide[0] - wide[1]) <= STEP * greatest_finite(wide[1])
    return np.where(is_close, one, other)


def noisy_walk(
    context: Context, arithmetic: Arithmetic, seed: int, decisions: Decisions | None = None
) -> Iterator[LayerValue]:
    """The values of the reference, with other rounding errors. decisions: of another run, which it takes over

    Ends early where the changed values break a requirement of a layer.
    """
    evaluator = Evaluator(context.analysis, (Reference(),))
    with suppress(EvaluationError):
        noise = _noise(arithmetic, seed, decisions)
        for computed in walk_model(evaluator, context.inputs, Variables(), noise):
            facts = computed.step.facts.outputs
            outputs = tuple(rounded(array, fact) for array, fact in zip(computed.outputs, facts))
            yield LayerValue(computed.step.layer.id, outputs, inputs=tuple(computed.inputs))


def _noise(arithmetic: Arithmetic, seed: int, decisions: Decisions | None = None) -> Observer:
    """Changes the outputs of every layer, those of bodies included, but no constants."""
    random = np.random.default_rng(seed)

    def change(computed: Computed) -> None:
        step = computed.step
        if step.layer.kind is LayerKind.OPERATION and not step.constant and not step.op.definition.bodies:
            computed.outputs[:] = [_noisy(computed, array, arithmetic, random) for array in computed.outputs]
        if decisions is not None:
            decisions.take_over(computed)

    return change


def rounding_within(
    analysis: ModelAnalysis, step: PlannedLayer, inputs: Arrays, arithmetic: Arithmetic
) -> Callable[[Array, int], Array]:
    """How far other rounding errors in the bodies of a layer may change an output: see Question."""

    def error(truth: Array, output: int) -> Array:
        evaluator = Evaluator(analysis, (Reference(),))
        runs: list[Array] = []
        with suppress(EvaluationError):  # changed values may break a requirement of a layer
            for seed in NOISE_SEEDS:
                runs.append(run_layer(evaluator, step, inputs, _noise(arithmetic, seed))[output])
        if len(runs) > 1 and not differs(*runs).any():  # the bodies move or choose elements alone
            return np.zeros(())
        return NOISE_MARGIN * allowance(truth, runs, arithmetic)

    return error


def _noisy(computed: Computed, array: Array, arithmetic: Arithmetic, random: np.random.Generator) -> Array:
    """An output with another rounding error."""
    kind = element_type_of(array)
    if not is_float(array) or array.size < SMALLEST_TENSOR or array.dtype.kind == "c":
        return array
    op = computed.step.op
    unit = arithmetic.input_roundoff(kind) if has_exact_kind(op) else _error_of_functions(arithmetic, kind)
    wide = array.astype(np.float64)
    # near 1 / roundoff, all numbers of a floating-point type are whole, positions or not
    if not unit or _counts(wide, 1 / (4 * arithmetic.roundoff(kind))):
        return array
    with np.errstate(all="ignore"):
        scale = np.abs(wide)
        if op.definition.category in SUMMING_CATEGORIES:
            sizes = scale[(scale > 0) & np.isfinite(scale)]
            scale = scale + (float(np.median(sizes)) if sizes.size else 0.0)  # outliers must not decide
        if op.definition.category in ("activation", "arithmetic"):
            floor = floor_of(Question.of(computed.step.invocation, computed.inputs, arithmetic), array)
            if floor is not None and not floor.ndim:  # log(1 + exp(x)) is rounded as 1 is
                scale = scale + floor
        changed = wide + unit * scale * random.uniform(-1, 1, array.shape)
        limit = np.finfo(np.float64).max
        changed = np.where(np.abs(changed) < limit, changed, wide)
        return changed.astype(array.dtype)


def _error_of_functions(arithmetic: Arithmetic, kind: ElementType) -> float:
    """How far results may be off, relative."""
    unit = arithmetic.roundoff(kind)
    return (NARROW_ULPS if unit > ROUNDOFF["f32"] else ULPS) * unit


def _counts(array: Array, greatest: float) -> bool:
    """Whether all elements are whole numbers up to a greatest one: positions, sizes or codes.

    Implementations compute those exactly, and 2.9999998 in place of 3 would become another index.
    """
    numbers = array[np.isfinite(array)]
    return bool(((numbers == np.rint(numbers)) & (np.abs(numbers) <= greatest)).all())


def allowance(truth: Array, runs: Sequence[Array], arithmetic: Arithmetic) -> Array:
    """How far each element may be from the truth by rounding: what runs of the reference show, smoothed.

    runs: values of the same tensor by the reference, each with other rounding errors; the first is the base
    """
    kind = element_type_of(truth)
    number = np.complex128 if truth.dtype.kind == "c" else np.float64
    wide = truth.astype(number)
    base = runs[0].astype(number) if runs else wide
    with np.errstate(all="ignore"):
        change = np.zeros(truth.shape)
        for other in runs[1:]:
            if other.shape == base.shape == truth.shape:
                distance = np.abs(other.astype(number) - base)
                change = np.maximum(change, np.nan_to_num(distance, posinf=0.0))
        floor = _error_of_functions(arithmetic, kind) * np.abs(wide)
        return np.maximum(change, _typical(wide, change)) + np.nan_to_num(floor) + arithmetic.smallest(kind)


def _typical(wide: Array, change: Array) -> Array:
    """How much an element is to change that another run changes little by chance: as the mean of all. The
    changes of a mask say nothing of the others.
    """
    sizes = np.sort(np.abs(wide[np.isfinite(wide) & (wide != 0)]))
    with np.errstate(all="ignore"):
        begins = (sizes[1:] >= MASK) & (sizes[1:] >= APART * sizes[:-1])
    ordinary = np.abs(wide) <= (sizes[begins.argmax()] if begins.any() else np.inf)
    means = [root_mean_square(part).item() if part.size else 0.0 for part in (change[ordinary], change)]
    typical: Array = np.where(ordinary, *means)
    return typical


def question_of(node: LayerNode, runs: Sequence[LayerValue], arithmetic: Arithmetic) -> Question | None:
    """A layer whose result may be a tie, as a question; None for other layers.

    runs: of the layer by the reference, each with other rounding errors. Its inputs are those of the first,
    and how far they may be off follows from the others.
    """
    if node.op is None or node.invocation is None or node.op.functions.kernel is None or not runs:
        return None
    definition = node.op.definition
    if definition.bodies or definition.stateful or not may_tie(node.op):
        return None
    inputs, *others = (run.inputs for run in runs)
    with np.errstate(all="ignore"):
        errors = {
            index: NOISE_MARGIN * allowance(array, [array, *moved], arithmetic)
            for index, array in enumerate(inputs)
            if array is not None and is_float(array) and (moved := _moved(array, index, others))
        }
    return replace(Question.of(node.invocation, inputs, arithmetic), input_errors=errors)


def _moved(array: Array, index: int, others: Sequence[Sequence[Array | None]]) -> list[Array]:
    """An input in those runs in which rounding changes it."""
    found = (inputs[index] for inputs in others if index < len(inputs))
    return [
        one for one in found if one is not None and one.shape == array.shape and differs(array, one).any()
    ]


Ask = Callable[[], Question | None]
"""Gives the layer that a tensor is of; None where it cannot be a tie."""


def agreement(
    one: Array,
    other: Array,
    runs: Sequence[Array],
    arithmetic: Arithmetic,
    ask: Ask = lambda: None,
    output: int = 0,
) -> Judgement:
    """The judgement of two tensors of one type and shape.

    runs: see allowance; ask: what is asked where they differ by more than rounding does; output: the index of
    the tensor among the outputs of the layer
    """
    unequal = differs(one, other)
    if not unequal.any():
        return Judgement(Verdict.EQUAL, "", Metrics(one.size))
    verdict, reason = _difference(one, other, NONE, runs, arithmetic)
    question = ask() if verdict.is_fault else None
    if question is not None:
        tied, why = tie(question, one, other, output)
        verdict, reason = _difference(one, other, tied, runs, arithmetic)
        if not verdict.is_fault or not (unequal & ~tied).any():
            verdict, reason = Verdict.TIE, why
    if verdict.is_fault and not is_float(one) and (question is None or question.type not in TIES):
        moved = _moved_integers(unequal, runs)
        verdict, reason = (Verdict.TIE, moved) if moved else (verdict, reason)
    return Judgement(verdict, reason, metrics_of(one, other))


def _difference(
    one: Array, other: Array, tied: Array, runs: Sequence[Array], arithmetic: Arithmetic
) -> tuple[Verdict, str]:
    """The verdict on two tensors where they differ and are not tied, and its reason."""
    unequal = differs(one, other)
    if is_float(one):
        return _of_numbers(one, other, unequal & ~tied, runs, arithmetic)
    number = count(unequal, tied)
    if overflow := why_overflowing(one, (), arithmetic):
        return Verdict.OVERFLOW, f"{number}; {overflow}"
    return Verdict.WRONG, number


def _moved_integers(unequal: Array, runs: Sequence[Array]) -> str:
    """Why integers are right although they differ: rounding changes as many; else ""."""
    moved = sum(int(differs(runs[0], array).sum()) for array in runs[1:] if array.shape == runs[0].shape)
    if moved and int(unequal.sum()) <= NOISE_MARGIN * moved:
        return f"{count(unequal)}; rounding before this layer changes {moved:,}"
    return ""


def _of_numbers(
    one: Array, other: Array, unequal: Array, runs: Sequence[Array], arithmetic: Arithmetic
) -> tuple[Verdict, str]:
    with np.errstate(all="ignore"):
        allowed = allowance(one, runs, arithmetic)
        beyond = unequal & outside(one, other, NOISE_MARGIN * allowed, arithmetic)
    greatest = greatest_share(one, other, allowed, unequal)
    if not beyond.any() and not greatest:
        return Verdict.ROUNDING, "infinity beside the greatest number, within rounding"
    if not beyond.any():
        units = f"up to {ULPS * greatest:.2g} units in the last place"
        return Verdict.ROUNDING, f"{greatest:.2g} times what rounding does in another run" if runs else units
    return fault(one, other, beyond, arithmetic, f"by up to {greatest:.3g} times what rounding does")
