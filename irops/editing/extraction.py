"""irops.extract: a part of a model as a model of its own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from irops.analysis.infer import analyse
from irops.analysis.model_analysis import ModelAnalysis
from irops.dialects import dialect_of_version
from irops.editing.scope import Scope, Wanted
from irops.editing.selection import Selection
from irops.ir.model import LayerKind, Model
from irops.limits import Limits
from irops.registry import Registry
from irops.runtime.plan import NARROW
from irops.runtime.session import run
from irops.values.element import Array

Name: TypeAlias = str | int | tuple[str | int, int]
"""A value: the name of its tensor; the name or id of the layer that gives it alone; "layer:1" or (layer, 1),
where the layer has several outputs.
"""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a model. cuts: the layer and output that each Parameter of it stands for, by its name

    path: the layers and bodies down to the graph that the part is taken from; rounded: the Parameters whose
    values are rounded to f16 or bf16 at the cut, where the whole model computes in f32
    """

    model: Model
    cuts: dict[str, tuple[int, int]]
    path: tuple[str, ...]
    rounded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Boundary:
    """Where a part of a model begins and ends; the parameters of extract of the same names.

    Raises:  ValueError for negative hops, and for around together with inputs or outputs
    """

    inputs: Iterable[Name] | None = None
    outputs: Iterable[Name] | None = None
    around: Name | None = None
    hops: int = 1
    path: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.around is not None and (self.inputs is not None or self.outputs is not None):
            raise ValueError("around is given together with inputs or outputs, must be given alone")
        if self.hops < 0:
            raise ValueError(f"hops is {self.hops}, must be 0 or greater")


def extract(
    model: Model | ModelAnalysis | str | os.PathLike[str],
    inputs: Iterable[Name] | None = None,
    outputs: Iterable[Name] | None = None,
    *,
    around: Name | None = None,
    hops: int = 1,
    path: Sequence[str] = (),
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Model:
    """The part of a model that computes some values from others, as a model of its own.

    inputs: values that become Parameters, of the types and shapes that are inferred for them; by default the
        inputs of the model that the part needs.
    outputs: values that become results; by default the results of the model that depend on the inputs.
    around, hops: in place of both, a layer, and how many edges the part reaches from it each way.
    path: the layers and bodies down to the graph to take a part from: ("loop", "body").
    Constants that the part needs come along; weights are not copied until the model is written. What depends
    on constants alone is computed in f32 where its type is f16 or bf16: an input in the middle of that, such
    as within compressed weights, is rounded to its type, and results differ by that rounding.
    Raises:  DiagnosticError for a value that does not exist, for an input that no output depends on, and
        where an output depends on an input of the model that is not among the inputs: the message names the
        edge that leads there
    """
    boundary = Boundary(inputs, outputs, around, hops, path)
    analysis = model if isinstance(model, ModelAnalysis) else analyse(model, registry, limits)
    return extracted(analysis, boundary).model


def extracted(analysis: ModelAnalysis, boundary: Boundary) -> Part:
    """As extract, with what the Parameters of the part stand for."""
    scope = Scope.of(analysis, tuple(boundary.path))
    selection = _selection(scope, boundary)
    made = replace(analysis.model, graph=selection.graph(), legacy=[], unknown=[], comments=(), source=None)
    return Part(made, selection.cuts, tuple(boundary.path), tuple(_rounded(scope, selection)))


def _rounded(scope: Scope, selection: Selection) -> Iterator[str]:
    """The cuts within constants that are computed in f32 whatever their type is; see runtime.precision."""
    for name, value in selection.cuts.items():
        wide = dialect_of_version(scope.graph.layers[value[0]].layer.version).wide_constants
        if wide and value[0] in scope.constants and scope.fact(value).element_type.name in NARROW:
            yield name


def _selection(scope: Scope, boundary: Boundary) -> Selection:
    if boundary.around is not None:
        return Selection.around(scope, scope.find(boundary.around).layer, boundary.hops)
    cuts = None if boundary.inputs is None else [scope.find(name) for name in boundary.inputs]
    ends: list[Wanted] | None = None
    if boundary.outputs is not None:
        ends = [scope.find(name) for name in boundary.outputs]
    return Selection.between(scope, cuts, ends)


def cut_values(
    part: Part, model: Model | ModelAnalysis, inputs: Mapping[str | int, Any], **options: Any
) -> dict[str, Array]:
    """The values at the Parameters of a part, by name, when the whole model is run on inputs.

    options: those of irops.run. Of the inputs that the part shares with the model, the values as given.
    Raises:  DiagnosticError for a part of a body, whose values differ from iteration to iteration
    """
    analysis = model if isinstance(model, ModelAnalysis) else analyse(model)
    if part.path:
        raise Scope.of(analysis, part.path).refusal(
            "open-cut", f"the part is taken from {'/'.join(part.path)}, where values differ each time it runs"
        )
    arrays = analysis.signature.arrays(inputs)
    shared = {layer.id for layer in part.model.layers if layer.kind is LayerKind.PARAMETER} & arrays.keys()
    values = {analysis.root.layers[number].layer.name: arrays[number] for number in shared}
    if part.cuts:
        before = extract(analysis, outputs=part.cuts.values())
        needed = {port.name: arrays[port.layer.id] for port in ModelAnalysis(before).signature.inputs}
        results = run(before, needed, **options)
        values |= dict(zip(part.cuts, results.values(), strict=True))
    return values
