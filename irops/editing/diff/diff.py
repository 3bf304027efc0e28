"""irops.diff: what differs between two models, as a reviewer wants to read it."""

import os
from collections.abc import Collection, Iterator
from typing import Any

from irops.analysis.model_analysis import AnyModel, ModelAnalysis, analyse
from irops.analysis.signature import ModelPort
from irops.diagnostics.suggestions import did_you_mean
from irops.dialects.registry import Registry
from irops.editing.diff.comparison import GraphComparison, Side
from irops.editing.diff.differences import Difference
from irops.editing.translation.translate import translated
from irops.files.limits import Limits
from irops.ir.model import Model
from irops.spec.definition import OPENVINO
from irops.values.fact import Fact

IGNORABLE = ("names", "rt_info", "ids", "weights")
"""The parts that a comparison can leave out."""


def diff(
    a: AnyModel,
    b: AnyModel,
    *,
    ignore: Collection[str] = (),
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Difference:
    """The differences between two models: layers added, removed, changed, rewired, renamed or moved; weights;
    inputs and outputs.

    Layers are matched by name, then by their op, attributes and surroundings, so that models of which one is
    the other renumbered, renamed and reordered are the same. What follows from constants alone is compared
    as a weight: by its elements, however it is stored. A model of another dialect is translated first.
    ignore: names, rt_info, ids (and with them the order of layers), weights
    Raises:  ReadError, DiagnosticError where a model cannot be read or translated; ValueError for another
        word to ignore
    """
    for word in ignore:
        if word not in IGNORABLE:
            meant = did_you_mean(word, IGNORABLE)
            raise ValueError(f"ignore has {word!r}, must be of {', '.join(IGNORABLE)}{meant}")
    analyses = [analyse(a, registry, limits), analyse(b, registry, limits)]
    labels = [_label(a, analyses[0].model, "a"), _label(b, analyses[1].model, "b")]
    if analyses[0].dialect is not analyses[1].dialect:
        analyses = [
            one if one.dialect.name == OPENVINO else translated(one, OPENVINO, None) for one in analyses
        ]
    sides = [Side(analysis, analysis.root, analysis.infer()) for analysis in analyses]
    comparison = GraphComparison(sides[0], sides[1], ignore).all()
    found: dict[str, list[Any]] = {}
    for change in comparison.changes:
        found.setdefault(change.what, []).append(change)
    metadata = list(comparison.metadata)
    if "rt_info" not in ignore and analyses[0].model.rt_info != analyses[1].model.rt_info:
        metadata.append("rt_info of the model differs")
    return Difference(
        labels[0],
        labels[1],
        weights=tuple(comparison.weights),
        interface=tuple(_interface(analyses[0], analyses[1], ignore)),
        metadata=tuple(metadata),
        layers=(len(analyses[0].model.layers), len(analyses[1].model.layers)),
        **{what: tuple(changes) for what, changes in found.items()},
    )


def _label(given: AnyModel, model: Model, default: str) -> str:
    if isinstance(given, str | os.PathLike):
        return os.fspath(given)
    path = model.source.path if model.source is not None else None
    return path or model.name or default


def _interface(a: ModelAnalysis, b: ModelAnalysis, ignore: Collection[str]) -> Iterator[str]:
    """The differences of inputs and results."""
    for what, before, after in (
        ("input", a.signature.inputs, b.signature.inputs),
        ("result", a.signature.results, b.signature.results),
    ):
        if len(before) != len(after):
            listed = " -> ".join(_listed(one, ports) for one, ports in ((a, before), (b, after)))
            yield f"{len(before)} -> {len(after)} {what}s: {listed}"
            continue
        for old, new in zip(before, after):
            facts = _fact(a, old), _fact(b, new)
            if facts[0].element_type is not facts[1].element_type or facts[0].shape != facts[1].shape:
                yield f"{what} {new.position} ({new.name}): {facts[0]} -> {facts[1]}"
            names = old.names[1:], new.names[1:]  # of the tensors; those of the layers are compared as such
            if "names" not in ignore and any(names) and not {*names[0]} & {*names[1]}:
                spelled = [", ".join(dict.fromkeys(some)) or "none" for some in names]
                yield f"{what} {new.position}: the tensor name {spelled[0]} -> {spelled[1]}"


def _listed(analysis: ModelAnalysis, ports: tuple[ModelPort, ...]) -> str:
    return ", ".join(f"{port.name} {_fact(analysis, port)}" for port in ports) or "none"


def _fact(analysis: ModelAnalysis, port: ModelPort) -> Fact:
    """The declared tensor of an input, or the inferred one of a result."""
    inputs = analysis.infer().of(port.layer.id).inputs
    return (inputs[0] if inputs else None) or port.fact
