"""Whether two values of one tensor agree, where each was computed through the whole model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import TypeAlias

import numpy as np

from irops.analysis.signature import Signature
from irops.backends.backend import Reference
from irops.debugging.sources.source import Context, LayerValue
from irops.diagnostics.diagnostic import EvaluationError
from irops.diagnostics.printable import plural, printable
from irops.ir.model import LayerKind
from irops.ir.tensor_files import as_declared
from irops.runtime.evaluator import Evaluator
from irops.runtime.plan import Step
from irops.runtime.precision import rounded
from irops.runtime.run import Arrays, Computed, Observer, Run, walk_model
from irops.runtime.variables import Variables
from irops.values.element import BOOLEAN, STRING, Array, ElementType, element_type_of
from irops.values.shape import Shape
from irops.verdicts.arithmetic import DECLARED, ROUNDOFF, Arithmetic
from irops.verdicts.bounds import floor_of
from irops.verdicts.judge import excess_of
from irops.verdicts.metrics import Metrics, as_numbers, differs, metrics_of
from irops.verdicts.noise import (
    PLAIN_NOISE,
    WIDE_NOISE,
    Noise,
    allowance,
    amplification,
    change_of,
    noisy_array,
)
from irops.verdicts.question import Question, is_float
from irops.verdicts.tolerances import (
    AMPLIFICATION,
    DEVIATIONS,
    DOUBTFUL,
    FURTHER_SEEDS,
    JUMP_MARGIN,
    NOISE_SEEDS,
    RARE,
    SMALLEST_SAMPLE,
    ULPS,
)
from irops.verdicts.verdict import Judgement, Verdict

# Two values of one tensor in a common type and shape: conversions may declare them differently.


@dataclass(frozen=True, slots=True, eq=False)
class Alike:
    """Two arrays of one type and shape.

    note: how the declarations differ ("i32, not i64; shape [1], not []"), "" where they do not; narrow: the
    narrower of two floating types
    """

    one: Array
    other: Array
    note: str = ""
    narrow: str = ""

    def arithmetic(self, given: Arithmetic) -> Arithmetic:
        """The arithmetic by which both are judged: that of the narrower type, if it is not narrower."""
        precision = given.precision
        if not self.narrow or (precision and ROUNDOFF[precision] >= ROUNDOFF.get(self.narrow, 0.0)):
            return given
        return replace(given, precision=self.narrow)


def alike(one: Array, other: Array) -> Alike | str:
    """Two values in a common type and shape, or why there is none.

    Shapes may differ by axes of size 1, integers (and booleans) by their type, floats by their width, and
    numbers of other types if they are equal.
    """
    notes: list[str] = []
    kinds = element_type_of(one), element_type_of(other)
    if kinds[0] is not kinds[1]:
        notes.append(f"{kinds[1]}, not {kinds[0]}")
    if one.shape != other.shape:
        if _without_ones(one.shape) != _without_ones(other.shape):
            return f"has shape {Shape(other.shape)}, not {Shape(one.shape)}"
        notes.append(f"shape {Shape(other.shape)}, not {Shape(one.shape)}")
        other = other.reshape(one.shape)
    note = "; ".join(notes)
    if kinds[0] is kinds[1]:
        return Alike(one, other, note)
    if all(map(_is_whole, kinds)) and not (_exceeds(one) or _exceeds(other)):
        return Alike(one.astype(np.int64), other.astype(np.int64), note)
    if is_float(one) and is_float(other) and one.dtype.kind != "c" and other.dtype.kind != "c":
        names = kinds[0].name, kinds[1].name
        wider = np.float64 if "f64" in names else np.float32
        narrow = max(names, key=lambda name: ROUNDOFF.get(name, 1.0))
        return Alike(one.astype(wider), other.astype(wider), note, narrow)
    if STRING not in kinds and not differs(as_numbers(one), as_numbers(other)).any():
        return Alike(as_numbers(one), as_numbers(other), note)
    return f"has element type {kinds[1]}, not {kinds[0]}"


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(size for size in shape if size != 1)


def _is_whole(kind: ElementType) -> bool:
    return kind is BOOLEAN or (kind.integral and kind is not STRING)


def _exceeds(array: Array) -> bool:
    """Whether an integer is beyond i64."""
    return element_type_of(array).name == "u64" and bool(array.size) and int(array.max()) >> 63 > 0


# Runs of the reference with other rounding errors: see irops.verdicts.noise.

Identical: TypeAlias = Collection[tuple[int, int]]
"""The values, by layer and output, that two models have alike to the last bit: no difference behind them is
due to rounding before them.
"""
NONE_IDENTICAL: Identical = frozenset[tuple[int, int]]()
QUIET_KINDS = (LayerKind.PARAMETER, LayerKind.CONSTANT, LayerKind.RESULT, LayerKind.SINK)


def noisy_walk(
    context: Context,
    arithmetic: Arithmetic,
    seed: int,
    amplified: float = AMPLIFICATION,
    identical: Identical = NONE_IDENTICAL,
) -> Iterator[LayerValue]:
    """The values of the reference, with other rounding errors in all layers, those of bodies included.

    amplified: by how much these are greater than those of rounding. The walk ends early where the changed
    values break a requirement of a layer.
    """
    with suppress(EvaluationError):
        yield from _noisy_values(context, arithmetic, seed, amplified, identical)


def _noisy_values(
    context: Context, arithmetic: Arithmetic, seed: int, amplified: float, identical: Identical
) -> Iterator[LayerValue]:
    evaluator = Evaluator(context.analysis, (Reference(),))
    change = _noise(arithmetic, seed, amplified)
    if identical:
        change = _restoring(context, identical, change)
    for computed in walk_model(evaluator, context.inputs, Variables(), change):
        facts = computed.step.facts.outputs
        outputs = tuple(rounded(array, fact) for array, fact in zip(computed.outputs, facts))
        yield LayerValue(computed.step.layer.id, outputs)


def _restoring(context: Context, identical: Identical, change: Observer) -> Observer:
    """As change, but identical values have no errors: those of a run beside this one take their place."""
    plain = walk_model(Evaluator(context.analysis, (Reference(),)), context.inputs, Variables())

    def restore(computed: Computed) -> None:
        change(computed)
        number = computed.step.layer.id
        indices = [index for index in range(len(computed.outputs)) if (number, index) in identical]
        if computed.step.node.path or not indices:
            return
        right = next(one for one in plain if one.step.layer.id == number)
        for index in indices:
            computed.outputs[index] = right.outputs[index]

    return restore


def noisy_layer(
    evaluator: Evaluator, step: Step, inputs: Arrays, arithmetic: Arithmetic
) -> Callable[[int], Sequence[Array]]:
    """The outputs of a layer with bodies, with other rounding errors in these. Takes the seed."""

    def compute(seed: int) -> Sequence[Array]:
        return Run(evaluator, Variables().begin(), observer=_noise(arithmetic, seed)).layer(step, inputs)

    return compute


def _noise(arithmetic: Arithmetic, seed: int, amplified: float = AMPLIFICATION) -> Observer:
    """Changes the outputs of every layer, but of those that follow from constants alone."""
    random = np.random.default_rng((seed + 1) // 2)

    def change(computed: Computed) -> None:
        step = computed.step
        if step.layer.kind not in QUIET_KINDS and not step.constant and not step.op.definition.bodies:
            question = Question.of(step.invocation, computed.inputs, arithmetic)
            computed.outputs[:] = [
                noisy_array(step.op, array, arithmetic, seed, random, floor_of(question, array), amplified)
                for array in computed.outputs
            ]

    return change


def agreement(
    one: Array,
    other: Array,
    runs: Sequence[Array],
    arithmetic: Arithmetic,
    noise: Noise = WIDE_NOISE,
) -> Judgement:
    """The judgement of two tensors of one type and shape. runs: see allowance; noise: theirs"""
    unequal = differs(one, other)
    if not unequal.any():
        return Judgement(Verdict.EQUAL, "", Metrics(one.size))
    if element_type_of(one) is STRING:
        verdict, reason, excess = Verdict.WRONG, _count(unequal), inf
    elif is_float(one):
        verdict, reason, excess = _of_numbers(one, other, unequal, runs, arithmetic, noise)
    else:
        verdict, reason = _of_integers(unequal, runs)
        excess = inf if verdict.is_fault else 1.0
    return Judgement(verdict, reason, metrics_of(one, other), excess=excess)


def _of_integers(unequal: Array, runs: Sequence[Array]) -> tuple[Verdict, str]:
    moved = [int(differs(runs[0], array).sum()) for array in runs[1:] if array.shape == runs[0].shape]
    most = max(moved, default=0)
    if most and int(unequal.sum()) <= JUMP_MARGIN * most:
        return Verdict.TIE, f"{_count(unequal)}; rounding before this layer changes {most:,}"
    return Verdict.WRONG, _count(unequal)


def _of_numbers(
    one: Array,
    other: Array,
    unequal: Array,
    runs: Sequence[Array],
    arithmetic: Arithmetic,
    noise: Noise,
) -> tuple[Verdict, str, float]:
    wide = np.complex128 if one.dtype.kind == "c" else np.float64
    a, b = one.astype(wide), other.astype(wide)
    with np.errstate(all="ignore"):
        allowed = noise.margin * allowance(one, runs, arithmetic, noise.amplified)
        apart = np.abs(a - b)
        outside = unequal & ~(apart <= allowed)
    excess = excess_of(one, other, allowed)
    times = f"{excess * noise.margin:.3g} times what rounding does"
    if not outside.any():
        systematic = _systematic(a, b, runs, arithmetic, noise)
        if systematic > 1:
            mean = f"in the mean by {systematic * noise.margin:.3g} times what rounding does"
            return Verdict.WRONG, f"{_count(unequal)}, all alike: {mean}", systematic
        return Verdict.ROUNDING, f"{times} in another run", excess
    begins = ~np.isfinite(b) & np.isfinite(a)
    if begins.any():
        what = "NaN" if np.isnan(b[begins]).any() else "infinity"
        return Verdict.NOT_FINITE, f"{what} in {plural(int(begins.sum()), 'element')}", excess
    if _jumps(apart, outside, change_of(one, runs)):
        reason = f"{_count(outside)} by as much as others do where rounding makes them jump"
        return Verdict.TIE, reason, 1.0
    return Verdict.WRONG, f"{_count(unequal)}, by up to {times}", excess


def _jumps(apart: Array, outside: Array, change: Array) -> bool:
    """Whether few elements differ by as much as others do between runs with noise: by one level, say."""
    count, sizes = int(outside.sum()), apart[outside]
    if count > RARE * apart.size or not change.any():
        return False
    alike = int((change >= sizes.min() / JUMP_MARGIN).sum())
    return count <= JUMP_MARGIN * alike and float(sizes.max()) <= JUMP_MARGIN * float(change.max())


def _systematic(a: Array, b: Array, runs: Sequence[Array], arithmetic: Arithmetic, noise: Noise) -> float:
    """How much two tensors differ in scale or in their mean, relative to what is allowed.

    Rounding errors of n elements mostly cancel in these, even where they allow any single element much: each
    level of a FakeQuantize may be off by one, but not all of them upwards.
    """
    valid = np.isfinite(a) & np.isfinite(b)
    count = int(valid.sum())
    if count < SMALLEST_SAMPLE or a.dtype.kind == "c" or not runs:
        return 0.0
    truth, errors = a[valid], b[valid] - a[valid]
    norm = sqrt(float(np.mean(truth * truth)))
    base = runs[0].astype(a.dtype)
    noises = [run.astype(a.dtype) - base for run in runs[1:] if run.shape == a.shape == base.shape]
    noises = [run[valid] for run in noises if np.isfinite(run[valid]).all()]
    if not noises or not norm:
        return 0.0
    noisier = amplification(arithmetic, runs[0], noise.amplified)
    typical = DEVIATIONS * max(sqrt(float(np.mean(run * run))) for run in noises) / sqrt(count)
    floor = ULPS * arithmetic.roundoff(element_type_of(runs[0])) * norm
    quotients = []
    for weights in (truth / norm, np.ones_like(truth)):
        shown = max(abs(float(np.mean(run * weights))) for run in noises)
        allowed = noise.margin * (max(shown, typical) / noisier + floor)
        quotients.append(abs(float(np.mean(errors * weights))) / allowed)
    return max(quotients)


def _count(unequal: Array) -> str:
    return f"{int(unequal.sum()):,} of {unequal.size:,} elements differ"


# Results of a model compared with those that are expected: of another run, machine or release.


@dataclass(frozen=True, slots=True)
class Expectation:
    """The judgement of each result that is expected, by name. missing: the results that nobody expects."""

    judgements: Mapping[str, Judgement]
    missing: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether all results are as expected, but for rounding."""
        return not any(judgement.is_fault for judgement in self.judgements.values())

    def lines(self, source: str) -> list[str]:
        """What to print. source: where the expected values are from"""
        agreeing = sum(not judgement.is_fault for judgement in self.judgements.values())
        lines = [f"{agreeing} of {plural(len(self.judgements), 'result')} as in {source}"]
        for name, judgement in self.judgements.items():
            reason = f": {judgement.reason}" if judgement.reason else ""
            lines.append(f"  {printable(name)} {judgement.verdict}{reason}")
        if self.missing:
            names = ", ".join(map(printable, self.missing))
            lines.append(f"  not in {source}: {names}")
        return lines


