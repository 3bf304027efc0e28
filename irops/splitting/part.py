"""A worker's part of a model: what computes the cut values from blocks of the inputs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from irops.analysis.batching.proof import Value
from irops.analysis.infer import analyse
from irops.analysis.model_analysis import ModelAnalysis
from irops.dialects import dialect_of_version
from irops.editing.extraction import Boundary, extracted
from irops.ir.model import Graph, Layer, Model
from irops.ir.storage import Weights
from irops.limits import Limits
from irops.reading import load, read
from irops.registry import Registry
from irops.spec.domains import format_value
from irops.urls import is_url, local_path
from irops.values.dim import ANY
from irops.writing import write


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a worker gets its part from: it reads the file of the model itself, or a copy of the part comes
    with the work.

    path: of the file, and digest: of its text, which must be that of the file here; text, weights: of
    the copy
    """

    path: str = ""
    digest: str = ""
    text: bytes = b""
    weights: bytes = b""

    @classmethod
    def of(cls, model: Any, analysis: ModelAnalysis, part: Model) -> Origin:
        """The origin of a part of a model. model: as it was passed to the run. Raises: as irops.write does"""
        if isinstance(model, (Model, ModelAnalysis)):
            with tempfile.TemporaryDirectory(prefix="irops-part-") as folder:
                path = os.path.join(folder, "part.xml")
                write(part, path, registry=analysis.registry)
                return cls(text=_content(path), weights=_content(os.path.join(folder, "part.bin")))
        return cls(_absolute(model), _digest(analysis.model))

    def part(
        self, cuts: Sequence[Value], batched: Collection[str], registry: Registry | None, limits: Limits
    ) -> ModelAnalysis:
        """The part of the model that computes the cuts, for batches of any size.

        batched: the names of its inputs that carry the batch
        Raises:  ReadError; ValueError where the file is not the one that it is on the machine that sends it
        """
        if self.path:
            analysis = analyse(read(self.path, limits=limits), registry, limits)
            if _digest(analysis.model) != self.digest:
                raise ValueError(f"{self.path} is not the same file as on the machine that sends the work")
            part = part_of(analysis, cuts)
        else:
            part, _ = load("part.xml", text=self.text, limits=limits)
            part = replace(part, weights=Weights.of_bytes(self.weights))
        return ModelAnalysis(with_any_batch(part, batched), registry, limits)


def part_of(analysis: ModelAnalysis, cuts: Sequence[Value]) -> Model:
    """What computes values, as a model whose results they are, in order. Faults name places in the file."""
    part = extracted(analysis, Boundary(outputs=list(cuts))).model
    return replace(part, source=analysis.model.source)


def with_any_batch(model: Model, batched: Collection[str]) -> Model:
    """A model whose inputs of these names declare any size of their first axis."""
    layers = [_with_any_batch(layer) if layer.name in batched else layer for layer in model.layers]
    return model.with_graph(Graph(layers, model.edges))


def _with_any_batch(layer: Layer) -> Layer:
    shape = dialect_of_version(layer.version).parse_shape(layer.data.get("shape", ""))
    text = format_value(shape if shape.dims is None else shape.with_dim(0, ANY))
    return replace(layer, data={**layer.data, "shape": text})


def _absolute(model: str | os.PathLike[str]) -> str:
    """A URL as it is, a path as one that does not depend on the working folder."""
    return os.fspath(model) if is_url(model) else os.path.abspath(local_path(model))


def _digest(model: Model) -> str:
    """A digest of the text of the file that a model was read from."""
    return "" if model.source is None else sha256(model.source.data).hexdigest()


def _content(path: str) -> bytes:
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as file:
        return file.read()
