"""What this process computes itself, from values that workers return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from irops.analysis.batching.proof import Value
from irops.analysis.model_analysis import ModelAnalysis
from irops.editing.extraction import Boundary, extracted
from irops.runtime.record import Record
from irops.runtime.session import Session
from irops.splitting.division import Division
from irops.values.element import Array


def rest_of(
    analysis: ModelAnalysis,
    division: Division,
    wanted: Sequence[Value],
    values: Mapping[Value, Array],
    options: Mapping[str, Any],
    record: Record,
) -> dict[Value, Array]:
    """Those of the wanted values that are computed here.

    values: the inputs of the model and the cut values; options: of the session; record: takes the warnings
    Raises:  EvaluationError
    """
    ends = [value for value in wanted if value[0] in division.here]
    if not ends:
        return {}
    part = extracted(analysis, Boundary(inputs=sorted(division.inputs), outputs=ends))
    session = Session(
        ModelAnalysis(replace(part.model, source=analysis.model.source), analysis.registry, analysis.limits),
        **options,
    )
    session.evaluator.run_once()
    names = {analysis.root.layers[value[0]].layer.name: value for value in division.inputs} | part.cuts
    results = session.run({port.name: values[names[port.name]] for port in session.signature.inputs})
    for warning in results.warnings:
        record.warn(warning)
    return {end: results[port.name] for end, port in zip(ends, session.signature.results, strict=True)}
