"""Results of a model compared with those that are expected: of another run, machine or release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from irops.analysis.signature import Signature
from irops.debugging.compare.agreement import agreement
from irops.debugging.compare.noise import NOISE_SEEDS, noisy_walk, question_of
from irops.debugging.sources.source import Context, LayerValue
from irops.diagnostics.printable import plural, printable
from irops.ir.tensor_files import as_declared
from irops.values.element import Array, element_type_of
from irops.verdicts.arithmetic import DECLARED, Arithmetic
from irops.verdicts.forms import in_form_of
from irops.verdicts.question import is_float
from irops.verdicts.verdict import Judgement, Verdict, noted


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

    Where they differ, two further runs show what rounding alone does in this model. arithmetic: of the less
    precise of the two
    Raises:  KeyError, with a suggestion, for an expected array that is no result; EvaluationError
    """
    signature = context.analysis.signature
    wanted = {_result(signature, key): array for key, array in expected.items()}
    noisy: list[Mapping[int, LayerValue]] = []
    judgements: dict[str, Judgement] = {}
    for name, array in wanted.items():
        declared = as_declared(array, element_type_of(results[name]))
        result, note = in_form_of(declared, results[name], "expected is")
        if result is None:
            judgements[name] = Judgement(Verdict.WRONG, note)
            continue
        judgement = agreement(declared, result, [], arithmetic)
        if judgement.is_fault and judgement.metrics is not None:
            noisy = noisy or [_noisy_results(context, arithmetic, seed) for seed in NOISE_SEEDS]
            source = context.analysis.root.wiring.inputs[signature.result(name).layer.id][0]
            assert source is not None
            judgement = _of_layer(context, (source[0].id, source[1]), declared, result, noisy, arithmetic)
        judgements[name] = noted(judgement, note)
    return Expectation(judgements, tuple(name for name in results if name not in wanted))


def _result(signature: Signature, key: str) -> str:
    try:
        return signature.result(key).name
    except KeyError:
        if not key.isdecimal() or len(key) > 9:
            raise
        return signature.result(int(key)).name


def in_one_type(one: Array, other: Array) -> tuple[Array, Array]:
    """Two arrays of numbers; floats of different types in the wider of f32 and f64 that holds both."""
    kinds = element_type_of(one), element_type_of(other)
    if kinds[0] is kinds[1] or not (is_float(one) and is_float(other)):
        return one, other
    wider = np.float64 if "f64" in (kinds[0].name, kinds[1].name) else np.float32
    return one.astype(wider), other.astype(wider)


def _of_layer(
    context: Context,
    source: tuple[int, int],
    expected: Array,
    result: Array,
    noisy: Sequence[Mapping[int, LayerValue]],
    arithmetic: Arithmetic,
) -> Judgement:
    """The judgement of a result that an output of a layer gives. noisy: the layers that give results"""
    number, index = source
    values = [run[number] for run in noisy if number in run]
    runs = [array for value in values if (array := value.outputs[index]) is not None]
    ask = partial(question_of, context.analysis.root.layers[number], values, arithmetic)
    return agreement(expected, result, runs, arithmetic, ask, index)


def _noisy_results(context: Context, arithmetic: Arithmetic, seed: int) -> Mapping[int, LayerValue]:
    """The layers that give results, by id, in a run with other rounding errors."""
    wiring = context.analysis.root.wiring
    sources = [wiring.inputs[port.layer.id][0] for port in context.analysis.signature.results]
    wanted = {source[0].id for source in sources if source is not None}
    return {value.layer: value for value in noisy_walk(context, arithmetic, seed) if value.layer in wanted}
