"""irops.infer: the facts of every output of every layer."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from irops.analysis.engine import Inference
from irops.analysis.facts import Facts
from irops.analysis.inputs import declared_fact, given_facts, parameters
from irops.ir.collection import no_collection
from irops.ir.model import Model
from irops.limits import Limits
from irops.registry import Registry


def infer(
    model: Model | str | os.PathLike[str],
    inputs: Mapping[str | int, Any] | None = None,
    *,
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Facts:
    """Element type and shape, and value where it is known, of every output of every layer.

    inputs: other shapes for the model's inputs, by tensor name, layer name or position: "?,3,1..224,224", a
        sequence, a Shape;
            words are symbols ("batch,3"); or a Fact.
    Returns: facts[layer name or id, output index] -> Fact(.element_type, .shape, .value); .diagnostics tells
        what is wrong
    Raises:  ReadError where the model cannot be read; DiagnosticError (a ValueError) for an input that is
        none, or no shape
    """
    if not isinstance(model, Model):
        from irops.reading import read

        model = read(model, limits=limits)
    declared = {layer.id: declared_fact(layer) for layer in parameters(model)}
    with no_collection():
        return Inference(model, registry, limits).graph(
            model.graph, given_facts(model, inputs or {}, declared)
        )
