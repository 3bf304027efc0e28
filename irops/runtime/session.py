"""irops.run and irops.Session: a model's results from its inputs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from irops.analysis.inputs import declared_fact, parameter, parameters, results
from irops.backends.backend import Backend, chain
from irops.diagnostics.diagnostic import Diagnostic, EvaluationError, Location
from irops.diagnostics.rules import rule
from irops.ir.model import Layer, Model
from irops.limits import Limits
from irops.registry import Registry
from irops.runtime.arrays import as_tensor, fact_of
from irops.runtime.evaluator import Evaluator, Progress
from irops.runtime.variables import Variables
from irops.values.element import Array

Keep = Literal["all"] | str | int | Iterable[str | int]


class Results(dict[str, Array]):
    """Arrays by the name of their Result (or of the layer that was kept); a tensor name or a position finds
    them too.
    """

    def __init__(self, values: Mapping[str, Array], aliases: Mapping[str | int, str]) -> None:
        super().__init__(values)
        self._aliases = aliases

    def __missing__(self, key: str | int) -> Array:
        return self[self._aliases[key]]


class Session:
    """A model ready to run again and again; its variables keep their values from run to run."""

    def __init__(
        self,
        model: Model | str | os.PathLike[str],
        *,
        backends: str | Iterable[str | Backend] | None = None,
        registry: Registry | None = None,
        limits: Limits | None = None,
        verify: bool = False,
        progress: Progress | None = None,
    ) -> None:
        if not isinstance(model, Model):
            from irops.reading import read

            model = read(model, limits=limits)
        self.model = model
        self.variables = Variables()
        asked = chain([backends] if isinstance(backends, str) else backends)
        self._evaluator = Evaluator(
            model,
            asked,
            registry=registry,
            limits=limits,
            variables=self.variables,
            verify=verify,
            progress=progress,
        )

    def reset(self) -> None:
        """Forget all variables, as before the first run."""
        self.variables.reset()

    def check(self) -> tuple[Diagnostic, ...]:
        """What inference finds wrong with the model, whatever its inputs."""
        return self._evaluator.inference.graph(self.model.graph, {}).diagnostics

    def run(self, inputs: Mapping[str | int, Any] | Iterable[Any] = (), *, keep: Keep = ()) -> Results:
        """The model's results.

        inputs: arrays by tensor name, layer name or position; keep: further layers, by name or id, or "all"
        Raises:  EvaluationError, with .diagnostics: inputs that do not fit, a broken requirement, a limit
        """
        self._hold_no_means()
        named: Mapping[str | int, Any] = inputs if isinstance(inputs, Mapping) else dict(enumerate(inputs))
        kept = self._kept(keep)
        values = self._evaluator.run(self._given(named), kept)
        return self._named(values, kept)

    def _hold_no_means(self) -> None:
        for element in self.model.legacy:
            if element.tag == "pre-process":
                source = self.model.source
                place = Location(None) if source is None else source.location(element.at)
                message = (
                    "OpenVINO subtracts the mean values of <pre-process> from an input; irops does not, write"
                    " them as a Subtract"
                )
                raise EvaluationError([Diagnostic(rule("unapplied-mean-values"), message, place)])

    def _given(self, inputs: Mapping[str | int, Any]) -> dict[int, Array]:
        given: dict[int, Array] = {}
        for key, value in inputs.items():
            layer = parameter(self.model, key)
            given[layer.id] = self._fitting(layer, value)
        for layer in parameters(self.model):
            if layer.id not in given:
                raise EvaluationError(
                    [
                        Diagnostic(
                            rule("missing-input"),
                            f"input {layer.name!r}, {declared_fact(layer)}, was given no value",
                            self._place(layer),
                        )
                    ]
                )
        return {layer.id: given[layer.id] for layer in parameters(self.model)}

    def _fitting(self, layer: Layer, value: Any) -> Array:
        declared = declared_fact(layer)
        try:
            array = as_tensor(value, declared.element_type)
        except ValueError as error:
            raise EvaluationError(
                [
                    Diagnostic(
                        rule("unfit-input"),
                        f"input {layer.name!r} cannot be an array: {error}",
                        self._place(layer),
                    )
                ]
            ) from None
        if not declared.admits(array):
            raise EvaluationError(
                [
                    Diagnostic(
                        rule("unfit-input"),
                        f"input {layer.name!r} is {fact_of(array)}, must be {declared}",
                        self._place(layer),
                    )
                ]
            )
        return array

    def _place(self, layer: Layer) -> Location:
        source = self.model.source
        return (
            Location(None, None, None, layer.id, layer.name)
            if source is None
            else source.location(layer.at, layer)
        )

    def _kept(self, keep: Keep) -> frozenset[int]:
        if keep == "all":
            return frozenset(layer.id for layer in self.model.layers)
        return frozenset(self._layer(key).id for key in ((keep,) if isinstance(keep, (str, int)) else keep))

    def _layer(self, key: str | int) -> Layer:
        try:
            return self.model.layer(key)
        except KeyError:
            raise KeyError(f"there is no layer {key!r} to keep") from None

    def _named(self, values: Mapping[tuple[int, int], Array], kept: frozenset[int]) -> Results:
        named: dict[str, Array] = {}
        aliases: dict[str | int, str] = {}
        for position, layer in enumerate(results(self.model)):
            named[layer.name] = values[layer.id, 0]
            aliases[position] = layer.name
            for name in (*(layer.output_names or ()), *self._producer_names(layer)):
                aliases.setdefault(name, layer.name)
        for (layer_id, index), array in values.items():
            if layer_id in kept:
                layer = self.model.layer(layer_id)
                name = layer.name if len(layer.outputs) < 2 else f"{layer.name}:{index}"
                named.setdefault(name, array)
        return Results(named, aliases)

    def _producer_names(self, result: Layer) -> tuple[str, ...]:
        source = self._evaluator.inference.wiring(self.model.graph).inputs[result.id][0]
        return () if source is None else source[0].outputs[source[1]].names


def run(
    model: Model | str | os.PathLike[str],
    inputs: Mapping[str | int, Any] | Iterable[Any] = (),
    *,
    backends: str | Iterable[str | Backend] | None = None,
    keep: Keep = (),
    registry: Registry | None = None,
    limits: Limits | None = None,
    verify: bool = False,
    progress: Progress | None = None,
) -> Results:
    """A model's results: arrays by Result name; tensor names and positions find them too.

    inputs: arrays by tensor name, layer name or position; backends: what computes, by name or as it is, the
        first that can (the
    fastest that is installed, then the reference, if nobody says); keep: further layers by name or id, or
    "all"; verify: hold each result of other backends to the reference; progress: called with (layers done,
    layers in all, layer).
    Raises:  ReadError; EvaluationError, with .diagnostics: inputs that do not fit, a broken requirement, a
        limit
    """
    session = Session(
        model, backends=backends, registry=registry, limits=limits, verify=verify, progress=progress
    )
    return session.run(inputs, keep=keep)
