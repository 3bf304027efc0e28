"""The signature of a model: its inputs and results, how they are found, and how arrays are fitted to them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from irops.analysis.structure import ModelStructure
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, EvaluationError
from irops.diagnostics.printable import shortened
from irops.diagnostics.rules import rule
from irops.diagnostics.suggestions import did_you_mean
from irops.dialects import dialect_of_version
from irops.ir.model import Layer, Model
from irops.values.arrays import as_tensor, fact_of, is_foreign
from irops.values.element import DYNAMIC, Array
from irops.values.fact import Fact
from irops.values.shape import Shape

Key = str | int
"""The key of an input or a result: the name of its tensor or of its layer, or its position."""


@dataclass(frozen=True, slots=True)
class ModelPort:
    """An input or a result of a model. names: of its layer first, then of its tensor.

    fact: what an input declares; of a result nothing is known before inference; name: of an input, the name
    of its layer; of a result, the first name of its tensor, or of its layer where the tensor has no name.
    """

    layer: Layer
    position: int
    names: tuple[str, ...]
    fact: Fact
    name: str


def is_alone(values: Any) -> bool:
    """Whether values are one array, not several."""
    return hasattr(values, "__array__") or is_foreign(values) or not isinstance(values, Iterable)


def by_key(values: Mapping[Key, Any] | Iterable[Any]) -> Mapping[Key, Any]:
    """Values by name or position; one array alone is the first."""
    if isinstance(values, Mapping):
        return values
    return dict(enumerate([values] if is_alone(values) else values))


class Signature:
    """The inputs and results of a model. Immutable, so that threads may share it."""

    def __init__(self, structure: ModelStructure) -> None:
        root = structure.root
        self.model: Model = structure.model
        self.inputs: tuple[ModelPort, ...] = tuple(
            ModelPort(layer, position, tuple(_names(layer)), declared_fact(layer), layer.name)
            for position, layer in enumerate(root.parameters)
        )
        self.results: tuple[ModelPort, ...] = tuple(_results(structure))
        self._inputs = dict(_index(self.inputs))
        self._facts = {port.layer.id: port.fact for port in self.inputs}
        self._exact = dict(_exact_kinds(self.inputs))
        self._results = dict(_index(self.results)) | {port.name: port for port in reversed(self.results)}
        self._aliases = {key: port.name for key, port in self._results.items()}

    def __repr__(self) -> str:
        names = [", ".join(port.name for port in ports) for ports in (self.inputs, self.results)]
        return f"<Signature ({shortened(names[0])}) -> ({shortened(names[1])})>"

    def input(self, key: Key) -> ModelPort:
        """The input of a tensor name, a layer name or a position.

        Raises:  DiagnosticError (IR602) where there is none
        """
        found = self._inputs.get(key)
        if found is None:
            known = ", ".join(repr(port.name) for port in self.inputs) or "none"
            meant = did_you_mean(key, (name for port in self.inputs for name in port.names))
            message = f"the model has no input {key!r}; its inputs are {known}{meant}"
            raise DiagnosticError([Diagnostic(rule("unknown-input"), message, self.model.location())])
        return found

    def input_of_text(self, text: str) -> ModelPort:
        """The input of a name or, where no input has the name, of a position; see input."""
        return self.input(
            # no model has so many inputs, and int() refuses texts of thousands of digits
            int(text) if text.isdecimal() and len(text) < 10 and text not in self._inputs else text
        )

    def result(self, key: Key) -> ModelPort:
        """The result of a name or a position; KeyError, with a suggestion, where there is none."""
        found = self._results.get(key)
        if found is None:
            known = ", ".join(repr(port.name) for port in self.results) or "none"
            meant = did_you_mean(key, (name for port in self.results for name in port.names))
            raise KeyError(f"the model has no result {key!r}; its results are {known}{meant}")
        return found

    def facts(self, inputs: Mapping[Key, Any]) -> dict[int, Fact]:
        """Facts that replace what inputs declare, by layer id.

        inputs: shapes as text or sequence, Shapes or Facts, by name or position
        Raises:  DiagnosticError for an unknown input (IR602), or a text that is not a shape (IR407)
        """
        return {port.layer.id: self._fact(port, wanted) for port, wanted in self._ports(inputs)}

    def _fact(self, port: ModelPort, wanted: Any) -> Fact:
        if isinstance(wanted, Fact):
            return wanted
        try:
            return Fact(port.fact.element_type, Shape.like(wanted))
        except ValueError as error:
            message = f"the shape given for input {port.name!r}: {error}"
            place = self.model.location(port.layer)
            raise DiagnosticError([Diagnostic(rule("invalid-input-shape"), message, place)]) from None

    def arrays(self, inputs: Mapping[Key, Any] | Iterable[Any]) -> dict[int, Array]:
        """An array for every input, by layer id, in the order of the inputs.

        inputs: arrays by name or position, or in order; an array alone is the first input, not an input a row
        Raises:  DiagnosticError for an unknown input (IR602); EvaluationError for an input without a
            value, or with one of another type or shape than it declares
        """
        given = {port.layer.id: self.fit(port.layer, value) for port, value in self._ports(by_key(inputs))}
        for port in self.inputs:
            if port.layer.id not in given:
                message = f"input {port.name!r}, {port.fact}, was given no value"
                raise self._error("missing-input", message, port.layer)
        return {port.layer.id: given[port.layer.id] for port in self.inputs}

    def fit(self, layer: Layer, value: Any) -> Array:
        """A value as an array of the type and shape that an input, or a constant, declares.

        Raises:  EvaluationError (IR603)
        """
        if type(value) is np.ndarray and (value.dtype, value.shape) == self._exact.get(layer.id):
            return value
        declared = self._facts.get(layer.id) or declared_fact(layer)
        try:
            array = as_tensor(value, declared.element_type)
        except ValueError as error:
            message = f"input {layer.name!r} cannot be an array: {error}"
            raise self._error("incompatible-input", message, layer) from None
        if not declared.admits(array):
            message = f"input {layer.name!r} is {fact_of(array)}, must be {declared}"
            raise self._error("incompatible-input", message, layer)
        return array

    def aliases(self) -> Mapping[Key, str]:
        """Positions and tensor names of the results, and the layer name that each stands for."""
        return self._aliases

    def input_aliases(self) -> Iterator[tuple[Key, str]]:
        """Positions and names of the inputs, and the layer name that each stands for."""
        for port in self.inputs:
            yield port.position, port.name
            yield from ((name, port.name) for name in port.names)

    def _ports(self, inputs: Mapping[Key, Any]) -> Iterator[tuple[ModelPort, Any]]:
        for key, value in inputs.items():
            yield self.input(key), value

    def _error(self, name: str, message: str, layer: Layer) -> EvaluationError:
        return EvaluationError([Diagnostic(rule(name), message, self.model.location(layer))])


def declared_fact(layer: Layer) -> Fact:
    """The Fact declared by a layer's own attributes, or an unknown Fact if they are malformed."""
    try:
        dialect = dialect_of_version(layer.version)
        kind = dialect.element_type(layer.data.get("element_type", "dynamic"))
        return Fact(kind, dialect.parse_shape(layer.data.get("shape", "")))
    except ValueError:
        return Fact()


