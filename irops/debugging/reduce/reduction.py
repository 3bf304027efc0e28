"""irops.reduce and what it gives back. Recorded values replace what feeds a part of a model, or a body."""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from irops.analysis.declaring import with_declared_ports
from irops.analysis.model_analysis import AnyModel, Buildable, ModelAnalysis, analyse, infer
from irops.analysis.structure import GraphNode
from irops.backends.catalogue import chain
from irops.debugging.compare.comparison import narrowed, without_each
from irops.debugging.reduce.attempts import Attempts, Oracle, OutOfTries, Progress, another_model, judge_of
from irops.debugging.reduce.case import (
    FEW,
    Case,
    ReproductionTarget,
    axes_of,
    computes,
    in_plain_types,
    lower_numbers,
    may_be_parameters,
    plainer,
    shorter,
    sliced,
    write_reproduction,
)
from irops.debugging.reduce.pair import reduced_pair
from irops.debugging.sources.parse import AnySource
from irops.debugging.sources.source import Context, Source
from irops.debugging.sources.stored import OtherModel
from irops.debugging.sources.workers import SourceWorkers
from irops.diagnostics.diagnostic import DiagnosticError
from irops.dialects.registry import Registry
from irops.editing.extraction import (
    NamedValue,
    Scope,
    Selection,
    Value,
    constant_layer,
    extract,
    first_port,
    joined,
    parameter,
    with_constants,
    with_variables,
)
from irops.environment import require_above_zero
from irops.files.limits import Limits
from irops.files.storage import JoinedWeights
from irops.graph.topology import Wiring
from irops.ir.model import Edge, Layer, LayerGraph, LayerKind, Model
from irops.ir.weights import constant
from irops.runtime.evaluator import Evaluator, Variables
from irops.runtime.plan import Plan
from irops.runtime.run import run_model
from irops.runtime.session import run
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape


def _parameter_of(layer: Layer, array: Array, shape: Shape) -> Layer:
    """A Parameter in place of one, for an array: of the shape that it has declared, where that still fits."""
    first, static = first_port(layer), Shape(array.shape)
    fact = Fact(element_type_of(array), shape if shape.contains(static) else static)
    return parameter(layer.id, layer.name, fact, first.names, first.id)


def tensors(case: Case) -> dict[int, Array]:
    """The values of inputs and constants by layer id, but for axes and for those of bodies."""
    return {
        layer.id: constant(case.model, layer) if layer.is_constant else case.inputs[layer.name]
        for layer in case.model.layers
        if layer.is_constant or (layer.kind is LayerKind.PARAMETER and layer.name in case.inputs)
        if not _are_axes(case, layer)
    }


def _are_axes(case: Case, layer: Layer) -> bool:
    """Whether a tensor says along which axes layers compute: with others they compute something else."""
    root = case.analysis.root
    users = [(root.layers[user.id].op, index) for user, index in root.wiring.consumers.get((layer.id, 0), ())]
    named = [op.definition.inputs[min(k, len(op.definition.inputs) - 1)].name for op, k in users if op]
    return any(name in ("axes", "axis") for name in named)


Data = Mapping[int, Mapping[str, str]]
"""Attributes by layer id."""


def with_tensors(
    case: Case, arrays: Mapping[int, Array], data: Data | None = None, *, static: bool = False
) -> Case:
    """The case with other values, of any types and shapes; ports declare what is then inferred.

    data: other attributes; static: whether the inputs declare the shapes of their values, also where they
    declared others
    """
    inferred = case.analysis.infer()
    weights, inputs = joined(case.model), dict(case.inputs)
    layers: list[Layer] = []
    for layer in case.model.layers:
        array = arrays.get(layer.id)
        if array is None:
            layers.append(_undeclared(layer, (data or {}).get(layer.id, layer.data)))
        elif layer.is_constant:
            layers.append(constant_layer(layer, array, weights))
        else:
            declared = inferred.of(layer.id).outputs[0].shape.unnamed()
            layers.append(_parameter_of(layer, array, Shape(array.shape) if static else declared))
            inputs[layer.name] = array
    model = replace(case.model, graph=replace(case.model.graph, layers=layers), weights=weights)
    return case.with_model(with_declared_ports(model, infer(model, registry=case.registry)), inputs)


