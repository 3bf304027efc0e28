"""Sources of values: a source gives the values of layers, all, some, or those of one layer at a time."""

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from irops.analysis.invocation import Invocation
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import LayerNode
from irops.debugging.compare.tolerances import Tolerances
from irops.ir.model import Layer, Model
from irops.spec.op import Op
from irops.values.element import Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.verdicts.question import DECLARED, Arithmetic


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


_CHANGING = re.compile(r"0x[0-9a-f]+|[0-9]+|'[^']*'|\"[^\"]*\"")
"""The parts of a message that may change in a smaller model: numbers, and names in quotes."""


def symptom_of(reason: str) -> str:
    """A reason for which a source fails, without what may be another in a part of the model."""
    return _CHANGING.sub("#", reason)


@dataclass(frozen=True, slots=True, eq=False)
class LayerCall:
    """One layer with the arrays to compute it from.

    model: that the layer is of, for the constants of its bodies; constant: the indices of inputs that follow
    from constants alone; types: the element types of the outputs; known: what the model itself says of the
    inputs, of whatever sizes a run is.
    """

    model: Model
    node: LayerNode
    op: Op
    invocation: Invocation
    inputs: tuple[Array | None, ...]
    constant: frozenset[int]
    types: tuple[ElementType, ...]
    known: tuple[Fact | None, ...] = ()

    @property
    def size(self) -> int:
        """The bytes of the inputs."""
        return sum(array.nbytes for array in self.inputs if array is not None)

    @property
    def fixed(self) -> frozenset[int]:
        """The indices of inputs that are the same in each run: constants, and axes and sizes that follow from
        the shapes of the model, which a runtime folds.
        """
        small = (
            index
            for index, (fact, array) in enumerate(zip(self.known, self.inputs))
            if fact is not None and is_small(array) and fact.value is not None
        )
        return self.constant.union(small)

    def shape(self, index: int, array: Array) -> Shape:
        """The shape of an input as the model has it, or where it has another one, that of the array."""
        fact = self.known[index] if index < len(self.known) else None
        static = Shape(array.shape)
        return fact.shape.unnamed() if fact is not None and fact.shape.contains(static) else static


SMALL = 64
"""Up to this many integers may be axes, sizes or counts."""


def is_small(array: Array | None) -> bool:
    """Whether an input may be axes, sizes or counts."""
    return array is not None and array.dtype.kind in "iu" and array.ndim < 2 and array.size <= SMALL


@dataclass(frozen=True, slots=True)
class LayerValue:
    """The outputs of one layer of the model's outermost graph; None for an output that the source lacks.

    failure: why there are none, or why they are those of the reference, which computes what the source
    declines; inputs: what the layer was computed from, of sources that know it.
    """

    layer: int
    outputs: tuple[Array | None, ...]
    failure: Failure | None = None
    inputs: tuple[Array | None, ...] = ()


Answer: TypeAlias = list[Array] | Failure
"""The outputs of one layer, or why there are none."""
Values: TypeAlias = dict[str, Array]
"""Results of a model by name."""
Inputs: TypeAlias = Mapping[int, Array]
"""Values of the model's inputs by layer id."""


@dataclass(slots=True)
class Context:
    """A model and the inputs that a comparison is about. taps: layers that are wanted, None for all;
    tolerances: in place of error bounds.
    """

    analysis: ModelAnalysis
    inputs: Inputs
    taps: Collection[int] | None = None
    tolerances: Tolerances = field(default_factory=Tolerances)

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
    is_matched = False
    """Whether its layers are those of another model, of which it is not certain which is which."""
    by_value = 0
    """How many of its layers were found by their values."""
    ends_caller = False
    """Whether it computes in this process, and a crash of it ends both."""
    is_cpu_plugin = False
    """Whether OpenVINO's CPU plug-in computes, of which the definitions tell."""
    is_whole = False
    """Whether it optimises a model as a whole, so that values within are not those of a plain run."""

    @abstractmethod
    def walk(self, context: Context) -> Iterator[LayerValue]:
        """The values of layers in an order in which they can be computed, each once.

        Raises:  EvaluationError, SourceFailed
        """

    @abstractmethod
    def results(self, context: Context) -> Values | Failure:
        """The results of the whole model, as the source computes it when nobody looks inside, by the names
        that its signature gives them: those of their tensors.

        Those that it lacks are left out; results that the model lacks may be there, too.
        """

    def gives_all(self, context: Context) -> bool:  # noqa: ARG002 - as for cause
        """Whether it has the values of all layers, so that each can be computed again from its own."""
        return True

    def draws(self, context: Context, numbers: Inputs) -> Inputs:  # noqa: ARG002 - as for cause
        """The numbers that random layers give, by layer id, in a run that it can be compared in: those of
        another source that it takes, or those that it has drawn itself.
        """
        return numbers

    def cause(self, context: Context, layer: int) -> str:  # noqa: ARG002 - another model knows more
        """Why a layer may differ, in words: what another model has there."""
        return ""

    def with_property(self, name: str, value: str) -> "Source | None":  # noqa: ARG002 - as for cause
        """The same device with a property set; None where it is, or there are none."""
        return None

    def other_definition(self, context: Context, layer: int) -> str:  # noqa: ARG002 - as for cause
        """The other attributes and weights by which another model computes a layer, but for rounding."""
        return ""

    def without_partner(self, context: Context) -> tuple[list[Layer], list[Layer]]:  # noqa: ARG002 - as for cause
        """The layers that only the compared model has, and those of another one alone, constants apart."""
        return [], []

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
        super().__init__(str(failure))
        self.failure = failure