def expectation(
    context: Context,
    results: Mapping[str, Array],
    expected: Mapping[str, Array],
    arithmetic: Arithmetic = DECLARED,
) -> Expectation:
    """Compare results by name with expected arrays, by the name or position of the result or its tensor.

    Where they differ, two further runs, and four more where these leave a doubt, show what rounding alone
    does in this model. arithmetic: of the less precise of the two
    Raises:  KeyError, with a suggestion, for an expected array that is no result; EvaluationError
    """
    signature = context.analysis.signature
    wanted = {_result(signature, key): array for key, array in expected.items()}
    judgements = judged_results(context, results, wanted, arithmetic)
    return Expectation(judgements, tuple(name for name in results if name not in wanted))


def judged_results(
    context: Context,
    results: Mapping[str, Array],
    wanted: Mapping[str, Array],
    arithmetic: Arithmetic,
    identical: Identical = NONE_IDENTICAL,
) -> dict[str, Judgement]:
    """The judgement of each result that is wanted, by its name; see expectation. Raises: EvaluationError"""

    def further(seeds: Sequence[int]) -> list[Mapping[str, Array]]:
        return [_noisy_results(context, arithmetic, seed, identical=identical) for seed in seeds]

    noisy: list[Mapping[str, Array]] = []
    judgements: dict[str, Judgement] = {}
    for name, array in wanted.items():
        declared = as_declared(array, element_type_of(results[name]))
        judgement = _unlike(results[name], declared) or agreement(declared, results[name], [], arithmetic)
        if judgement.is_fault and judgement.metrics is not None:
            noisy = noisy or further(NOISE_SEEDS)
            runs = [run[name] for run in noisy if name in run]
            judgement = agreement(declared, results[name], runs, arithmetic)
        if judgement.is_fault and noisy and judgement.excess <= DOUBTFUL:
            if len(noisy) == len(NOISE_SEEDS):
                noisy += further(FURTHER_SEEDS)
            runs = [run[name] for run in noisy if name in run]
            judgement = agreement(declared, results[name], runs, arithmetic)
        judgements[name] = judgement
    return judgements


