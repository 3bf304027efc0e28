"""Correct networks beside correct runtimes: a fault that irops.compare names must be one of the other side.

An accused layer is computed once more in f64, from the inputs that the accused runtime had. The runtime is
guilty only where its output is beyond the error bound of the op around that truth; any other accusation is a
false alarm.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import ml_dtypes
import numpy as np
from planted_models import effect_of, in_f64, renamed, widened

import irops
from irops.analysis.model_analysis import ModelAnalysis
from irops.backends.backend import Reference
from irops.debugging.compare import isolated as isolated_mode
from irops.debugging.compare.agreement import QUIET_KINDS, expectation
from irops.debugging.compare.comparison import Mode, compared
from irops.debugging.compare.cuts import Cuts, first_fault
from irops.debugging.compare.given_tolerances import NONE_GIVEN
from irops.debugging.sources.parse import source_of
from irops.debugging.sources.processes import UNBOUNDED
from irops.debugging.sources.source import Context, Failure, Source, SourceFailed, Values
from irops.runtime.evaluator import Evaluator
from irops.runtime.run import Computed, walk_model
from irops.runtime.variables import Variables
from irops.values.violation import Violation
from irops.verdicts.judge import judge_layer
from irops.verdicts.question import Question, is_float

F32 = "openvino:CPU,INFERENCE_PRECISION_HINT=f32"
DEFAULT = "openvino:CPU"
CONVERSIONS = ("export", "onnxdyn", "static", "interval", "fp16", "int8", "int4", "int4g", "nf4", "ptq")
"""Endings of the names of networks that were converted another way, or compressed."""


@dataclass
class Outcome:
    """What one case showed. alarms: layers and results that were called wrong, each with its proof or "";
    silent: whether two models agree, by the answer, that do not.
    """

    network: str
    case: str
    compared: int = 0
    alarms: list[dict[str, object]] = field(default_factory=list)
    silent: bool = False

    @property
    def false(self) -> list[dict[str, object]]:
        return [alarm for alarm in self.alarms if not alarm["proven"]]

    def row(self) -> dict[str, object]:
        return {"network": self.network, "case": self.case, "compared": self.compared,
                "false": len(self.false), "silent": self.silent, "alarms": self.alarms}  # fmt: skip


def opened(folder: Path) -> tuple[ModelAnalysis, list[np.ndarray], dict[str, np.ndarray]]:
    """A network, its inputs in order, and the results that OpenVINO gave, by position."""
    analysis = ModelAnalysis(irops.read(folder / "model.xml"))
    ports = json.loads((folder / "io.json").read_text())
    with np.load(folder / "inputs.npz") as stored:
        inputs = [_typed(stored[port["key"]], port["element_type"]) for port in ports["inputs"]]
    if not (folder / "ov.npz").exists():  # of results that it cannot store
        return analysis, inputs, {}
    with np.load(folder / "ov.npz") as stored:
        keys = [port["key"] for port in ports["outputs"]]
        results = {
            str(index): _typed(stored[key], ports["outputs"][index]["element_type"])
            for index, key in enumerate(keys)
            if key in stored.files
        }
    return analysis, inputs, results


def _typed(array: np.ndarray, kind: str) -> np.ndarray:
    return array.view(ml_dtypes.bfloat16) if kind == "bf16" and array.dtype == np.uint16 else array


@contextmanager
def recorded_faults(faults: list[tuple[Question, Sequence[np.ndarray]]]) -> Iterator[None]:
    """Keep the question and the answer of every layer that isolated mode calls wrong."""
    judge = isolated_mode.judge_layer

    def recording(question, truth, ours):
        judgements = judge(question, truth, ours)
        if any(one.is_fault for one in judgements):
            faults.append((question, ours))
        return judgements

    isolated_mode.judge_layer = recording
    try:
        yield
    finally:
        isolated_mode.judge_layer = judge


def proven(question: Question, ours: Sequence[np.ndarray]) -> str:
    """Why an answer is wrong beside the result that is computed in f64, or ""."""
    inputs = [
        array.astype(np.float64)
        if array is not None and is_float(array) and array.dtype.kind != "c"
        else array
        for array in question.inputs
    ]
    try:
        exact = [np.asarray(array) for array in question.again(inputs)]
    except (irops.DiagnosticError, Violation, TypeError, ValueError):
        exact = [np.asarray(array) for array in question.again(question.inputs)]
    truth = [wide.astype(array.dtype) for wide, array in zip(exact, ours)]
    faults = [one for one in judge_layer(question, truth, ours) if one.is_fault]
    return faults[0].reason if faults else ""


def layer_cases(
    name: str,
    analysis: ModelAnalysis,
    inputs: Sequence[np.ndarray],
    source: str,
    modes: Sequence[Mode] = ("isolated", "propagated"),
) -> Iterator[Outcome]:
    """Isolated and propagated comparison with a runtime."""
    context = Context(analysis, analysis.signature.arrays(inputs))
    a, b = source_of("reference", UNBOUNDED), source_of(source, UNBOUNDED)
    try:
        if "isolated" in modes:
            yield _isolated_case(name, context, a, b)
        if "propagated" not in modes:
            return
        found = compared(context, a, b, "propagated")
        outcome = Outcome(name, f"propagated {source}", len(found.layers))
        wrong = [layer for layer in found.layers if layer.is_fault]
        if wrong:
            proofs: dict[int, str] = {}
            with suppress(SourceFailed):
                proofs = wrong_from_own_inputs(context, b)
            ids = [layer.id for layer in wrong]
            for layer in wrong[:1]:
                outcome.alarms.append({**_alarm(layer, proofs.get(layer.id, "")), "wrong": len(ids)})
        faults_of_results = [result for result in found.results if result.is_fault]
        if faults_of_results:
            failed = [str(result.reason) for result in faults_of_results if str(result.verdict) == "failed"]
            proof = failed[0] if failed else wrong_as_a_whole(context, inputs, source)
            outcome.alarms.extend(_alarm_of_result(result, proof) for result in faults_of_results)
        if not found.ok and not outcome.alarms:
            outcome.alarms.append(_alarm_of_answer(found))
        yield outcome
    finally:
        a.close()
        b.close()


def _isolated_case(name: str, context: Context, a: Source, b: Source) -> Outcome:
    faults: list[tuple[Question, Sequence[np.ndarray]]] = []
    with recorded_faults(faults):
        found = compared(context, a, b, "isolated")
    reasons = [(question.op.id, proven(question, ours)) for question, ours in faults]
    outcome = Outcome(name, f"isolated {b.name}", len(found.layers))
    for layer in found.layers:
        if layer.is_fault:
            proof = [reason for op, reason in reasons if op == layer.op]
            failed = str(layer.verdict) == "failed"
            outcome.alarms.append(_alarm(layer, layer.reason if failed else (proof or [""])[0]))
    return outcome


def wrong_from_own_inputs(context: Context, source: Source) -> dict[int, str]:
    """The layers of a source whose outputs do not follow from their inputs in its run, with the reason."""
    found = {}
    for pending in isolated_mode.layers_of_values(context, source):
        call = pending.call
        question = Question(
            call.op, call.invocation.attributes, call.inputs, pending.again, source.arithmetic
        )
        reason = proven(question, pending.truth)
        if reason:
            found[call.node.layer.id] = reason
    return found


def model_case(
    name: str,
    case: str,
    analysis: ModelAnalysis,
    inputs: Sequence[np.ndarray],
    other: Path,
    mode: Mode = "propagated",
) -> Outcome:
    """Two models that do the same, or not: what they do is found by runs in f32 and in f64."""
    try:
        level = effect_of(analysis.model, irops.read(other), inputs).level
    except ValueError as error:  # of other shapes or types
        level = str(error)
    found = irops.compare(analysis, inputs, b=f"model:{other}", mode=mode)
    proof = "" if level == "none" else f"the results differ: {level}"
    outcome = Outcome(name, f"{case} {mode}", len(found.layers), silent=found.ok and level == "clear")
    outcome.alarms.extend(_alarm(layer, proof) for layer in found.layers if layer.is_fault)
    outcome.alarms.extend(_alarm_of_result(result, proof) for result in found.results if result.is_fault)
    if not found.ok and not outcome.alarms:
        outcome.alarms.append({**_alarm_of_answer(found), "proven": proof})
    return outcome


def conversions(
    folder: Path, analysis: ModelAnalysis, inputs: Sequence[np.ndarray], modes: Sequence[Mode]
) -> Iterator[Outcome]:
    """A network beside each other conversion of it, and beside a copy with other names and another order."""
    others = [(ending, folder.with_name(f"{folder.name}__{ending}") / "model.xml") for ending in CONVERSIONS]
    for mode in modes:
        for ending, path in others:
            if path.exists():
                yield model_case(folder.name, ending, analysis, inputs, path, mode)
        with TemporaryDirectory() as scratch:
            path = Path(scratch) / "renamed.xml"
            irops.write(renamed(analysis.model, np.random.default_rng(0)), path)
            yield model_case(folder.name, "renamed", analysis, inputs, path, mode)


def stored_case(
    name: str, analysis: ModelAnalysis, inputs: Sequence[np.ndarray], expected: Mapping[str, np.ndarray]
) -> Outcome:
    """Results of a real run of OpenVINO beside those of the reference."""
    context = Context(analysis, analysis.signature.arrays(inputs))
    found = expectation(context, irops.run(analysis, inputs), expected)
    outcome = Outcome(name, "stored results", len(found.judgements))
    wrong = {key: one for key, one in found.judgements.items() if one.is_fault}
    if wrong:
        proof = wrong_as_a_whole(context, inputs, F32)
        for key, one in wrong.items():
            outcome.alarms.append({"layer": key, "op": "", "verdict": str(one.verdict), "reason": one.reason,
                                   "excess": one.excess, "proven": proof})  # fmt: skip
    return outcome


def wrong_as_a_whole(context: Context, inputs: Sequence[np.ndarray], name: str) -> str:
    """Why the results of a runtime are wrong, or "".

    Some layer does not follow from its inputs; or the results, or those of a part that is compiled alone, are
    beyond what errors in every layer do to those in f64.
    """
    source = source_of(name, UNBOUNDED)
    try:
        with suppress(SourceFailed):  # some models cannot be compiled with the values between as results
            proofs = wrong_from_own_inputs(context, source)
            if proofs:
                return next(iter(proofs.values()))
        results = source.results(context)
        if isinstance(results, Failure):
            return str(results)
        in_bf16 = source.arithmetic.precision == "bf16"
        proof = beyond_exact(context, inputs, list(results.values()), in_bf16)
        return proof or wrong_part(context, source, results, in_bf16)
    finally:
        source.close()


def wrong_part(context: Context, source: Source, results: Values, in_bf16: bool) -> str:
    """Why the results of the smallest part that differs are wrong beside those in f64, or "".

    Steps of quantized numbers that follow each other allow the results of a whole model nearly anything.
    """
    reference = source_of("reference", UNBOUNDED)
    right = reference.results(context)
    fault = first_fault(context, right, source, NONE_GIVEN, results)
    if fault is None:
        return ""
    search = Cuts(context, reference, source, fault)
    constant, order = context.analysis.root.constants, context.analysis.root.order
    layers = [n for n in order if n.layer.kind not in QUIET_KINDS and n.layer.id not in constant]
    part = search.smallest(layers)
    for inner in search.contexts_of(part):
        ours = source.results(inner)
        if isinstance(ours, Failure):
            continue
        inputs = [inner.inputs[port.layer.id] for port in inner.analysis.signature.inputs]
        proof = beyond_exact(inner, inputs, list(ours.values()), in_bf16)
        if proof:
            return f"{len(part)} layers from {part[0].layer.name}, alone: {proof}"
    return ""


LEVELS = ("FakeQuantize", "Reshape", "Transpose", "Concat", "Split", "VariadicSplit", "Slice", "StridedSlice",
          "Gather", "Squeeze", "Unsqueeze", "Broadcast", "ReLU", "MaxPool", "Pad", "Convert")  # fmt: skip
"""Ops whose results have no error of their own."""
EXACT_RUNS = 6
SEVERAL = 8.0
"""How many roundoffs each layer of a run in f64 is off by, and how many times as far as these runs a result
is from the exact one before it is wrong for certain."""


def beyond_exact(
    context: Context, inputs: Sequence[np.ndarray], results: Sequence[np.ndarray], in_bf16: bool
) -> str:
    """Why results cannot be those of a correct runtime, or "". It does not use irops.verdicts.

    The model runs in f64, where sums of quantized numbers are exact; then some more times with an error of
    some roundoffs in every layer, relative to elements of usual size, so that numbers near the border between
    two levels get to the other side.
    """
    wide = ModelAnalysis(in_f64(context.analysis.model))
    arrays = wide.signature.arrays([widened(array) for array in inputs])
    roundoff = SEVERAL * 2.0 ** (-9 if in_bf16 else -24)
    runs = [_exact_results(wide, arrays, roundoff * (seed > 0), seed) for seed in range(EXACT_RUNS + 1)]
    for number, (port, ours) in enumerate(zip(context.analysis.signature.results, results)):
        exact, *noisy = (run[number] for run in runs)
        if exact.shape != ours.shape:
            return f"{port.name} has shape {ours.shape}, in f64 {exact.shape}"
        if exact.dtype.kind != "f" or not np.isfinite(exact).all():
            continue
        rounded = np.abs(exact).max(initial=0.0) * roundoff
        moved = max(float(np.abs(run - exact).max(initial=0.0)) for run in noisy) + rounded
        apart = float(np.abs(ours.astype(np.float64) - exact).max(initial=0.0))
        if not apart <= SEVERAL * moved:
            return (
                f"{port.name} is {apart:.3g} from its value in f64; errors in every layer move it {moved:.3g}"
            )
    return ""


def _exact_results(
    analysis: ModelAnalysis, inputs: Mapping[int, np.ndarray], error: float, seed: int
) -> list[np.ndarray]:
    """The results of a run, with an error in every layer. error: relative to elements of usual size"""
    random = np.random.default_rng(seed)

    def moved(array: np.ndarray) -> np.ndarray:
        if array.dtype != np.float64 or not error:
            return array
        sizes = np.abs(array)
        usual = 4 * np.median(sizes[np.isfinite(array) & (array != 0)]) if array.any() else 0.0
        return array + random.uniform(-error, error, array.shape) * np.fmax(sizes, usual) * (array != 0)

    def change(computed: Computed) -> None:
        step = computed.step
        if step.layer.kind not in QUIET_KINDS and not step.constant and step.layer.type not in LEVELS:
            computed.outputs[:] = [moved(array) for array in computed.outputs]

    sources = [analysis.root.wiring.first(port.layer.id) for port in analysis.signature.results]
    keys = [(layer.id, index) for layer, index in sources]
    values = {}
    for computed in walk_model(Evaluator(analysis, (Reference(),)), inputs, Variables(), change):
        for index, array in enumerate(computed.outputs):
            if (computed.step.layer.id, index) in keys:
                values[computed.step.layer.id, index] = np.asarray(array)
    return [values[key] for key in keys]


def _alarm_of_result(result, proof: str) -> dict[str, object]:
    return {"layer": result.name, "op": "Result", "verdict": str(result.verdict), "reason": result.reason,
            "excess": result.judgement.excess, "proven": proof}  # fmt: skip


def _alarm_of_answer(found) -> dict[str, object]:
    """An answer that is not ok, although nothing is called wrong."""
    return {"layer": "", "op": "", "verdict": "not ok", "reason": str(found)[:400], "excess": 0.0,
            "proven": ""}  # fmt: skip


def _alarm(layer, proof: str) -> dict[str, object]:
    return {"layer": layer.name, "op": layer.op, "verdict": str(layer.verdict), "reason": layer.reason,
            "excess": layer.judgement.excess, "proven": proof}  # fmt: skip
