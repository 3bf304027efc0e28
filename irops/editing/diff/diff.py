"""irops.diff: what differs between two models, as a reviewer wants to read it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.analysis.signature import Port
from irops.diagnostics.diagnostic import DiagnosticError, errors_of
from irops.diagnostics.suggestions import did_you_mean
from irops.editing.diff.comparison import Comparison
from irops.editing.diff.differences import Difference, LayerChange, WeightChange
from irops.editing.diff.side import Side
from irops.editing.translation.translate import translated
from irops.files.limits import Limits
from irops.ir.model import Model
from irops.ir.weights import constant_faults
from irops.registry import Registry
from irops.spec.types import OPENVINO
from irops.values.fact import Fact

IGNORABLE = ("names", "rt_info", "ids", "weights")
"""What a comparison can leave out."""

AnyModel = Model | ModelAnalysis | str | os.PathLike[str]


def diff(
    a: AnyModel,
    b: AnyModel,
    *,
    ignore: Collection[str] = (),
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Difference:
    """What differs between two models: layers added, removed, changed, rewired, renamed or moved; weights;
    inputs and outputs.

    Layers are matched by name, then by their op, attributes and surroundings, so that models of which one is
    the other renumbered, renamed and reordered are the same. What follows from constants alone is compared
    as a weight: by its elements, however it is stored. A model of another dialect is translated first.
    ignore: names, rt_info, ids (and with them the order of layers), weights
    What follows from a change, such as other shapes behind it, is listed in its `follows`.
    Raises:  ReadError, DiagnosticError where a model cannot be read or translated, or bytes of its weights
        are missing; ValueError for another word to ignore
    """
    for word in ignore:
        if word not in IGNORABLE:
            meant = did_you_mean(word, IGNORABLE)
            raise ValueError(f"ignore has {word!r}, must be of {', '.join(IGNORABLE)}{meant}")
    labels = [label_of(a, "a"), label_of(b, "b")]
    analyses = in_one_dialect(_analysis(a, registry, limits), _analysis(b, registry, limits))
    if "weights" not in ignore:
        for analysis in analyses:
            _require_weights(analysis)
    sides = [Side(analysis, analysis.root, analysis.infer()) for analysis in analyses]
    comparison = Comparison(sides[0], sides[1], ignore)
    comparison.follow()
    interface = tuple(_interface(comparison, analyses[0], analyses[1], ignore))
    found: dict[str, list[LayerChange]] = {}
    weights: list[WeightChange] = []
    for entry in comparison.entries:
        change = entry.listed()
        if isinstance(change, LayerChange):
            found.setdefault(change.what, []).append(change)
        elif change is not None:
            weights.append(change)
    metadata = list(comparison.metadata)
    if "rt_info" not in ignore and analyses[0].model.rt_info != analyses[1].model.rt_info:
        metadata.append("rt_info of the model differs")
    lists: dict[str, Any] = {what: tuple(changes) for what, changes in found.items()}
    counts = [analysis.model.layer_count for analysis in analyses]
    return Difference(
        labels[0],
        labels[1],
        weights=tuple(weights),
        interface=interface,
        metadata=tuple(metadata),
        layers=(counts[0].own, counts[1].own),
        layers_with_bodies=(counts[0].total, counts[1].total),
        **lists,
    )


def in_one_dialect(a: ModelAnalysis, b: ModelAnalysis) -> tuple[ModelAnalysis, ModelAnalysis]:
    """Two models, translated to OpenVINO where they are of different dialects. Raises: DiagnosticError"""
    if a.dialect is b.dialect:
        return a, b
    one, other = (m if m.dialect.name == OPENVINO else translated(m, OPENVINO, None) for m in (a, b))
    return one, other


def _require_weights(analysis: ModelAnalysis) -> None:
    """Raises: DiagnosticError where bytes of constants are missing, so that weights cannot be compared"""
    faults = errors_of(constant_faults(analysis.model))
    if faults:
        note = "ignore weights (irops diff --ignore weights) to compare the rest"
        raise DiagnosticError([replace(faults[0], notes=(*faults[0].notes, note)), *faults[1:]])


def _analysis(model: AnyModel, registry: Registry | None, limits: Limits | None) -> ModelAnalysis:
    return model if isinstance(model, ModelAnalysis) else analyse(model, registry, limits)


def label_of(model: AnyModel, default: str) -> str:
    """How a report calls a model: its path or its name."""
    if isinstance(model, ModelAnalysis):
        model = model.model
    if isinstance(model, Model):
        path = model.source.path if model.source is not None else None
        return path or model.name or default
    return os.fspath(model)


def _interface(
    comparison: Comparison, a: ModelAnalysis, b: ModelAnalysis, ignore: Collection[str]
) -> Iterator[str]:
    """What differs in the inputs and results; what follows from a change is noted there too."""
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
            if not comparison.same(*facts):
                text = f"{what} {new.position} ({new.name}): {facts[0]} -> {facts[1]}"
                cause = comparison.causes.get(new.layer.id)
                if cause is not None:
                    cause.follows.append(text)
                yield text
            names = old.names[1:], new.names[1:]  # of the tensors; those of the layers are compared as such
            if "names" not in ignore and any(names) and not {*names[0]} & {*names[1]}:
                spelled = [", ".join(dict.fromkeys(some)) or "none" for some in names]
                yield f"{what} {new.position}: the tensor name {spelled[0]} -> {spelled[1]}"


def _listed(analysis: ModelAnalysis, ports: tuple[Port, ...]) -> str:
    return ", ".join(f"{port.name} {_fact(analysis, port)}" for port in ports) or "none"


def _fact(analysis: ModelAnalysis, port: Port) -> Fact:
    """What an input declares, and what is inferred for a result."""
    inputs = analysis.infer().of(port.layer.id).inputs
    return (inputs[0] if inputs else None) or port.fact
