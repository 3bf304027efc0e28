"""Values that are stored, or those of another model, whose layers are matched as irops diff matches them."""

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np

from irops.analysis.model_analysis import AnyModel, ModelAnalysis, analyse
from irops.analysis.signature import ModelPort
from irops.backends.backend import Reference
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.source import Context, Failure, Inputs, LayerValue, Source, SourceFailed, Values
from irops.diagnostics.diagnostic import Diagnostic, EvaluationError
from irops.editing.diff import GraphComparison, Matching, Side
from irops.editing.extraction import with_inputs
from irops.editing.translation.translate import translated
from irops.files.output import PendingFiles
from irops.files.storage import content_of
from irops.files.urls import without_credentials
from irops.ir.model import Layer, LayerKind, UniqueNames
from irops.ir.numpy_files import (
    UnreadableFileError,
    as_declared,
    as_stored,
    load_member,
    load_one,
    member_names,
)
from irops.spec.definition import OPENVINO
from irops.values.element import DYNAMIC, Array, ElementType, element_type, element_type_of
from irops.verdicts.policy import FEWEST, SAME, ULPS
from irops.verdicts.question import ROUNDOFF

INDEX = "values.json"
"""In a folder of recorded values: the file of each value by name, with its element type."""

Loader = Callable[[ElementType], Array]
"""Loads an array; elements of a type that NumPy lacks are stored as their bits."""


class SourceError(ValueError):
    """A text names no source, or the file that it names cannot be read."""


class Stored(Source):
    """Values by name: of a layer, "layer:1" for its output 1, or of a tensor.

    of_layers: all names are of layers. Else one that a tensor has is that tensor's, whatever layer it names.
    """

    def __init__(
        self, values: Mapping[str, Array | Loader], name: str = "stored values", *, of_layers: bool = False
    ) -> None:
        self.name = name
        self._values, self._of_layers = dict(values), of_layers

    def walk(self, context: Context) -> Iterator[LayerValue]:
        facts, names = context.analysis.infer(), self._names(context)
        for node in context.analysis.root.order:
            known, number = facts.of(node.layer.id).outputs, node.layer.id
            types = [
                known[k].element_type if k < len(known) else DYNAMIC for k in range(len(node.layer.outputs))
            ]
            outputs = tuple(self._value(names.get((number, k)), kind) for k, kind in enumerate(types))
            if any(array is not None for array in outputs):
                yield LayerValue(number, outputs)

    def _value(self, name: str | None, kind: ElementType) -> Array | None:
        return None if name is None else _loaded(self._values[name], kind)

    def _names(self, context: Context) -> Mapping[tuple[int, int], str]:
        """The names under which outputs are stored, of those that are."""
        layers = [node.layer for node in context.analysis.root.order]
        ports = {(layer.id, k): port for layer in layers for k, port in enumerate(layer.outputs)}
        tensors = {name: key for key, port in ports.items() for name in port.names}
        found: dict[tuple[int, int], str] = {}
        for key, port in ports.items():
            layer = context.analysis.root.layers[key[0]].layer
            is_named = key[1] == 0 and (self._of_layers or tensors.get(layer.name, key) == key)
            names = (f"{layer.name}:{key[1]}", *([layer.name] if is_named else []), *port.names)
            found.update([(key, name) for name in names if name in self._values][:1])
        return found

    def gives_all(self, context: Context) -> bool:
        root, named = context.analysis.root, {number for number, _ in self._names(context)}
        layers = (node.layer for node in root.order if node.layer.kind is LayerKind.OPERATION)
        return all(layer.id in named for layer in layers if layer.id not in root.constants)

    def draws(self, context: Context, numbers: Inputs) -> Inputs:
        names = self._names(context)
        own = {n: self._value(names.get((n, 0)), element_type_of(array)) for n, array in numbers.items()}
        return {number: array for number, array in own.items() if array is not None}

    def results(self, context: Context) -> Values | Failure:
        found: Values = {}
        inferred, names = context.analysis.infer(), self._names(context)
        for port in context.analysis.signature.results:
            source = context.analysis.root.wiring.source(port.layer.id)
            if source is None:
                return Failure("refused", f"no edge ends at {port.layer}")
            known = inferred.of(port.layer.id).inputs[0]
            kind = DYNAMIC if known is None else known.element_type
            names_of_it = (f"{port.layer.name}:0", *port.names)  # the first is how it is recorded
            stored = next((name for name in names_of_it if name in self._values), None)
            array = self._value(stored or names.get((source[0].id, source[1])), kind)
            if array is not None:
                found[port.name] = array
        return found