def changed(
    case: Case, attempts: Attempts, arrays: Mapping[int, Array], data: Data | None = None
) -> Case | None:
    """The case with other values and attributes, if that fails; with another setting, as much as before.

    Settings are attributes and short constants: windows, axes, the ranges of quantizers.
    """
    inferred, model = case.analysis.infer(), case.model
    constants = [number for number in arrays if model.layer(number).is_constant]
    settings = bool(data) or any(inferred.of(n).outputs[0].shape.size <= FEW for n in constants)
    candidate = with_tensors(case, arrays, data)
    return candidate if attempts.fails(candidate, keeps_size=settings) else None


def _undeclared(layer: Layer, data: Mapping[str, str]) -> Layer:
    """A layer whose ports declare nothing; Parameters and constants declare what their attributes say."""
    if layer.is_constant or layer.kind is LayerKind.PARAMETER:
        return layer
    ports = (layer.inputs, layer.outputs)
    inputs, outputs = ([replace(port, precision=None, dims=(), at=-1) for port in side] for side in ports)
    return replace(layer, data=dict(data), inputs=inputs, outputs=outputs)


IN_MEMORY = 1 << 16
"""Arrays of at most this many bytes are kept in memory."""


class Recording:
    """Values by layer and output. A part of the model is run that begins at values recorded before.

    Bisection asks for values in the middle of what was recorded before, so that all runs together cost about
    two runs of the model. Long arrays are mapped from files, which are deleted when it is closed.
    """

    def __init__(self, cutting: "Cutting") -> None:
        self._cutting = cutting
        self._folder: TemporaryDirectory[str] | None = None
        self._arrays: dict[Value, Array] = {}

    def of(self, wanted: Collection[Value]) -> Mapping[Value, Array]:
        """The values. Raises: EvaluationError where the reference cannot compute them"""
        missing = [value for value in wanted if value not in self._arrays]
        if missing:
            self._record(missing)
        return {value: self._arrays[value] for value in wanted}

    def close(self) -> None:
        """Forget the values and delete the files."""
        self._arrays.clear()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _record(self, missing: list[Value]) -> None:
        layers = self._cutting.wiring.layers
        ends = [NamedValue(layers[number], index) for number, index in missing]
        part = self._cutting.between(self._behind(missing), ends, self, folded=False)
        for value, array in zip(missing, run(part.analysis, part.inputs).values(), strict=True):
            self._arrays[value] = self._kept(array)

    def _kept(self, array: Array) -> Array:
        """A copy of an array."""
        if array.dtype == object or array.nbytes <= IN_MEMORY:
            return array.copy()
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="irops-reduce-")
        path = Path(self._folder.name, str(len(os.listdir(self._folder.name))))
        np.ascontiguousarray(array).view(np.uint8).tofile(path)
        mapped = np.memmap(path, np.uint8, "r")
        return np.asarray(mapped).view(array.dtype).reshape(array.shape)

    def _behind(self, values: list[Value]) -> set[int]:
        """The operations that compute values from those that were recorded."""
        wiring, operations = self._cutting.wiring, set[int]()
        ahead = list(dict.fromkeys(number for number, _ in values))
        while ahead:
            number = ahead.pop()
            if number in operations:
                continue
            operations.add(number)
            for source in wiring.inputs[number]:
                if source is None or not computes(source[0]):
                    continue
                if (source[0].id, source[1]) not in self._arrays:
                    ahead.append(source[0].id)
        return operations


SHORT = 16
"""A vector of at most this many integers may be a shape, or axes, which many ops require as a constant."""


