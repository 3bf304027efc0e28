"""What a worker of a split run does: its part of the model, and arrays on their way to it and back."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from irops.analysis.batching.case import Items
from irops.analysis.batching.proof import Value
from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.dialects import dialect_of_version
from irops.dialects.reading import load, read
from irops.editing.extraction import Boundary, extracted
from irops.editing.writing import write
from irops.files.limits import Limits
from irops.files.urls import address
from irops.ir.model import Graph, Layer, Model
from irops.ir.storage import Weights
from irops.registry import Registry
from irops.runtime.session import Results, Session
from irops.spec.domains import format_value
from irops.values.dim import ANY
from irops.values.element import Array

# Arrays on their way between processes. The order of their axes in memory is kept, as sums depend on it.


class Packed(NamedTuple):
    """An array whose axes are in the order of memory. order: the axis of the array that each of them is"""

    data: Array
    order: tuple[int, ...]

    def array(self) -> Array:
        """The array with its own axes."""
        return self.data.transpose(np.argsort(self.order)) if self.order else self.data


def packed(array: Array) -> Packed:
    """An array in dense memory, with its axes in the order that they have there."""
    order = tuple(sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis])))
    moved = array.transpose(order)
    return Packed(moved if moved.flags.c_contiguous else moved.copy(order="C"), order)


def dense(array: Array) -> Array:
    """The array, copied where its elements do not lie side by side."""
    return packed(array).array()


def in_order(array: Array, order: tuple[int, ...]) -> Array:
    """A copy of an array with its axes in an order in memory."""
    return Packed(np.ascontiguousarray(array.transpose(order)), order).array()


def joined(blocks: Sequence[Packed], items: Items) -> Array:
    """The whole of blocks of items, with the order of axes that each of them has."""
    first = blocks[0]
    place = first.order.index(items.axis)
    counts = [block.data.shape[place] // items.positions for block in blocks]
    shape = list(first.data.shape)
    before, after = shape[:place], shape[place + 1 :]
    whole = np.empty((*before, items.outer, sum(counts), items.each, *after), first.data.dtype)
    start = 0
    for block, count in zip(blocks, counts):
        parts = block.data.reshape(*before, items.outer, count, items.each, *after)
        whole[(slice(None),) * (place + 1) + (slice(start, start + count),)] = parts
        start += count
    return Packed(whole.reshape(*before, sum(counts) * items.positions, *after), first.order).array()


def parts_of(array: Array, items: Items, sizes: Sequence[int]) -> Iterator[Array]:
    """The blocks of an array, with the numbers of items that they have."""
    axis, each, outer = items
    before, after = array.shape[:axis], array.shape[axis + 1 :]
    apart = array.reshape(*before, outer, sum(sizes), each, *after)
    start = 0
    for size in sizes:
        part = apart[(slice(None),) * (axis + 1) + (slice(start, start + size),)]
        yield part.reshape(*before, outer * size * each, *after)
        start += size


# How a process computes: a digest of sums, products and functions of fixed numbers.

PRODUCTS = (
    (1, 96, 64),
    (7, 33, 65),
    (17, 768, 96),
    (64, 147, 3136),
    (96, 48, 50),
    (112, 32, 99),
    (448, 32, 99),
    (512, 256, 320),
    (1000, 64, 64),
)
"""Rows, length of sums and columns of products: small and odd sizes, and enough for several threads."""


@dataclass(frozen=True, slots=True)
class Numerics:
    """The version of NumPy, for messages, and a digest of results, which is what must be equal."""

    numpy: str
    digest: str

    def __str__(self) -> str:
        return f"NumPy {self.numpy} with results {self.digest[:8]}"


@cache
def numerics() -> Numerics:
    """How this process computes."""
    random, digest = np.random.default_rng(0), sha256()
    for kind in (np.float32, np.float64):
        for rows, length, columns in PRODUCTS:
            a: Array = random.standard_normal((rows, length)).astype(kind)
            b: Array = random.standard_normal((length, columns)).astype(kind)
            for result in (a @ b, a.sum(axis=-1), np.exp(a), np.tanh(a), np.sin(a), np.log1p(np.abs(a))):
                digest.update(result.tobytes())
    return Numerics(np.__version__, digest.hexdigest())


# A worker's part of a model: what computes the cut values from blocks of the inputs.


@dataclass(frozen=True, slots=True)
class OriginOfPart:
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
    def of(cls, model: Any, analysis: ModelAnalysis, part: Model) -> OriginOfPart:
        """The origin of a part of a model. model: as it was passed to the run. Raises: as irops.write does"""
        if isinstance(model, (Model, ModelAnalysis)):
            with tempfile.TemporaryDirectory(prefix="irops-part-") as folder:
                path = os.path.join(folder, "part.xml")
                write(part, path, registry=analysis.registry)
                return cls(text=_content(path), weights=_content(os.path.join(folder, "part.bin")))
        return cls(address(model).absolute(), _digest(analysis.model))

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


def _digest(model: Model) -> str:
    """A digest of the text of the file that a model was read from."""
    return "" if model.source is None else sha256(model.source.data).hexdigest()


def _content(path: str) -> bytes:
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


# What a worker does: it computes the cut values of a block of items.

Block = Mapping[str, Packed]
"""The inputs of some items, and those that are the same for all, by name."""


@dataclass(frozen=True, slots=True)
class Task:
    """What all blocks of a run share.

    batched: the names of the inputs that carry the batch
    """

    origin: OriginOfPart
    cuts: tuple[Value, ...]
    batched: frozenset[str]
    backends: Any
    registry: Registry | None
    limits: Limits
    verify: bool


@dataclass(frozen=True, slots=True)
class BlockResult:
    """The cut values of a block in order, or the errors; and what else the run of the block reports."""

    values: tuple[Packed, ...]
    errors: tuple[Diagnostic, ...]
    warnings: tuple[Diagnostic, ...]
    numerics: Numerics


def prepare(task: Task) -> Callable[[Block], BlockResult]:
    """Read the part of the model; the function that is returned computes a block."""
    analysis = task.origin.part(task.cuts, task.batched, task.registry, task.limits)
    session = Session(analysis, backends=task.backends, verify=task.verify)

    def compute(block: Block) -> BlockResult:
        try:
            results = session.run({name: array.array() for name, array in block.items()})
        except DiagnosticError as error:
            return BlockResult((), error.diagnostics, (), numerics())
        values = tuple(packed(array) for array in _in_order(results, session))
        return BlockResult(values, (), results.warnings, numerics())

    return compute


def _in_order(results: Results, session: Session) -> Sequence[Array]:
    return [results[port.position] for port in session.signature.results]
