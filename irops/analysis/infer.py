"""irops.infer: the Facts of every output of every layer."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import ModelAnalysis
from irops.ir.model import Model
from irops.ir.read import no_collection
from irops.limits import Limits, recursion_limit_for
from irops.reading import read
from irops.registry import Registry


def analyse(
    model: Model | str | os.PathLike[str],
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> ModelAnalysis:
    """The analysis of a model, which is read first where it is a path. Raises: ReadError"""
    limits = limits or Limits()
    if not isinstance(model, Model):
        model = read(model, limits=limits)
    with no_collection(), recursion_limit_for(limits.depth):
        return ModelAnalysis(model, registry, limits)


def infer(
    model: Model | ModelAnalysis | str | os.PathLike[str],
    inputs: Mapping[str | int, Any] | None = None,
    *,
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Inferred:
    """Element type and shape, and value where it is known, of every output of every layer.

    inputs: other shapes for the model's inputs, by tensor name, layer name or position: "?,3,1..224,224", a
        sequence, a Shape; words are symbols ("batch,3"); or a Fact.
    Returns: inferred[layer name or id, output index] -> Fact(.element_type, .shape, .value); .diagnostics
        holds what is wrong
    Raises:  ReadError where the model cannot be read; DiagnosticError (a ValueError) for an input that does
        not exist, or a text that is not a shape
    """
    analysis = model if isinstance(model, ModelAnalysis) else analyse(model, registry, limits)
    with no_collection():
        return analysis.infer(inputs)
