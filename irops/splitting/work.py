"""How much there is to compute, as far as shapes say."""

from __future__ import annotations

from collections.abc import Collection

from irops.analysis.batching.proof import Proof
from irops.analysis.inferred import LayerFacts
from irops.values.fact import Fact

FILTERS = frozenset({"Convolution", "GroupConvolution", "DeformableConvolution"})


def operations(proof: Proof, layers: Collection[int]) -> float:
    """The multiplications of these layers; of ops other than products, one for each element of outputs."""
    return sum(_of_layer(proof.inferred.layers[number]) for number in layers)


def _of_layer(facts: LayerFacts) -> float:
    if not facts.inputs or not facts.outputs:
        return 0
    return sum(_elements(fact) for fact in facts.outputs) * _per_element(facts)


def _per_element(facts: LayerFacts) -> float:
    """How many products are added up for an element of the output."""
    name, first = facts.layer.type, facts.inputs[0]
    if name == "MatMul" and first is not None and first.shape.rank:
        transposed = facts.attributes.get("transpose_a") and len(first.shape) > 1
        return float(first.shape[-2 if transposed else -1].high)
    if name in FILTERS and len(facts.inputs) > 1 and facts.inputs[1] is not None:
        output = facts.outputs[0].shape
        return _elements(facts.inputs[1]) / max(float(output[1].high), 1.0)
    return 1.0


def _elements(fact: Fact) -> float:
    return 0.0 if fact.shape.dims is None else float(fact.shape.size.high)