def judged_by_rounding(
    context: Context,
    results: Mapping[str, Array],
    wanted: Mapping[str, Array],
    arithmetic: Arithmetic,
    identical: Identical = NONE_IDENTICAL,
) -> dict[str, Judgement]:
    """The judgement of each result, where rounding alone is allowed. Raises: EvaluationError"""
    seeds = (*NOISE_SEEDS, *FURTHER_SEEDS)
    noisy = [_noisy_results(context, arithmetic, seed, PLAIN_NOISE.amplified, identical) for seed in seeds]
    judgements: dict[str, Judgement] = {}
    for name, array in wanted.items():
        declared = as_declared(array, element_type_of(results[name]))
        runs = [run[name] for run in noisy if name in run]
        judgements[name] = _unlike(results[name], declared) or agreement(
            declared, results[name], runs, arithmetic, PLAIN_NOISE
        )
    return judgements


def _result(signature: Signature, key: str) -> str:
    try:
        return signature.result(key).name
    except KeyError:
        if not key.isdecimal() or len(key) > 9:
            raise
        return signature.result(int(key)).name


def _unlike(ours: Array, expected: Array) -> Judgement | None:
    """The judgement of tensors of different types or shapes; None for others."""
    if ours.shape != expected.shape:
        reason = f"has shape {Shape(ours.shape)}, expected is {Shape(expected.shape)}"
        return Judgement(Verdict.WRONG, reason, excess=inf)
    kinds = element_type_of(ours), element_type_of(expected)
    if kinds[0] is not kinds[1]:
        return Judgement(Verdict.WRONG, f"has element type {kinds[0]}, expected is {kinds[1]}", excess=inf)
    return None


def _noisy_results(
    context: Context,
    arithmetic: Arithmetic,
    seed: int,
    amplified: float = AMPLIFICATION,
    identical: Identical = NONE_IDENTICAL,
) -> Mapping[str, Array]:
    """The results of a run with other rounding errors."""
    wiring = context.analysis.root.wiring
    wanted: dict[tuple[int, int], list[str]] = {}
    for port in context.analysis.signature.results:
        source = wiring.first(port.layer.id)
        assert source is not None
        wanted.setdefault((source[0].id, source[1]), []).append(port.name)
    found: dict[str, Array] = {}
    for value in noisy_walk(context, arithmetic, seed, amplified, identical):
        for index, array in enumerate(value.outputs):
            for name in wanted.get((value.layer, index), ()):
                assert array is not None
                found[name] = array
    return found