def _exact_kinds(
    inputs: tuple[ModelPort, ...],
) -> Iterator[tuple[int, tuple[np.dtype[Any], tuple[int, ...]]]]:
    """The dtype and the shape of inputs that declare one of each, and whose dtype says the element type."""
    for port in inputs:
        kind = port.fact.element_type
        if kind is not DYNAMIC and port.fact.shape.static and kind.dtype.kind != "O" and kind.bits > 8:
            yield port.layer.id, (kind.dtype, port.fact.shape.to_tuple())


def _index(ports: tuple[ModelPort, ...]) -> Iterator[tuple[Key, ModelPort]]:
    """Ports by position and by name. Of equal names the first port counts: dict() takes the last of
    equal keys.
    """
    for port in reversed(ports):
        yield port.position, port
        yield from ((name, port) for name in reversed(port.names))


def _names(layer: Layer) -> Iterator[str]:
    yield layer.name
    for port in layer.outputs:
        yield from port.names


def _results(structure: ModelStructure) -> Iterator[ModelPort]:
    """The results; of a tensor of several, the first has its name."""
    names_before: set[str] = set()
    for position, layer in enumerate(structure.root.results):
        names = tuple(_result_names(layer, structure.root.wiring.inputs[layer.id]))
        name = next((name for name in (*names[1:], names[0]) if name not in names_before), layer.name)
        names_before.add(name)
        yield ModelPort(layer, position, names, Fact(), name)


def _result_names(layer: Layer, sources: list[tuple[Layer, int] | None]) -> Iterator[str]:
    """The names of a Result: its own, and those of the tensor that it returns."""
    yield layer.name
    yield from layer.output_names or ()
    source = sources[0] if sources else None
    if source is not None:
        yield from source[0].outputs[source[1]].names