class Cutting:
    """Parts of the graph of a case. operations: the ids of layers that compute, inputs before users"""

    def __init__(self, case: Case) -> None:
        self.whole = case
        self.scope = Scope.of(case.analysis, ())
        self.wiring = self.scope.graph.wiring
        self.operations = tuple(layer.id for layer in depth_first(self.wiring) if computes(layer))

    def part(self, kept: Iterable[int], values: Recording | None) -> Case:
        """The case of some operations. values: of what feeds them, None for a model that cannot be run

        Raises:  EvaluationError where the values cannot be computed
        """
        operations = with_variables(self.wiring, kept)
        if len(operations) == len(self.operations):
            return self.whole
        ends = [end for number in sorted(operations) for end in self._ends(number, operations)]
        return self.between(operations, ends, values)

    def between(
        self,
        operations: Collection[int],
        ends: list[NamedValue],
        values: Recording | None,
        *,
        folded: bool = True,
    ) -> Case:
        """The case of operations with some of their values as results.

        folded: what depends on no input, or is likely to be a shape, becomes a constant in place of an input
        """
        layers, cuts = set(operations), dict[Value, None]()
        for number in operations:
            for source in self.wiring.inputs[number]:
                if source is None or source[0].id in operations:
                    continue
                if computes(source[0]):
                    cuts[source[0].id, source[1]] = None
                else:
                    layers.add(source[0].id)
        selection = Selection(self.scope, layers, cuts, ends)
        bare = replace(self.whole.model, rt_info=None, legacy=[], unknown=[], comments=(), source=None)
        model = replace(bare, graph=selection.graph())
        known = self._constants(cuts) if values is None else values.of(cuts)
        arrays = {name: known[value] for name, value in selection.cuts.items() if value in known}
        constants = {n for n, v in selection.cuts.items() if n in arrays and self._is_folded(v, arrays[n])}
        if folded:
            model = with_constants(model, {name: arrays.pop(name) for name in constants})
        return self.whole.with_model(model, {**self.whole.inputs, **arrays})

    def _ends(self, number: int, operations: Collection[int]) -> Iterable[NamedValue]:
        """The outputs of an operation that others use, or nobody."""
        layer = self.wiring.layers[number]
        for index in range(len(layer.outputs) if layer.kind is not LayerKind.SINK else 0):
            users = self.wiring.consumers.get((number, index), [])
            if not users or any(user.id not in operations for user, _ in users):
                yield NamedValue(layer, index)

    def _constants(self, cuts: Collection[Value]) -> dict[Value, Array]:
        """The values that inference computes."""
        facts = {value: self.scope.fact(value).value for value in cuts}
        return {value: array for value, array in facts.items() if array is not None}

    def _is_folded(self, value: Value, array: Array) -> bool:
        if value[0] in self.scope.graph.constants:
            return True
        return element_type_of(array).integral and array.ndim <= 1 and array.size <= SHORT


# An order of layers in which a layer is near those that compute its inputs.


def depth_first(wiring: Wiring) -> list[Layer]:
    """Layers in topological order; the inputs of a layer come before it, each right after its own inputs.

    Layers on or behind a cycle are left out.
    """
    acyclic = {layer.id for layer in wiring.order}
    done: dict[int, Layer] = {}
    ahead = [(layer, False) for layer in reversed(wiring.order) if not _is_used(wiring, layer)]
    while ahead:
        layer, is_ready = ahead.pop()
        if layer.id in done or layer.id not in acyclic:
            continue
        if is_ready:
            done[layer.id] = layer
            continue
        ahead.append((layer, True))
        ahead += [(source[0], False) for source in reversed(wiring.inputs[layer.id]) if source is not None]
    return list(done.values())


def _is_used(wiring: Wiring, layer: Layer) -> bool:
    return any((layer.id, index) in wiring.consumers for index in range(len(layer.outputs)))


Call = Mapping[int, Array]
"""The values of the Parameters of a body, by layer id."""


