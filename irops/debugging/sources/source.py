"""What a source of values is: it gives the values of layers, all, some, or those of one layer at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from irops.analysis.declaring import port_of
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import MatchedPorts
from irops.analysis.structure import LayerNode
from irops.ir.model import Edge, Graph, Layer, LayerKind, Model
from irops.ir.unique import UniqueNames
from irops.ops.invocation import Invocation
from irops.runtime.arrays import size_in_bytes
from irops.spec.op import Op
from irops.values.element import Array, ElementType
from irops.verdicts.arithmetic import DECLARED, Arithmetic


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a source gives no values.

    kind: crashed, stalled, oversized (it used too much memory), refused (it reports an error), or declined
    (it does not implement this)
    """

    kind: str
    reason: str

    @property
    def is_fault(self) -> bool:
        """Whether a correct source would have given values."""
        return self.kind != "declined"

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"


@dataclass(frozen=True, slots=True, eq=False)
class LayerCall:
    """One layer with the arrays to compute it from.

    model: that the layer is of, for the constants of its bodies; constant: the indices of inputs that follow
    from constants alone; types: the element types of the outputs.
    """

    model: Model
    node: LayerNode
    op: Op
    invocation: Invocation
    inputs: tuple[Array | None, ...]
    constant: frozenset[int]
    types: tuple[ElementType, ...]

    @property
    def size(self) -> int:
        """The bytes of the inputs."""
        return sum(array.nbytes for array in self.inputs if array is not None)


@dataclass(frozen=True, slots=True)
class LayerValue:
    """The outputs of one layer of the model's outermost graph; None for an output that the source lacks.

    failure: why there are none, where there are none; declines: whether the source declines the layer, so
    that the reference computed the outputs.
    """

    layer: int
    outputs: tuple[Array | None, ...]
    failure: Failure | None = None
    declines: bool = False


Answer: TypeAlias = list[Array] | Failure
"""The outputs of one layer, or why there are none."""
Values: TypeAlias = dict[str, Array]
"""Results of a model by name."""
Inputs: TypeAlias = Mapping[int, Array]
"""Values of the model's inputs by layer id."""


@dataclass(slots=True)
class Context:
    """A model and the inputs that a comparison is about. taps: layers that are wanted, None for all."""

    analysis: ModelAnalysis
    inputs: Inputs
    taps: Collection[int] | None = None

    @property
    def model(self) -> Model:
        return self.analysis.model


class Source(ABC):
    """Gives values of layers. A source is closed after use; it may hold a process.

    name: how the user calls it; arithmetic: the precision in which it computes.
    """

    name: str
    arithmetic: Arithmetic = DECLARED
    computes_layers = False
    """Whether it can compute a single layer from any inputs."""
    judges_layers = False
    """Whether each of its layers can be judged from the inputs that it had, without computing it again."""
    is_whole = False
    """Whether it optimises a model as a whole, so that values within are not those of a plain run."""

    @abstractmethod
    def walk(self, context: Context) -> Iterator[LayerValue]:
        """The values of layers in an order in which they can be computed, each once.

        Raises:  EvaluationError, SourceFailed
        """

    @abstractmethod
    def results(self, context: Context) -> Values | Failure:
        """The results of the whole model by name, as the source computes it when nobody looks inside. Those
        that it lacks are left out.
        """

    def matched_results(self, context: Context) -> MatchedPorts | None:  # noqa: ARG002
        """Which results of the model are which of the one that the source runs; None where it is the same."""
        return None

    @property
    def isolates(self) -> bool:
        """Whether a layer can be judged apart from those before it."""
        return self.computes_layers or self.judges_layers

    def compute(self, calls: Sequence[LayerCall]) -> list[Answer]:
        """The outputs of each layer, from the inputs of its call; only where computes_layers is true."""
        raise NotImplementedError(f"{self.name} does not compute layers")

    def close(self) -> None:  # noqa: B027 - most sources hold nothing
        """End what the source holds."""

    def __repr__(self) -> str:
        return f"<source {self.name}>"


class SourceFailed(Exception):
    """A source cannot give the values that it is asked for."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure)
        self.failure = failure


# A model with further results: the values of layers within it.

Tap: TypeAlias = tuple[int, int]
"""A layer's id and the index of one of its outputs."""
MAX_TAPS = 2000
"""How many values are taken out of one run."""


def tappable(analysis: ModelAnalysis) -> Iterator[Tap]:
    """The outputs of all layers that compute, in order."""
    for node in analysis.root.order:
        if node.layer.kind not in (LayerKind.RESULT, LayerKind.PARAMETER, LayerKind.CONSTANT, LayerKind.SINK):
            yield from ((node.layer.id, index) for index in range(len(node.layer.outputs)))


def chunks_of_taps(context: Context) -> Iterator[list[Tap]]:
    """The values that are wanted, in portions that fit into the limit on memory."""
    inferred = context.analysis.infer(
        {
            port.name: str(list(context.inputs[port.layer.id].shape))
            for port in context.analysis.signature.inputs
        }
    )
    chunk: list[Tap] = []
    size = 0.0
    for tap in tappable(context.analysis):
        if context.taps is not None and tap[0] not in context.taps:
            continue
        facts = inferred.of(tap[0]).outputs
        weight = size_in_bytes(facts[tap[1] : tap[1] + 1])
        starts_layer = tap[1] == 0
        too_much = size + weight > context.analysis.limits.tensor_bytes / 4 or len(chunk) >= MAX_TAPS
        if chunk and starts_layer and too_much:
            yield chunk
            chunk, size = [], 0.0
        chunk.append(tap)
        size += weight
    if chunk:
        yield chunk


def with_taps(analysis: ModelAnalysis, taps: Iterable[Tap]) -> tuple[Model, dict[Tap, str]]:
    """The model with a Result for each tap, and the names of these Results."""
    model = analysis.model
    number = max((layer.id for layer in model.layers), default=-1)
    names = UniqueNames((layer.name for layer in model.layers), mark="_")
    layers: list[Layer] = list(model.layers)
    edges = list(model.edges)
    found: dict[Tap, str] = {}
    facts = analysis.infer()
    for tap in taps:
        number += 1
        source = analysis.root.layers[tap[0]].layer
        name = found[tap] = names.unique(f"tap{number}")
        result = Layer(number, name, "Result", "opset1")
        result.inputs.append(port_of(0, facts.of(tap[0]).outputs[tap[1]]))
        layers.append(result)
        edges.append(Edge(tap[0], source.outputs[tap[1]].id, number, 0))
    return replace(model, graph=Graph(layers, edges)), found
