"""A model with inputs: what an oracle judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.files.limits import Limits
from irops.ir.model import Layer, LayerKind, Model
from irops.ir.serialize import canonical
from irops.ir.storage import Weights
from irops.ir.weights import Region, reading_weights, region_of
from irops.registry import Registry
from irops.values.element import STRING, Array, element_type_of

_PASSIVE = (LayerKind.PARAMETER, LayerKind.RESULT, LayerKind.CONSTANT)


@dataclass(frozen=True)
class Case:
    """A model and values for its inputs, by the names of its Parameters; none where they do not matter.

    other: the model that is compared with it, where two models are reduced together; its Results are those of
    the model by position
    """

    model: Model
    inputs: Mapping[str, Array]
    other: Case | None = None

    def __repr__(self) -> str:
        return f"<Case of {self.operations} operations>"

    @cached_property
    def operations(self) -> int:
        """How many layers compute something, those of bodies included."""
        return sum(computes(layer) for _, layer in self.model.walk())

    def analysis(self, registry: Registry | None = None, limits: Limits | None = None) -> ModelAnalysis:
        """The analysis of the model, which the checks and judges of a reduction share."""
        if "_analysis" not in self.__dict__:
            self.__dict__["_analysis"] = analyse(self.model, registry, limits)
        analysis: ModelAnalysis = self.__dict__["_analysis"]
        return analysis

    @cached_property
    def key(self) -> str:
        """The same for equal models with equal inputs alone."""
        digest = blake2b(digest_size=16)
        for piece in self._pieces():
            digest.update(piece)
        return digest.hexdigest()

    def _pieces(self) -> Iterator[bytes | memoryview]:
        for text in canonical(self.model, lambda layer: layer.data):
            yield text.encode("utf-8", "surrogatepass")
        weights = self.model.weights
        for _, layer in self.model.walk():
            if layer.is_constant and weights is not None:
                region = region_of(layer)
                if isinstance(region, Region) and region.end <= weights.size:
                    yield self._digest(weights, region)
        for name, array in sorted(self.inputs.items()):
            kind = element_type_of(array)
            yield f"{name} {kind} {array.shape}".encode("utf-8", "surrogatepass")
            yield repr(array.tolist()).encode() if kind is STRING else array.tobytes()
        if self.other is not None:
            yield from self.other._pieces()

    def _digest(self, weights: Weights, region: Region) -> bytes:
        """Raises: DiagnosticError where the file of weights was changed or cannot be read any more"""
        with reading_weights(self.model):
            return weights.digest(region.offset, region.size)


def computes(layer: Layer) -> bool:
    """Whether a layer computes something: it is no input, no result and no constant."""
    return layer.kind not in _PASSIVE