def body_cases(case: Case) -> Iterator[tuple[tuple[str, ...], Case]]:
    """The path of each body, and the body as a model, with the values of some of its iterations.

    The first iteration comes first, then the last one, then others.
    Bodies that are not executed are left out.
    Raises:  EvaluationError where the case cannot be computed
    """
    analysis = case.analysis
    if not any(layer.bodies for layer in case.model.layers):
        return
    observer = _Observer(analysis, chain(None))
    run_model(observer, analysis.signature.arrays(case.inputs), (), Variables())
    for path, calls in observer.calls.items():
        if len(path) > 2:
            continue  # bodies of bodies follow, once the outer body is the model
        graph = analysis.by_path[path]
        names = {layer.id: layer.name for layer in graph.parameters}
        model = replace(extract(analysis, path=path), rt_info=None, legacy=[], unknown=[])
        for call in _in_order(calls):
            yield path, case.with_model(model, {names[n]: array for n, array in call.items()})


def _in_order(calls: Mapping[int, Call]) -> list[Call]:
    """The first call, the last one, then the others."""
    numbers = sorted(calls)
    return [calls[number] for number in dict.fromkeys((numbers[0], numbers[-1], *numbers))]


class _Observer(Evaluator):
    """Keeps the inputs of some calls of each body: those numbered 0 and powers of 2, and the last one."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.calls: dict[tuple[str, ...], dict[int, Call]] = {}
        self._counts: dict[tuple[str, ...], int] = {}

    def plan(self, graph: GraphNode, given: Mapping[int, Array]) -> Plan:
        if graph.path:
            number = self._counts.get(graph.path, 0)
            self._counts[graph.path] = number + 1
            calls = self.calls.setdefault(graph.path, {})
            if (number - 1) & (number - 2):
                calls.pop(number - 1, None)  # it was the last one
            calls[number] = dict(given)
        return super().plan(graph, given)


STOPPED_BY_USER = "it was interrupted"


class NoFault(ValueError):
    """The fault does not show in the whole model, so that nothing can be reduced."""


@dataclass(frozen=True)
class Reduction:
    """The smallest model that still fails.

    model, inputs: the case; tries: how many candidates were judged; layers, of: how many layers of the model
    and of the original one compute something, those of bodies included (inputs, results and constants are
    not counted); reason: why the model fails; stopped: why the search ended early, or None; unjudged: how
    many candidates exceeded a limit on a process, and note: which one; right: where the results of another
    model differ, of which model is a part, the part of the first model that stands for it
    """

    model: Model = field(repr=False)
    inputs: dict[str, Array] = field(repr=False)
    tries: int
    layers: int
    of: int
    reason: str
    stopped: str | None = None
    unjudged: int = 0
    note: str = ""
    target: ReproductionTarget | None = field(default=None, repr=False)
    expects_results: bool = field(default=False, repr=False)
    registry: Registry | None = field(default=None, repr=False)
    right: Case | None = field(default=None, repr=False)

    def write(self, folder: str | os.PathLike[str]) -> tuple[str, ...]:
        """Write reduced.xml and reduced.bin (or a file of the model's format), inputs.npz and repro.py, a
        program that runs the model with nothing but the runtime and NumPy; where results are compared, also
        expected.npz, and of two models the part of the first as right.xml, right.bin and right.npz.

        The folder is made if need be. Returns the names of the files.
        Raises:  OSError
        """
        case = Case(self.model, self.inputs, self.registry)
        title = f"{self.reason}: {self}"
        right = self.right or (case if self.expects_results else None)
        return write_reproduction(case, Path(folder), title, self.target, right)

    def __str__(self) -> str:
        tries = f"{self.tries:,} {'try' if self.tries == 1 else 'tries'}"
        return f"{self.layers:,} of {self.of:,} layers after {tries}"

    def __repr__(self) -> str:
        return f"<Reduction: {self}>"


def reduce(
    model: AnyModel,
    inputs: Mapping[str | int, Any] | Iterable[Any] = (),
    oracle: Oracle | None = None,
    *,
    differs: Sequence[Any] | None = None,
    crashes: AnySource | None = None,
    rule: str | None = None,
    command: Sequence[str] | None = None,
    tries: int = 150,
    seconds: float = inf,
    seconds_per_try: float = 120,
    registry: Registry | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Reduction:
    """The smallest model, with inputs, that still shows a fault. Ctrl-C ends the search and keeps the best.

    inputs: arrays by tensor name, layer name or position. What the reduction preserves is one of:
    oracle: a function of a model and a dict of arrays by input name, which runs in this process; it returns
        whether the fault shows, or a text that names the reason, which then stays the same;
    differs: two sources whose results differ, ("reference", "openvino:CPU"); see irops.compare. With
        "model:other.xml" the other model is reduced to a part, and only by cutting both;
    crashes: a source, such as "openvino", that fails on the model, in a process of its own;
    rule: the code of a rule that irops.check reports; inputs are not needed;
    command: words of a command that exits with 0 if the fault shows; it gets the paths of the model and of
        an .npz file with the inputs as its last arguments, and as IROPS_MODEL and IROPS_INPUTS.
    tries, seconds: how many candidates are judged at most, and for how long; seconds_per_try: for a candidate
    in another process, whose memory limits.process_bytes bounds; a candidate that exceeds it is not judged;
    progress: called with (tries, their limit, the smallest size so far).
    Raises:  NoFault (a ValueError) if the fault does not show; ValueError for seconds that no clock counts
        and text that XML cannot represent; DiagnosticError for a model that cannot be read or inputs that do
        not fit
    """
    if isinstance(model, ModelAnalysis | Buildable):
        registry, limits = registry or model.registry, limits or model.limits
    require_above_zero(seconds=seconds or None, seconds_per_try=seconds_per_try)
    limits = limits or Limits()
    asked = {"oracle": oracle, "differs": differs, "crashes": crashes, "rule": rule, "command": command}
    alone = sum(question is not None for question in asked.values()) == 1
    pair = another_model(differs, SourceWorkers.of(registry, limits, seconds_per_try)) if alone else None
    analysis = analyse(model, registry, limits)
    if pair is not None:
        return _of_two_models(Context(analysis, analysis.signature.arrays(inputs)), *pair)
    judge = judge_of(asked, seconds_per_try, registry, limits)
    case = Case(analysis.model, {}, registry, limits)
    if judge.needs_values:
        arrays = analysis.signature.arrays(inputs)
        case = case.with_model(case.model, {p.name: arrays[p.layer.id] for p in analysis.signature.inputs})
    with closing(judge):
        return _reduction(case, Attempts(judge, tries, seconds, progress))


def _of_two_models(context: Context, a: Source, b: OtherModel) -> Reduction:
    """Raises: NoFault"""
    with closing(a), closing(b):
        found = reduced_pair(context, a, b)
        whole = Case(b.analysis(context.analysis).model, {})
    if found is None:
        same = f"{a.name} and {b.name} give the same results, as far as these can be compared"
        raise NoFault(f"the fault does not show in the whole model: {same}")
    right, wrong, comparison, tries = found
    faults = [result.verdict for result in comparison.results if result.is_fault]
    verdict = max(faults, key=lambda one: one.severity, default="other layers")
    return Reduction(
        wrong.model,
        dict(wrong.inputs),
        tries,
        wrong.operations,
        whole.operations,
        f"{a.name} and {b.name} differ: {verdict}",
        expects_results=True,
        registry=wrong.registry,
        right=right,
    )


def _reduction(case: Case, attempts: Attempts) -> Reduction:
    """Raises: NoFault"""
    if not attempts.begin(case) and not any(map(attempts.begin, suspects(case, attempts))):
        raise NoFault(
            f"the fault does not show in the whole model: {attempts.note or attempts.judge.absence}"
        )
    stopped = None
    try:
        reduced(attempts.best or case, attempts)
    except OutOfTries as limit:
        stopped = str(limit)
    except KeyboardInterrupt:
        stopped = STOPPED_BY_USER
    best = attempts.best or case
    return Reduction(
        best.model,
        dict(best.inputs),
        attempts.tries,
        best.operations,
        case.operations,
        attempts.reason or "",
        stopped,
        attempts.unjudged,
        attempts.note,
        attempts.judge.target,
        attempts.judge.compares_results,
        case.registry,
    )


# The steps of a reduction: layers first, then bodies, then shapes, values and attributes.

SUSPECTS = 3
"""How many single layers are tried before the model is bisected."""
Step = Callable[[Case, Attempts], Case]


def reduced(case: Case, attempts: Attempts) -> Case:
    """The smallest case that is reached in steps that all fail; case must fail.

    Raises:  OutOfTries; attempts.best is then the smallest so far
    """
    suspect = next((part for part in suspects(case, attempts) if attempts.fails(part)), case)
    case = hoisted(with_fewer_layers(suspect, attempts), attempts)
    if case.operations > 1 and attempts.judge.has_symptoms:
        with attempts.any_symptom():
            case = hoisted(with_fewer_layers(case, attempts), attempts)
    steps: list[Step] = [with_smaller_bodies, with_one_result, without_metadata]
    if attempts.judge.needs_values:
        steps += [static, shrunk, in_simpler_types, with_default_attributes, with_plain_values]
    for step in steps:
        case = step(case, attempts)
    return with_fewer_layers(case, attempts)


def suspects(case: Case, attempts: Attempts) -> Iterator[Case]:
    """The cases of single layers that the judge suspects."""
    numbers = attempts.judge.suspects(case)
    if not numbers:
        return
    cutting = Cutting(case)
    with closing(Recording(cutting)) as values:
        for number in numbers[:SUSPECTS]:
            with suppress(DiagnosticError):  # what feeds the layer cannot be computed
                yield cutting.part([number], values)


def with_fewer_layers(case: Case, attempts: Attempts) -> Case:
    """The case of few of its operations: bisected first, then without each that can be left out."""
    cutting = Cutting(case)
    with closing(Recording(cutting)) as recording:
        values = recording if attempts.judge.needs_values else None
        smallest: dict[tuple[int, ...], Case] = {}

        def fails(operations: Sequence[int]) -> bool:
            try:
                part = cutting.part(operations, values)
            except DiagnosticError:  # the values that feed the part cannot be computed
                return False
            if attempts.fails(part, of_recording=True):
                smallest.clear()  # a case holds its analysis, which is large where the model is
                smallest[tuple(operations)] = part
                return True
            return False

        kept = without_each(narrowed(cutting.operations, fails), fails)
        return smallest.get(tuple(kept), case)


def hoisted(case: Case, attempts: Attempts) -> Case:
    """The case of the body in which the fault is, where the body shows it by itself."""
    if not attempts.judge.needs_values:
        return case
    for _, body in body_cases(case):
        if attempts.fails(body):
            return hoisted(with_fewer_layers(body, attempts), attempts)
    return case


# Shorter axes: of all tensors at once where they have the same size, then of single tensors.


def shrunk(case: Case, attempts: Attempts) -> Case:
    """The case with shorter axes, as long as it fails."""
    for size in sorted({n for array in tensors(case).values() for n in array.shape}, reverse=True):
        case = _shortened(case, size, attempts)
    for number in tensors(case):
        for axis in range(tensors(case)[number].ndim):
            array = tensors(case)[number]
            cuts = (sliced(array, {axis}, cut) for cut in shorter(array.shape[axis], 1))
            case = _first_failing(case, number, cuts, attempts)
    return case


def _shortened(case: Case, size: int, attempts: Attempts) -> Case:
    """The case with all axes of a size shortened."""
    while size > 1:
        for cut in shorter(size, 1):
            tried = (changed(case, attempts, *other) for other in _cut_everywhere(case, size, cut))
            smaller = next(filter(None, tried), None)
            if smaller is not None:
                case, size = smaller, cut.stop - cut.start
                break
        else:
            break
    return case


def _cut_everywhere(case: Case, size: int, cut: slice) -> Iterator[tuple[dict[int, Array], Data]]:
    """All axes of a size cut; then also such numbers in vectors, which may be shapes, and in attributes."""
    arrays = tensors(case)
    cuts = {n: sliced(a, axes_of(a, size), cut) for n, a in arrays.items() if size in a.shape}
    yield cuts, {}
    length = cut.stop - cut.start
    vectors = {n: _renumbered(a, size, length) for n, a in arrays.items() if _has_number(a, size)}
    if vectors:
        yield {**cuts, **vectors}, {}
    data = dict(_renumbered_attributes(case, size, length))
    if data:
        yield {**cuts, **vectors}, data


def _has_number(array: Array, number: int) -> bool:
    return element_type_of(array).integral and may_be_parameters(array) and number in array.tolist()


def _renumbered(array: Array, old: int, new: int) -> Array:
    changed = array.copy()
    changed[array == old] = new
    return changed


def _renumbered_attributes(case: Case, old: int, new: int) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The attributes of layers in which a number occurs, with another one; an axis is no size."""
    number = re.compile(rf"(?<![\w.-]){old}(?![\w.])")
    for layer in case.model.layers:
        if computes(layer):
            op = case.analysis.root.layers[layer.id].op
            declared = {} if op is None else op.definition.attributes
            axes = {name for name, attribute in declared.items() if attribute.type in ("axis", "axes")}
            data = {n: text if n in axes else number.sub(str(new), text) for n, text in layer.data.items()}
            if data != layer.data:
                yield layer.id, data


# Simpler values, element types and attributes, and fewer results.

_NUMBERS = re.compile(r"{0}(\s*,\s*{0})*".format(r"-?[0-9.]+(?:[eE][-+]?[0-9]+)?"))


def with_one_result(case: Case, attempts: Attempts) -> Case:
    """The case with a single result that shows the fault, if there is one."""
    root = case.analysis.root
    sources = [root.wiring.source(layer.id) for layer in root.results]
    if len(sources) < 2:
        return case
    for source in sources:
        if source is not None:
            fewer = case.with_model(extract(case.analysis, outputs=[(source[0].id, source[1])]))
            if attempts.fails(fewer):
                return fewer
    return case


def static(case: Case, attempts: Attempts) -> Case:
    """The case with inputs that declare the shapes of their values."""
    arrays = {n: array for n, array in tensors(case).items() if not case.model.layer(n).is_constant}
    candidate = with_tensors(case, arrays, static=True)
    return candidate if candidate.key != case.key and attempts.fails(candidate) else case


def in_simpler_types(case: Case, attempts: Attempts) -> Case:
    """The case with plain element types, changed in all tensors of a type at once."""
    arrays = tensors(case)
    for kind in dict.fromkeys(map(element_type_of, arrays.values())):
        of_kind = {n: array for n, array in arrays.items() if element_type_of(array) is kind}
        plain = {n: plain for n, array in of_kind.items() for plain in in_plain_types(array)}
        if plain:
            case = changed(case, attempts, plain) or case
    return case


def with_plain_values(case: Case, attempts: Attempts) -> Case:
    """The case with zeros, ones, consecutive or whole numbers; vectors that may be axes or sizes are
    lowered.
    """
    arrays = {n: array for n, array in tensors(case).items() if not may_be_parameters(array)}
    for number in sorted(arrays, key=lambda n: -arrays[n].size):
        case = _first_failing(case, number, plainer(arrays[number]), attempts)
    for number, array in tensors(case).items():
        case = _first_failing(case, number, lower_numbers(array), attempts)
    return case


def _first_failing(case: Case, number: int, candidates: Iterator[Array], attempts: Attempts) -> Case:
    tried = (changed(case, attempts, {number: array}) for array in candidates)
    return next(filter(None, tried), case)


def with_default_attributes(case: Case, attempts: Attempts) -> Case:
    """The case with attributes at their defaults, or 0 or 1 where there is none."""
    nodes = case.analysis.root.layers
    for layer in case.model.layers:
        invocation = nodes[layer.id].invocation
        if invocation is None or not computes(layer):
            continue
        for name, attribute in invocation.op.definition.attributes.items():
            text = case.model.layer(layer.id).data.get(name)
            for simpler in () if text is None else _simpler_texts(text, attribute.default):
                data = {**case.model.layer(layer.id).data, name: simpler}
                simple = changed(case, attempts, {}, {layer.id: data})
                if simple is not None:
                    case = simple
                    break
    return case


def _simpler_texts(text: str, default: str | None) -> Iterator[str]:
    """The default of an attribute; for numbers without one, zeros and ones."""
    if default is not None:
        if default != text:
            yield default
        return
    if _NUMBERS.fullmatch(text):
        for digit in "01":
            simpler = ",".join(digit for _ in text.split(","))
            if simpler == text.replace(" ", ""):
                return
            yield simpler


def without_metadata(case: Case, attempts: Attempts) -> Case:
    """The case without rt_info of the model and its layers, which names the program that made the model."""
    layers = [replace(layer, rt_info=None, comments=()) for layer in case.model.layers]
    graph = replace(case.model.graph, layers=layers, comments=())
    model = replace(case.model, graph=graph, rt_info=None, comments=(), legacy=[], unknown=[])
    candidate = case.with_model(model)
    return candidate if candidate.key != case.key and attempts.fails(candidate) else case


# Reduce a body within its op, where the fault does not show without the op.


def with_smaller_bodies(case: Case, attempts: Attempts) -> Case:
    """The case with constants in place of operations of its bodies: their values in the first iteration."""
    if not attempts.judge.needs_values:
        return case
    for layer in case.model.layers:
        for name in layer.bodies:
            case = _with_smaller_body(case, layer.id, name, attempts)
    return case


def _with_smaller_body(case: Case, number: int, name: str, attempts: Attempts) -> Case:
    layer = case.model.layer(number)
    body = next((body for path, body in body_cases(case) if path == (layer.name, name)), None)
    if body is None:
        return case
    cutting, cases = Cutting(body), dict[tuple[int, ...], Case]()
    with closing(Recording(cutting)) as values:

        def fails(operations: Sequence[int]) -> bool:
            weights = joined(case.model)
            dropped = set(cutting.operations) - set(operations)
            try:
                graph = _with_constants(layer.bodies[name].graph, dropped, values, cutting, weights)
            except DiagnosticError:  # a value cannot be computed
                return False
            bodies = {**layer.bodies, name: replace(layer.bodies[name], graph=graph)}
            layers = [replace(layer, bodies=bodies) if one is layer else one for one in case.model.layers]
            smaller = replace(case.model, graph=replace(case.model.graph, layers=layers), weights=weights)
            cases[tuple(operations)] = case.with_model(smaller)
            return attempts.fails(cases[tuple(operations)])

        return cases.get(tuple(without_each(cutting.operations, fails)), case)


def _with_constants(
    graph: LayerGraph, dropped: set[int], values: Recording, cutting: Cutting, weights: JoinedWeights
) -> LayerGraph:
    """The graph of a body with constants in place of some operations. Raises: EvaluationError"""
    wired = cutting.wiring.layers

    def source(edge: Edge) -> Value:
        return edge.from_layer, wired[edge.from_layer].output_index(edge.from_port) or 0

    kept = [edge for edge in graph.edges if edge.to_layer not in dropped]
    used = sorted({source(edge) for edge in kept if edge.from_layer in dropped})
    arrays, first = values.of(used), 1 + max(layer.id for layer in graph.layers)
    constants: dict[Value, Layer] = {}
    for number, value in enumerate(used, first):
        layer, port = wired[value[0]], wired[value[0]].outputs[value[1]]
        blank = Layer(number, f"{layer.name}/{value[1]}", "Const", "opset1", outputs=[replace(port, id=0)])
        constants[value] = constant_layer(blank, arrays[value], weights)
    edges = [
        edge
        if (constant := constants.get(source(edge))) is None
        else replace(edge, from_layer=constant.id, from_port=0)
        for edge in kept
    ]
    feeding = {edge.from_layer for edge in edges}
    layers = [*constants.values(), *(layer for layer in graph.layers if layer.id not in dropped)]
    return LayerGraph([layer for layer in layers if not layer.is_constant or layer.id in feeding], edges)
