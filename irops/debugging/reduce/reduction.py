"""irops.reduce and what it gives back."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any

from irops.analysis.model_analysis import AnyModel, Buildable, ModelAnalysis, analyse
from irops.debugging.reduce.attempts import (
    Attempts,
    Judge,
    Memory,
    Oracle,
    OutOfTries,
    Progress,
    TryBudget,
    narrowed,
    without_each,
)
from irops.debugging.reduce.case import (
    Case,
    StoredArrays,
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
from irops.debugging.reduce.cutting import Cutting, Recording, body_cases
from irops.debugging.reduce.judges import Preserved
from irops.debugging.reduce.reproduction import ReproductionTarget
from irops.debugging.reduce.tensors import constant_layer, constants, joined, tensors, with_tensors
from irops.diagnostics.diagnostic import DiagnosticError
from irops.dialects.registry import Registry
from irops.editing.extraction import Value, extract
from irops.files.limits import Limits
from irops.files.storage import JoinedWeights
from irops.ir.model import Edge, Layer, LayerGraph, LayerKind, Model
from irops.values.element import Array, element_type_of

STOPPED_BY_USER = "it was interrupted"


class NoFault(ValueError):
    """The fault does not show in the whole model, so that nothing can be reduced."""


@dataclass(frozen=True)
class Reduction:
    """The smallest model that still fails.

    model, inputs: the case; tries: how many candidates were judged; layers, of: how many layers of the model
    and of the original one compute something, those of bodies included (inputs, results and constants are
    not counted); reason: why the model fails; stopped: why the search ended early, or None; unjudged: how
    many candidates exceeded a limit on a process, and note: which one
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

    def write(self, folder: str | os.PathLike[str]) -> tuple[str, ...]:
        """Write reduced.xml and reduced.bin (or a file of the model's format), inputs.npz and repro.py, a
        program that runs the model with nothing but the runtime and NumPy; where results are compared, also
        expected.npz.

        The folder is made if need be. Returns the names of the files.
        Raises:  OSError
        """
        case = Case(self.model, self.inputs)
        title = f"{self.reason}: {self}"
        return write_reproduction(
            case,
            Path(folder),
            title,
            self.target,
            compared=self.expects_results,
            registry=self.registry,
        )

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
    crashes: str | None = None,
    rule: str | None = None,
    command: Sequence[str] | None = None,
    tries: int = 150,
    seconds: float = inf,
    seconds_per_try: float = 120,
    folder: str | os.PathLike[str] | None = None,
    registry: Registry | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Reduction:
    """The smallest model, with inputs, that still shows a fault. Ctrl-C ends the search and keeps the best.

    inputs: arrays by tensor name, layer name or position. What the reduction preserves is one of:
    oracle: a function of a model and a dict of arrays by input name, which runs in this process; it returns
        whether the fault shows, or a text that names the reason, which then stays the same;
    differs: two sources whose results differ, ("reference", "openvino:CPU"); see irops.compare;
    crashes: a source, such as "openvino", that fails on the model, in a process of its own;
    rule: the code of a rule that irops.check reports; inputs are not needed;
    command: words of a command that exits with 0 if the fault shows; it gets the paths of the model and of
        an .npz file with the inputs as its last arguments, and as IROPS_MODEL and IROPS_INPUTS.
    tries, seconds: how many candidates are judged at most, and for how long; seconds_per_try: for a candidate
    in another process, whose memory limits.process_bytes bounds; a candidate that exceeds it is not judged;
    folder: keeps the outcome of each try, so that a second call goes on where the first
    one ended; progress: called with (tries, their limit, the smallest size so far).
    Raises:  NoFault (a ValueError) if the fault does not show; DiagnosticError for a model that cannot be
        read or inputs that do not fit
    """
    if isinstance(model, ModelAnalysis | Buildable):
        registry, limits = registry or model.registry, limits or model.limits
    judge = Preserved(oracle, differs, crashes, rule, command).judge(seconds_per_try, registry, limits)
    analysis = analyse(model, registry, limits)
    case = _case(analysis, inputs, judge)
    memory = Memory()
    try:
        if folder is not None:
            memory = Memory.of_folder(Path(folder), f"{case.key} {judge.description}")
        attempts = Attempts(
            judge, TryBudget(tries, seconds), memory, registry=registry, limits=limits, progress=progress
        )
        return _reduction(case, attempts)
    finally:
        memory.close()
        judge.close()


def _case(analysis: ModelAnalysis, inputs: Mapping[str | int, Any] | Iterable[Any], judge: Judge) -> Case:
    """The whole model with arrays for its inputs. Raises: EvaluationError"""
    if not judge.needs_values:
        return Case(analysis.model, {})
    arrays = analysis.signature.arrays(inputs)
    return Case(analysis.model, {port.name: arrays[port.layer.id] for port in analysis.signature.inputs})


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
        attempts.registry,
    )


# The steps of a reduction: layers first, then bodies, then shapes, values and attributes.

