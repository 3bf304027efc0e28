"""The signature of a model: its inputs and results, how they are found, and how arrays are fitted to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irops.analysis.structure import ModelStructure
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, EvaluationError
from irops.diagnostics.printable import shortened
from irops.diagnostics.rules import rule
from irops.diagnostics.suggestions import did_you_mean
from irops.dialects import dialect_of_version, dialects
from irops.ir.model import Layer, Model
from irops.values.element import DYNAMIC, Array
from irops.values.fact import Fact, NoTensor, parse_fact
from irops.values.shape import Shape
from irops.values.tensors import as_value, fact_of, is_foreign

Key = str | int
"""What finds an input or a result: the name of its tensor or of its layer, or its position."""


@dataclass(frozen=True, slots=True)
class Port:
    """An input or a result of a model. names: of its layer first, then of its tensor.

    fact: what an input declares; of a result nothing is known before inference.
    """

    layer: Layer
    position: int
    names: tuple[str, ...]
    fact: Fact

    @property
    def name(self) -> str:
        """The name of the layer."""
        return self.layer.name


class Signature:
    """What a model takes and returns. Immutable, so that threads may share it."""

    def __init__(self, structure: ModelStructure) -> None:
        root = structure.root
        self.model: Model = structure.model
        self.inputs: tuple[Port, ...] = tuple(
            Port(layer, position, tuple(_names(layer)), declared_fact(layer))
            for position, layer in enumerate(root.parameters)
        )
        sources = root.wiring.inputs
        self.results: tuple[Port, ...] = tuple(
            Port(layer, position, tuple(_result_names(layer, sources[layer.id])), Fact())
            for position, layer in enumerate(root.results)
        )
        self._inputs = dict(_index(self.inputs))
        self._facts = {port.layer.id: port.fact for port in self.inputs}
        self._exact = dict(_exact_kinds(self.inputs))
        self.result_names: tuple[str, ...] = _result_keys(self.results)
        """How each result is called: as its layer, or as its tensor where the layer is a Result_35."""
        self._results = dict(_index(self.results))
        self._aliases = {key: self.result_names[port.position] for key, port in self._results.items()}

    def __repr__(self) -> str:
        names = [", ".join(port.name for port in ports) for ports in (self.inputs, self.results)]
        return f"<Signature ({shortened(names[0])}) -> ({shortened(names[1])})>"

    def input(self, key: Key) -> Port:
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

    def input_of_text(self, text: str) -> Port:
        """The input of a name or, where no input has the name, of a position; see input."""
        return self.input(
            int(text) if text.isdecimal() and len(text) < 10 and text not in self._inputs else text
        )

    def result(self, key: Key) -> Port:
        """The result of a name or a position; KeyError, with a suggestion, where there is none."""
        found = self._results.get(key)
        if found is None:
            known = ", ".join(map(repr, self.result_names)) or "none"
            meant = did_you_mean(key, (name for port in self.results for name in port.names))
            raise KeyError(f"the model has no result {key!r}; its results are {known}{meant}")
        return found

    def facts(self, inputs: Mapping[Key, Any]) -> dict[int, Fact]:
        """Facts that replace what inputs declare, by layer id.

        inputs: shapes as text or sequence, Shapes or Facts, by name or position
        Raises:  DiagnosticError for an unknown input (IR602), or a text that is not a shape (IR407)
        """
        return {port.layer.id: self._fact(port, wanted) for port, wanted in self._ports(inputs)}

    def _fact(self, port: Port, wanted: Any) -> Fact:
        if isinstance(wanted, Fact):
            return wanted
        try:
            if isinstance(port.fact, NoTensor):
                raise ValueError(f"it is {port.fact}, and has no shape of its own")
            return Fact(port.fact.element_type, Shape.like(wanted))
        except ValueError as error:
            message = f"the shape given for input {port.name!r}: {error}"
            place = self.model.location(port.layer)
            raise DiagnosticError([Diagnostic(rule("invalid-input-shape"), message, place)]) from None

    def arrays(self, inputs: Mapping[Key, Any] | Iterable[Any]) -> dict[int, Array]:
        """An array for every input, by layer id, in the order of the inputs.

        inputs: arrays by name or position, or in order; or one array, of the only input
        Raises:  DiagnosticError for an unknown input (IR602); EvaluationError for an input without a
            value, or with one of another type or shape than it declares
        """
        named = self.by_key(inputs)
        given = {port.layer.id: self.fit(port.layer, value) for port, value in self._ports(named)}
        for port in self.inputs:
            if port.layer.id not in given:
                message = f"input {port.name!r}, {port.fact}, was given no value"
                raise self._error("missing-input", message, port.layer)
        return {port.layer.id: given[port.layer.id] for port in self.inputs}

    def by_key(self, inputs: Mapping[Key, Any] | Iterable[Any]) -> Mapping[Key, Any]:
        """Inputs by name or position. Raises: EvaluationError for one array where there are several inputs"""
        if isinstance(inputs, Mapping):
            return inputs
        if not (isinstance(inputs, (np.ndarray, np.generic, float, int, str)) or is_foreign(inputs)):
            return dict(enumerate(inputs))
        if len(self.inputs) != 1:
            known = ", ".join(repr(port.name) for port in self.inputs) or "none"
            count = len(self.inputs)
            message = f"one array is given, but the model has {count} inputs: {known}; name each array"
            raise EvaluationError([Diagnostic(rule("missing-input"), message, self.model.location())])
        return {0: inputs}

    def fit(self, layer: Layer, value: Any) -> Array:
        """A value as an array of the type and shape that an input, or a constant, declares.

        Raises:  EvaluationError (IR603)
        """
        if type(value) is np.ndarray and (value.dtype, value.shape) == self._exact.get(layer.id):
            return value
        declared = self._facts.get(layer.id) or declared_fact(layer)
        try:
            for dialect in dialects():
                value = dialect.value_of(value)
            array: Array = as_value(value, declared)
        except ValueError as error:
            message = f"input {layer.name!r} cannot be an array: {error}"
            raise self._error("incompatible-input", message, layer) from None
        if not declared.admits(array):
            message = f"input {layer.name!r} is {fact_of(array)}, must be {declared}"
            raise self._error("incompatible-input", message, layer)
        return array

    def aliases(self) -> Mapping[Key, str]:
        """Positions and all names of the results, and the name in result_names that each stands for."""
        return self._aliases

    def input_aliases(self) -> Iterator[tuple[Key, str]]:
        """Positions and names of the inputs, and the layer name that each stands for."""
        for port in self.inputs:
            yield port.position, port.name
            yield from ((name, port.name) for name in port.names)

    def _ports(self, inputs: Mapping[Key, Any]) -> Iterator[tuple[Port, Any]]:
        for key, value in inputs.items():
            yield self.input(key), value

    def _error(self, name: str, message: str, layer: Layer) -> EvaluationError:
        return EvaluationError([Diagnostic(rule(name), message, self.model.location(layer))])


@dataclass(frozen=True, slots=True)
class MatchedPorts:
    """Which inputs, or results, of one model are which of another.

    pairs: theirs by the position of ours, with what they have in common ("tensor name", "layer name",
    "position"); ours, theirs: those without a partner.
    """

    pairs: Mapping[int, tuple[Port, str]]
    ours: tuple[Port, ...]
    theirs: tuple[Port, ...]


def matched_ports(ours: tuple[Port, ...], theirs: tuple[Port, ...]) -> MatchedPorts:
    """Match by tensor name, then by layer name, and the rest by position: among all ports where both sides
    are free there, else among those that are left.
    """
    pairs: dict[int, tuple[Port, str]] = {}
    free = {port.position: port for port in theirs}
    for kind, names in (("tensor name", _tensor_names), ("layer name", _own_name)):
        by_name: dict[str, Port] = {}
        for port in reversed(list(free.values())):
            by_name |= dict.fromkeys(names(port), port)
        for port in ours:
            partner = next((by_name[name] for name in names(port) if name in by_name), None)
            if port.position not in pairs and partner is not None and partner.position in free:
                pairs[port.position] = (free.pop(partner.position), kind)
    for port in ours:
        if port.position not in pairs and port.position in free:
            pairs[port.position] = (free.pop(port.position), "position")
    rest = [port for port in ours if port.position not in pairs]
    for port, partner in zip(rest, list(free.values())):
        pairs[port.position] = (free.pop(partner.position), "position")
    left = tuple(port for port in ours if port.position not in pairs)
    return MatchedPorts(pairs, left, tuple(free.values()))


def _tensor_names(port: Port) -> Sequence[str]:
    return port.names[1:]


def _own_name(port: Port) -> Sequence[str]:
    """The name of a layer that somebody chose: exporters number Results."""
    return () if _NUMBERED.fullmatch(port.name) else (port.name,)


_NUMBERED = re.compile(r"(Result|Parameter)_[0-9]+")


def declared_fact(layer: Layer) -> Fact:
    """The Fact declared by a layer's own attributes, or an unknown Fact if they are malformed."""
    try:
        if "type" in layer.data:
            return parse_fact(layer.data["type"])
        dialect = dialect_of_version(layer.version)
        kind = dialect.element_type(layer.data.get("element_type", "dynamic"))
        return Fact(kind, dialect.parse_shape(layer.data.get("shape", "")))
    except ValueError:
        return Fact()