def _loaded(stored: Array | Loader, kind: ElementType) -> Array:
    return stored(kind) if callable(stored) else _declared(lambda: np.asarray(stored), kind)


def _declared(load: Callable[[], Array], kind: ElementType) -> Array:
    try:
        array = as_declared(load(), kind)
        element_type_of(array)
    except ValueError as error:  # UnreadableFileError, and elements that the type, or any type, does not have
        raise SourceError(str(error)) from None
    return array


def stored_source(path: str) -> Stored:
    """The values in a file or a folder. Raises: SourceError"""
    try:
        if os.path.isdir(path):
            folder = Path(path)
            return Stored(_folder(folder), path, of_layers=(folder / INDEX).is_file())
        if path.endswith(".npy"):
            return Stored({Path(path).stem: _npy(Path(path))}, path)
        members = member_names(path).items()
        return Stored({name: _loader(partial(load_member, path, member)) for name, member in members}, path)
    except UnreadableFileError as error:
        raise SourceError(str(error)) from None
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror or error}") from None


def _folder(folder: Path) -> dict[str, Array | Loader]:
    index = folder / INDEX
    if index.is_file():
        try:
            entries = json.loads(content_of(index))["values"]
            return {
                name: _npy(folder / Path(entry["file"]).name, element_type(entry["type"], foreign=True))
                for name, entry in entries.items()
            }
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise SourceError(f"{index} is not an index of recorded values: {error!r}") from None
    values: dict[str, Array | Loader] = {path.stem: _npy(path) for path in sorted(folder.glob("*.npy"))}
    if not values:
        raise SourceError(f"{folder} has no .npy files")
    return values


def _npy(path: Path, stored_type: ElementType | None = None) -> Loader:
    return _loader(lambda: load_one(os.fspath(path)), stored_type)


def _loader(load: Callable[[], Array], stored_type: ElementType | None = None) -> Loader:
    return lambda kind: _declared(load, stored_type or kind)