SUSPECTS = 3
"""How many single layers are tried before the model is bisected."""
Step = Callable[[Case, Attempts], Case]


def reduced(case: Case, attempts: Attempts) -> Case:
    """The smallest case that is reached in steps that all fail; case must fail.

    Raises:  OutOfTries; attempts.best is then the smallest so far
    """
    case = hoisted(with_fewer_layers(_suspect(case, attempts) or case, attempts), attempts)
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
    store = StoredArrays()
    try:
        cutting = Cutting(case, attempts.registry, attempts.limits)
        values = Recording(cutting, store, attempts.limits)
        for number in numbers[:SUSPECTS]:
            with suppress(DiagnosticError):  # what feeds the layer cannot be computed
                yield cutting.part([number], values)
    finally:
        store.close()


def _suspect(case: Case, attempts: Attempts) -> Case | None:
    """The first suspect that fails."""
    return next((part for part in suspects(case, attempts) if attempts.fails(part)), None)


def with_fewer_layers(case: Case, attempts: Attempts) -> Case:
    """The case of few of its operations: bisected first, then without each that can be left out."""
    store = StoredArrays()
    try:
        cutting = Cutting(case, attempts.registry, attempts.limits)
        values = Recording(cutting, store, attempts.limits) if attempts.judge.needs_values else None
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
    finally:
        store.close()


def hoisted(case: Case, attempts: Attempts) -> Case:
    """The case of the body in which the fault is, where the body shows it by itself."""
    if not attempts.judge.needs_values:
        return case
    for _, body in body_cases(case, attempts):
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
            case = _shortened_alone(case, number, axis, attempts)
    return case


def _shortened(case: Case, size: int, attempts: Attempts) -> Case:
    """The case with all axes of a size shortened."""
    while size > 1:
        for cut in shorter(size, 1):
            smaller = next(filter(attempts.fails, _cut_everywhere(case, size, cut, attempts.registry)), None)
            if smaller is not None:
                case, size = smaller, cut.stop - cut.start
                break
        else:
            break
    return case


def _shortened_alone(case: Case, number: int, axis: int, attempts: Attempts) -> Case:
    """The case with one axis of one tensor shortened."""
    array = tensors(case)[number]
    for cut in shorter(array.shape[axis], 1):
        smaller = with_tensors(case, {number: sliced(array, {axis}, cut)}, attempts.registry)
        if attempts.fails(smaller):
            return smaller
    return case


def _cut_everywhere(case: Case, size: int, cut: slice, registry: Registry | None) -> Iterator[Case]:
    """All axes of a size cut; then also such numbers in vectors, which may be shapes, and in attributes."""
    arrays = tensors(case)
    cuts = {n: sliced(a, axes_of(a, size), cut) for n, a in arrays.items() if size in a.shape}
    yield with_tensors(case, cuts, registry)
    length = cut.stop - cut.start
    vectors = {n: _renumbered(a, size, length) for n, a in arrays.items() if _has_number(a, size)}
    if vectors:
        yield with_tensors(case, {**cuts, **vectors}, registry)
    data = dict(_renumbered_attributes(case, size, length))
    if data:
        yield with_tensors(case, {**cuts, **vectors}, registry, data)


def _has_number(array: Array, number: int) -> bool:
    return element_type_of(array).integral and may_be_parameters(array) and number in array.tolist()


def _renumbered(array: Array, old: int, new: int) -> Array:
    changed = array.copy()
    changed[array == old] = new
    return changed