def _exact_kinds(inputs: tuple[Port, ...]) -> Iterator[tuple[int, tuple[np.dtype[Any], tuple[int, ...]]]]:
    """The dtype and the shape of inputs that declare one of each, and whose dtype says the element type."""
    for port in inputs:
        kind = port.fact.element_type
        if kind is not DYNAMIC and port.fact.shape.static and kind.dtype.kind != "O" and kind.bits > 8:
            yield port.layer.id, (kind.dtype, port.fact.shape.to_tuple())


def _index(ports: tuple[Port, ...]) -> Iterator[tuple[Key, Port]]:
    """Ports by position and by name. Of equal names the first port counts: dict() takes the last of
    equal keys.
    """
    for port in reversed(ports):
        yield port.position, port
        yield from ((name, port) for name in reversed(port.names))


def _result_keys(ports: tuple[Port, ...]) -> tuple[str, ...]:
    """One name for each result: of its layer, or of its tensor where the layer has a made-up name."""
    keys: dict[str, None] = {}
    layer_names = {port.name for port in ports}
    for port in ports:
        free = [name for name in port.names[1:] if name not in keys and name not in layer_names]
        keys[free[0] if free and _MADE_UP.fullmatch(port.name) else port.name] = None
    return tuple(keys) if len(keys) == len(ports) else tuple(port.name for port in ports)


_MADE_UP = re.compile(r"Result_[0-9]+|.*/sink_port_[0-9]+", re.DOTALL)


def _names(layer: Layer) -> Iterator[str]:
    yield layer.name
    for port in layer.outputs:
        yield from port.names


def _result_names(layer: Layer, sources: list[tuple[Layer, int] | None]) -> Iterator[str]:
    """The names of a Result: its own, and those of the tensor that it returns."""
    yield layer.name
    yield from layer.output_names or ()
    source = sources[0] if sources else None
    if source is not None:
        yield from source[0].outputs[source[1]].names
