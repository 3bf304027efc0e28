"""The steps of a reduction: layers first, then bodies, then shapes, values and attributes."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import numpy as np

from irops.analysis.structure import GraphNode
from irops.backends.catalogue import chain
from irops.debugging.reduce.attempts import Attempts
from irops.debugging.reduce.case import Case, computes
from irops.debugging.reduce.cutting import Cutting, Uncuttable
from irops.debugging.reduce.pairs import cutting_of
from irops.debugging.reduce.simplifying import (
    in_simpler_types,
    shrunk,
    static,
    with_default_attributes,
    with_one_result,
    with_plain_values,
    without_metadata,
)
from irops.diagnostics.diagnostic import DiagnosticError
from irops.editing.constant_layers import constant_layer, joined
from irops.editing.extraction import extract
from irops.editing.scope import Value, Wanted
from irops.files.limits import Limits
from irops.ir.joined_weights import JoinedWeights
from irops.ir.model import Edge, Graph, Layer, LayerKind, Model
from irops.ir.order import feeding_layers
from irops.ir.tensor_files import bytes_of
from irops.runtime.evaluator import Evaluator
from irops.runtime.plan import Plan
from irops.runtime.run import run_model
from irops.runtime.session import run
from irops.runtime.variables import Variables
from irops.values.element import Array

# Arrays that are kept in files of a temporary folder, so that a large model's tensors need no memory.

IN_MEMORY = 1 << 16
"""Arrays of at most this many bytes are kept in memory."""


class StoredArrays:
    """Arrays by key; long ones are mapped from files, which are deleted with the object."""

    def __init__(self) -> None:
        self._folder: TemporaryDirectory[str] | None = None
        self._arrays: dict[Hashable, Array] = {}

    def __contains__(self, key: Hashable) -> bool:
        return key in self._arrays

    def __getitem__(self, key: Hashable) -> Array:
        return self._arrays[key]

    def keep(self, key: Hashable, array: Array) -> None:
        """Keep a copy of an array."""
        if array.dtype == object or array.nbytes <= IN_MEMORY:
            self._arrays[key] = array.copy()
            return
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="irops-reduce-")
        path = Path(self._folder.name, str(len(os.listdir(self._folder.name))))
        path.write_bytes(bytes_of(array))
        mapped = np.memmap(path, np.uint8, "r")
        self._arrays[key] = np.asarray(mapped).view(array.dtype).reshape(array.shape)

    def close(self) -> None:
        """Forget the arrays and delete the files."""
        self._arrays.clear()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


# The values inside a model, from a run of irops, computed when they are first needed.


class RecordedValues:
    """Values by layer and output. A part of the model is run that begins at values recorded before.

    Bisection asks for values in the middle of what was recorded before, so that all runs together cost about
    two runs of the model.
    """

    def __init__(self, cutting: Cutting, store: StoredArrays, limits: Limits | None = None) -> None:
        self._cutting, self._store, self._limits = cutting, store, limits

    def of(self, wanted: Collection[Value]) -> Mapping[Value, Array]:
        """The values. Raises: EvaluationError where the reference cannot compute them"""
        missing = [value for value in wanted if self._key(value) not in self._store]
        if missing:
            self._record(missing)
        return {value: self._store[self._key(value)] for value in wanted}

    def _record(self, missing: list[Value]) -> None:
        layers = self._cutting.wiring.layers
        ends = [Wanted(layers[number], index) for number, index in missing]
        part = self._cutting.between(self._behind(missing), ends, self, folded=False)
        results = run(part.model, part.inputs, limits=self._limits, registry=self._cutting.analysis.registry)
        for value, array in zip(missing, results.values(), strict=True):
            self._store.keep(self._key(value), array)

    def _behind(self, values: list[Value]) -> set[int]:
        """The operations that compute values from those that were recorded."""
        return feeding_layers(
            self._cutting.wiring,
            (number for number, _ in values),
            lambda source: computes(source[0]) and self._key((source[0].id, source[1])) not in self._store,
        )

    def _key(self, value: Value) -> tuple[int, Value]:
        return id(self._cutting), value


# Search for few items that still fail, among items in an order in which neighbours belong together.

T = TypeVar("T")
First = Callable[[Iterable[Sequence[T]]], int | None]
"""The number of the first of some selections of items that fails; None if none does. Those after it may be
judged at the same time.
"""


def one_by_one(fails: Callable[[Sequence[T]], bool]) -> First[T]:
    """The first selection that fails, where no other one is judged before it is its turn."""
    return lambda selections: next((n for n, items in enumerate(selections) if fails(items)), None)


def narrowed(items: Sequence[T], first: First[T]) -> Sequence[T]:
    """A run of neighbours that fails. items must fail.

    Halves are tried first, then a window around the border of halves that fail only together.
    """
    while len(items) > 1:
        middle = len(items) // 2
        halves = items[:middle], items[middle:]
        failing = first(halves)
        if failing is None:
            return _around(items, middle, first)
        items = halves[failing]
    return items


def _around(items: Sequence[T], middle: int, first: First[T]) -> Sequence[T]:
    """The shortest run of neighbours around a border that is seen to fail."""
    widths: list[int] = []
    while not widths or widths[-1] * 2 < middle:
        widths.append(widths[-1] * 2 if widths else 1)
    widths = [width for width in widths if width < middle]
    found = first(items[middle - width : middle + width] for width in widths)
    if found is not None:
        width = widths[found]
        items, middle = items[middle - width : middle + width], width
    items = items[: _least(middle + 1, len(items), lambda end: first([items[:end]]) is not None)]
    back = _least(1, middle, lambda count: first([items[middle - count :]]) is not None)
    return items[middle - back :]


def _least(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The first number for which a statement holds, if it holds for all after it too; it holds for high."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def without_each(items: Sequence[T], first: First[T]) -> Sequence[T]:
    """The items without those that can be left out: long runs first, then shorter ones, at last each
    alone, until none can be left out.
    """
    size = max(len(items) // 2, 1)
    while items:
        before, start = len(items), 0
        while start < len(items):
            starts = [at for at in range(start, len(items), size) if at or size < len(items)]
            found = first(_without(items, starts, size))
            if found is None:
                break
            start = starts[found]
            items = [*items[:start], *items[start + size :]]
        if size == 1 and len(items) == before:
            break
        size = max(size // 2, 1)
    return items


def _without(items: Sequence[T], starts: Iterable[int], size: int) -> Iterator[Sequence[T]]:
    for start in starts:
        yield [*items[:start], *items[start + size :]]


# The bodies of If, Loop and TensorIterator: as models of their own, or reduced within their op.

Call = Mapping[int, Array]
"""The values of the Parameters of a body, by layer id."""


def body_cases(case: Case, attempts: Attempts) -> Iterator[tuple[tuple[str, ...], Case]]:
    """The path of each body, and the body as a model, with the values of some of its iterations.

    The first iteration comes first, then the last one, then others.
    Bodies that are not executed are left out.
    Raises:  EvaluationError where the case cannot be computed
    """
    analysis = case.analysis(attempts.registry, attempts.limits)
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
        own = {layer.name for layer in model.layers if layer.kind is LayerKind.PARAMETER}
        for call in _in_order(calls):
            yield path, Case(model, {names[n]: array for n, array in call.items() if names[n] in own})


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
        values = RecordedValues(cutting, store, attempts.limits)

        def case_of(operations: Sequence[int]) -> Case | None:
            try:
                smaller = _WithConstants(case.model, number, name, cutting, values).without(set(operations))
            except DiagnosticError:  # a value cannot be computed
                return None
            cases[tuple(operations)] = Case(smaller, case.inputs)
            return cases[tuple(operations)]

        def first(selections: Iterable[Sequence[int]]) -> int | None:
            found = attempts.first(map(case_of, selections))
            return None if found is None else found[0]

        return cases.get(tuple(without_each(cutting.operations, first)), case)
    finally:
        store.close()


class _WithConstants:
    """Puts constants in place of operations of one body."""

    def __init__(
        self, model: Model, number: int, name: str, cutting: Cutting, values: RecordedValues
    ) -> None:
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

    def _graph(self, graph: Graph, kept: Collection[int], weights: JoinedWeights) -> Graph:
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
        return Graph([layer for layer in layers if not layer.is_constant or layer.id in feeding], edges)

    def _redirected(self, edge: Edge, constants: dict[Value, Layer]) -> Edge:
        constant = constants.get((edge.from_layer, self._index(edge)))
        return edge if constant is None else replace(edge, from_layer=constant.id, from_port=0)

    def _index(self, edge: Edge) -> int:
        return self._layer(edge.from_layer).output_index(edge.from_port) or 0

    def _layer(self, number: int) -> Layer:
        return self.cutting.wiring.layers[number]


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
    if case.other is not None:
        steps = [with_one_result]
    elif attempts.judge.needs_values:
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
        cutting = cutting_of(case, attempts.registry, attempts.limits)
        values = RecordedValues(cutting, store, attempts.limits)
        for number in numbers[:SUSPECTS]:
            with suppress(DiagnosticError, Uncuttable):  # what feeds the layer cannot be computed
                yield cutting.part([number], values)
    finally:
        store.close()


def _suspect(case: Case, attempts: Attempts) -> Case | None:
    """The first suspect that fails."""
    return attempts.first_case(suspects(case, attempts))


def with_fewer_layers(case: Case, attempts: Attempts) -> Case:
    """The case of few of its operations: bisected first, then without each that can be left out."""
    store = StoredArrays()
    try:
        cutting = cutting_of(case, attempts.registry, attempts.limits)
        values = RecordedValues(cutting, store, attempts.limits) if attempts.judge.needs_values else None
        smallest: dict[tuple[int, ...], Case] = {}

        def part_of(operations: Sequence[int]) -> Case | None:
            try:
                return cutting.part(operations, values)
            except (DiagnosticError, Uncuttable):  # the values that feed the part cannot be computed
                return None

        def first(selections: Iterable[Sequence[int]]) -> int | None:
            chosen: list[Sequence[int]] = []

            def parts() -> Iterator[Case | None]:
                for operations in selections:
                    chosen.append(operations)
                    yield part_of(operations)

            found = attempts.first(parts(), of_recording=True)
            if found is None:
                return None
            smallest.clear()  # a case holds its analysis, which is large where the model is
            smallest[tuple(chosen[found[0]])] = found[1]
            return found[0]

        kept = without_each(narrowed(cutting.operations, first), first)
        return smallest.get(tuple(kept), case)
    finally:
        store.close()


def hoisted(case: Case, attempts: Attempts) -> Case:
    """The case of the body in which the fault is, where the body shows it by itself."""
    if not attempts.judge.needs_values or case.other is not None:
        return case
    body = attempts.first_case(body for _, body in body_cases(case, attempts))
    return case if body is None else hoisted(with_fewer_layers(body, attempts), attempts)