def save_values(source: Source, context: Context, folder: str | os.PathLike[str]) -> int:
    """Record the values of all layers in a folder, one .npy file each, and an index; how many there are.

    Raises:  OSError; what the source raises
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    names = UniqueNames()
    entries: dict[str, dict[str, str]] = {}
    for value in source.walk(context):
        layer = context.analysis.root.layers[value.layer].layer
        for index, array in enumerate(value.outputs):
            if array is not None:
                name = layer.name if len(layer.outputs) == 1 else f"{layer.name}:{index}"
                if name in entries:
                    continue
                entries[name] = _saved(array, target, names.unique(f"{value.layer}_{index}"))
    document = {"schema": 1, "source": source.name, "model": context.model.name, "values": entries}
    with PendingFiles(target / INDEX) as (stream,):
        stream.write(json.dumps(document, indent=1).encode())
    return len(entries)


def _saved(array: Array, folder: Path, stem: str) -> dict[str, str]:
    file = f"{stem}.npy"
    with PendingFiles(folder / file) as (stream,):
        np.lib.format.write_array(stream, np.asanyarray(as_stored(array)), allow_pickle=False)
    return {"file": file, "type": element_type_of(array).name}


class OtherModel(Source):
    """The values of another model for the same inputs, under the layers of the model that is compared.

    computed_by: the source that computes it
    """

    is_matched = True

    def __init__(self, model: AnyModel, computed_by: Source) -> None:
        self._given, self._computed_by = model, computed_by
        self._analysis: ModelAnalysis | None = None
        self._comparison: GraphComparison | None = None
        self._drawn: dict[int, int] = {}
        self.name = f"model:{_label(model)}"
        self.arithmetic = computed_by.arithmetic
        self.ends_caller = computed_by.ends_caller
        self.partners: Mapping[str, str] = {}
        """Names of its layers or tensors by those of the compared model, where these are certain."""

    def analysis(self, like: ModelAnalysis) -> ModelAnalysis:
        """The analysis of the other model, in the dialect of the one that it is compared with."""
        if self._analysis is None:
            other = analyse(self._given, like.registry, like.limits)
            if other.dialect is not like.dialect and like.dialect.name == OPENVINO:
                other = translated(other, OPENVINO, None)
            self._analysis = other
        return self._analysis

    def draws(self, context: Context, numbers: Inputs) -> Inputs:
        """Those of layers that are the same in both models."""
        if self._drawn:
            self._analysis = self._comparison = None
        self._drawn = {}
        comparison = self._compared(context)
        to = comparison.matching.to
        same = {n: array for n, array in numbers.items() if n in to and not comparison.of_layer(n)}
        if same:
            self._drawn = {number: to[number] for number in same}
            self._analysis = with_inputs(self.analysis(context.analysis), self._drawn.values())
            self._comparison = None
        return same

    def _compared(self, context: Context) -> GraphComparison:
        """The compared model and the other one: which layer is which, and what differs."""
        if self._comparison is None:
            ours, theirs = context.analysis, self.analysis(context.analysis)
            given = [(layer_named(a, ours), layer_named(b, theirs)) for a, b in self.partners.items()]
            given += self._drawn.items()
            sides = (Side(analysis, analysis.root, analysis.infer()) for analysis in (ours, theirs))
            self._comparison = GraphComparison(next(sides), next(sides), given=given)
            pairs = self._of_equal_values(context, self._comparison.matching)
            self.by_value = len(pairs)
            self._comparison.matching.add(pairs)
        return self._comparison

    def matching(self, context: Context) -> Matching:
        """Which layer of the compared model is which of this one."""
        return self._compared(context).matching

    def _of_equal_values(self, context: Context, matching: Matching) -> list[tuple[int, int]]:
        """Layers without a partner whose outputs are equal for two sets of inputs."""
        ours = matching.a.layers.keys() - matching.to.keys()
        theirs = matching.b.layers.keys() - matching.back.keys()
        shuffled = Context(context.analysis, {n: _shuffled(array) for n, array in context.inputs.items()})
        is_same = all(np.array_equal(array, shuffled.inputs[n]) for n, array in context.inputs.items())
        if not ours or not theirs or is_same:  # one set of inputs proves nothing
            return []
        try:
            runs = [(one, self.context(one)) for one in (context, shuffled)]
            a = _sketches(Layerwise(Reference()), [run[0] for run in runs], ours)
            b = _sketches(self._computed_by, [run[1] for run in runs], theirs)
        except (EvaluationError, SourceFailed):  # which a comparison reports; nothing is matched by value
            return []
        pairs: dict[int, int] = {}
        for other, sketches in b.items():  # of layers that repeat a value, the first counts
            one = next((n for n in a if n not in pairs and _equal(a[n], sketches)), None)
            if one is not None:
                pairs[one] = other
        return list(pairs.items())

    def cause(self, context: Context, layer: int) -> str:
        comparison = self._compared(context)
        return "; ".join(comparison.of_layer(layer)) if layer in comparison.matching.to else ""

    def other_definition(self, context: Context, layer: int) -> str:
        comparison = self._compared(context)
        if layer not in comparison.matching.to:
            return ""
        values, weights = comparison.of_definition(layer)
        facts = context.analysis.infer().of(layer).inputs
        found = [f"{name} {old} -> {new}" for name, old, new in values if not _is_rounded(name, old, new)]
        for weight in weights:
            fact = facts[weight.input]
            unit = ROUNDOFF.get("" if fact is None else fact.element_type.name)
            if unit and (weight.relative or 0.0) > ULPS * unit:
                found.append(f"weights of input {weight.input}: {weight.details}")
        return "; ".join(found)

    def without_partner(self, context: Context) -> tuple[list[Layer], list[Layer]]:
        comparison = self._compared(context)
        to, back = comparison.matching.to, comparison.matching.back
        ours = [layer for number, layer in comparison.a.layers.items() if number not in to]
        return ours, [layer for number, layer in comparison.b.layers.items() if number not in back]

    def walk(self, context: Context) -> Iterator[LayerValue]:
        back = self._compared(context).matching.back
        try:
            for value in self._computed_by.walk(self.context(context)):
                if value.layer in back:
                    yield LayerValue(back[value.layer], value.outputs, value.failure)
        except EvaluationError as error:
            raise EvaluationError(_under_partner(found, back) for found in error.diagnostics) from None

    def results(self, context: Context) -> Values | Failure:
        try:
            inner = self.context(context)
        except SourceFailed as failed:
            return failed.failure
        found = self._computed_by.results(inner)
        if isinstance(found, Failure):
            return found
        partners = paired(context.analysis.signature.results, inner.analysis.signature.results)
        names = {other.name: port.name for port, other in partners}
        return {names.get(name, name): array for name, array in found.items()}

    def close(self) -> None:
        self._computed_by.close()

    def context(self, context: Context) -> Context:
        """The other model with the same inputs. Raises: SourceFailed where it has a further one"""
        other = self.analysis(context.analysis)
        partners = paired(context.analysis.signature.inputs, other.signature.inputs)
        inputs = {theirs.layer.id: context.inputs[port.layer.id] for port, theirs in partners}
        inputs |= {theirs: context.inputs[number] for number, theirs in self._drawn.items()}
        for port in other.signature.inputs:
            if port.layer.id not in inputs:
                reason = f"nothing gives the input {port.name!r} of {self.name} a value"
                raise SourceFailed(Failure("declined", reason))
        return Context(other, inputs)


def _is_rounded(name: str, old: Any, new: Any) -> bool:
    """Whether two values of an attribute compute the same but for rounding: numbers of which one is rounded,
    element types, by which results are judged, and whether weights are stored transposed.
    """
    if isinstance(old, float) and isinstance(new, float):
        return isclose(old, new, rel_tol=ULPS * ROUNDOFF["f32"])
    return isinstance(old, ElementType) or name.startswith("transpose_")


def layer_named(name: str, analysis: ModelAnalysis) -> int:
    """The id of the layer that a name stands for. Raises: SourceError"""
    try:
        return analysis.root.names.one(name)[0].id
    except KeyError as error:
        raise SourceError(f"{_label(analysis)}: {error.args[0]}") from None


# Layers of two models are the same where they give equal values for two sets of inputs.

SKETCH = 16
"""Numbers that stand for a tensor: its products with so many vectors of random signs."""
PERIOD = 4099
"""After how many elements the signs are repeated: a prime, so that no axis of a tensor has this size."""


def _shuffled(array: Array) -> Array:
    """Another value of an input, within the range that it has: its elements in another order."""
    random = np.random.default_rng(array.size)
    return random.permutation(array.reshape(-1)).reshape(array.shape)


def _sketches(source: Source, contexts: Sequence[Context], wanted: Collection[int]) -> dict[int, list[Array]]:
    """The sketches of the outputs of layers in each of the contexts; of layers with one output, of floats."""
    found: dict[int, list[Array]] = {}
    for context in contexts:
        for value in source.walk(context):
            if value.layer in wanted and len(value.outputs) == 1 and value.outputs[0] is not None:
                array = value.outputs[0]
                if (
                    array.size >= FEWEST
                    and element_type_of(array).floating
                    and np.ptp(array.astype(float)) > 0
                ):
                    found.setdefault(value.layer, []).append(_sketch(array.astype(np.float64)))
    return {number: sketches for number, sketches in found.items() if len(sketches) == len(contexts)}


def _sketch(array: Array) -> Array:
    """The shape, the length of the vector of all elements, and its sketch."""
    flat = array.reshape(-1)
    products = [flat @ np.resize(signs, flat.size) for signs in _signs()]
    return np.array([*array.shape, np.linalg.norm(flat), *products])


@cache
def _signs() -> Array:
    return np.random.default_rng(0).choice((-1.0, 1.0), (SKETCH, PERIOD))


def _equal(a: Sequence[Array], b: Sequence[Array]) -> bool:
    return all(one.shape == other.shape and _close(one, other) for one, other in zip(a, b))


def _close(one: Array, other: Array) -> bool:
    shape, numbers = np.split(one, [-SKETCH - 1])
    length = numbers[0]
    return bool((shape == other[: shape.size]).all() and (abs(one - other) <= SAME * length).all())


def _under_partner(found: Diagnostic, back: Mapping[int, int]) -> Diagnostic:
    """A finding of the other model under the layer of the compared one, where there is one."""
    number = found.location.layer_id
    partner = None if number is None else back.get(number)
    return replace(found, location=replace(found.location, layer_id=partner))


def paired(ours: Sequence[ModelPort], theirs: Sequence[ModelPort]) -> list[tuple[ModelPort, ModelPort]]:
    """Inputs or results of two models that are the same: by a name, then by position among the others."""
    named = {name: port for port in reversed(theirs) for name in reversed(port.names)}  # first of a name
    pairs: dict[int, ModelPort] = {}
    for port in ours:
        partner = next((named[name] for name in port.names if name in named), None)
        if partner is not None and partner not in pairs.values():
            pairs[port.position] = partner
    left = [port for port in ours if port.position not in pairs]
    rest = [partner for partner in theirs if partner not in pairs.values()]
    pairs |= {port.position: partner for port, partner in zip(left, rest)}
    return [(port, pairs[port.position]) for port in ours if port.position in pairs]


def _label(model: AnyModel) -> str:
    if isinstance(model, ModelAnalysis):
        model = model.model
    return without_credentials(model) if isinstance(model, str | os.PathLike) else model.name