def _renumbered_attributes(case: Case, old: int, new: int) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The attributes of layers in which a number occurs, with another one."""
    number = re.compile(rf"(?<![\w.-]){old}(?![\w.])")
    for layer in case.model.layers:
        if computes(layer):
            data = {name: number.sub(str(new), text) for name, text in layer.data.items()}
            if data != layer.data:
                yield layer.id, data


# Simpler values, element types and attributes, and fewer results.

_NUMBERS = re.compile(r"{0}(\s*,\s*{0})*".format(r"-?[0-9.]+(?:[eE][-+]?[0-9]+)?"))


def with_one_result(case: Case, attempts: Attempts) -> Case:
    """The case with a single result that shows the fault, if there is one."""
    analysis = case.analysis(attempts.registry, attempts.limits)
    sources = [analysis.root.wiring.inputs[layer.id][0] for layer in analysis.root.results]
    if len(sources) < 2:
        return case
    for source in sources:
        if source is not None:
            model = extract(analysis, outputs=[(source[0].id, source[1])])
            names = {layer.name for layer in model.layers if layer.kind is LayerKind.PARAMETER}
            fewer = Case(model, {name: array for name, array in case.inputs.items() if name in names})
            if attempts.fails(fewer):
                return fewer
    return case


def static(case: Case, attempts: Attempts) -> Case:
    """The case with inputs that declare the shapes of their values."""
    fixed = constants(case)
    arrays = {n: array for n, array in tensors(case).items() if n not in fixed}
    candidate = with_tensors(case, arrays, attempts.registry)
    return candidate if candidate.key != case.key and attempts.fails(candidate) else case


def in_simpler_types(case: Case, attempts: Attempts) -> Case:
    """The case with plain element types, changed in all tensors of a type at once."""
    arrays = tensors(case)
    for kind in dict.fromkeys(map(element_type_of, arrays.values())):
        of_kind = {n: array for n, array in arrays.items() if element_type_of(array) is kind}
        changed = {n: plain for n, array in of_kind.items() for plain in in_plain_types(array)}
        if changed:
            candidate = with_tensors(case, changed, attempts.registry)
            case = candidate if attempts.fails(candidate) else case
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
    for array in candidates:
        candidate = with_tensors(case, {number: array}, attempts.registry)
        if attempts.fails(candidate):
            return candidate
    return case


def with_default_attributes(case: Case, attempts: Attempts) -> Case:
    """The case with attributes at their defaults, or 0 or 1 where there is none."""
    analysis = case.analysis(attempts.registry, attempts.limits)
    for layer in case.model.layers:
        invocation = analysis.root.layers[layer.id].invocation
        if invocation is None or not computes(layer):
            continue
        for name, attribute in invocation.op.definition.attributes.items():
            text = case.model.layer(layer.id).data.get(name)
            for simpler in () if text is None else _simpler_texts(text, attribute.default):
                data = {**case.model.layer(layer.id).data, name: simpler}
                candidate = with_tensors(case, {}, attempts.registry, {layer.id: data})
                if attempts.fails(candidate):
                    case = candidate
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
    candidate = Case(model, case.inputs)
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
    path = (case.model.layer(number).name, name)
    body = next((body for at, body in body_cases(case, attempts) if at == path), None)
    if body is None:
        return case
    store, cases = StoredArrays(), dict[tuple[int, ...], Case]()
    try:
        cutting = Cutting(body, attempts.registry, attempts.limits)
        values = Recording(cutting, store, attempts.limits)

        def fails(operations: Sequence[int]) -> bool:
            try:
                smaller = _BodyConstants(case.model, number, name, cutting, values).without(set(operations))
            except DiagnosticError:  # a value cannot be computed
                return False
            cases[tuple(operations)] = Case(smaller, case.inputs)
            return attempts.fails(cases[tuple(operations)])

        return cases.get(tuple(without_each(cutting.operations, fails)), case)
    finally:
        store.close()


class _BodyConstants:
    """Puts constants in place of operations of one body."""

    def __init__(self, model: Model, number: int, name: str, cutting: Cutting, values: Recording) -> None:
        self.model, self.number, self.name = model, number, name
        self.cutting, self.values = cutting, values

    def without(self, kept: Collection[int]) -> Model:
        """The model with the operations of the body that are kept. Raises: EvaluationError"""
        layer = self.model.layer(self.number)
        weights = joined(self.model.weights)
        graph = self._graph(layer.bodies[self.name].graph, kept, weights)
        bodies = {**layer.bodies, self.name: replace(layer.bodies[self.name], graph=graph)}
        layers = [replace(layer, bodies=bodies) if one is layer else one for one in self.model.layers]
        return replace(self.model, graph=replace(self.model.graph, layers=layers), weights=weights)

    def _graph(self, graph: LayerGraph, kept: Collection[int], weights: JoinedWeights) -> LayerGraph:
        dropped = set(self.cutting.operations) - set(kept)
        used = {
            (edge.from_layer, self._index(edge))
            for edge in graph.edges
            if edge.from_layer in dropped and edge.to_layer not in dropped
        }
        arrays = self.values.of(used)
        number = max(layer.id for layer in graph.layers)
        constants: dict[Value, Layer] = {}
        for value in sorted(used):
            number += 1
            port = self._layer(value[0]).outputs[value[1]]
            name = f"{self._layer(value[0]).name}/{value[1]}"
            blank = Layer(number, name, "Const", "opset1", outputs=[replace(port, id=0)])
            constants[value] = constant_layer(blank, arrays[value], weights)
        edges = [self._redirected(edge, constants) for edge in graph.edges if edge.to_layer not in dropped]
        feeding = {edge.from_layer for edge in edges}
        layers = [*constants.values(), *(layer for layer in graph.layers if layer.id not in dropped)]
        return LayerGraph([layer for layer in layers if not layer.is_constant or layer.id in feeding], edges)

    def _redirected(self, edge: Edge, constants: dict[Value, Layer]) -> Edge:
        constant = constants.get((edge.from_layer, self._index(edge)))
        return edge if constant is None else replace(edge, from_layer=constant.id, from_port=0)

    def _index(self, edge: Edge) -> int:
        return self._layer(edge.from_layer).output_index(edge.from_port) or 0

    def _layer(self, number: int) -> Layer:
        return self.cutting.wiring.layers[number]
