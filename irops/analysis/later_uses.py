"""Uses of ops that releases refuse although they have the op: its validation was relaxed later."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from irops.ops.matrix.subscripts import ELLIPSIS, Labels, equation_of
from irops.values.dim import Dim
from irops.values.element import STRING
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import Violation


@dataclass(frozen=True, slots=True)
class Operands:
    """What a layer of an op has. inputs: what is known of them; data: its attributes"""

    inputs: Sequence[Fact | None]
    data: Mapping[str, str]

    def has(self, index: int) -> bool:
        """Whether an input is connected."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def input(self, index: int) -> Fact:
        """What is known of an input; an unknown Fact where it is not connected."""
        fact = self.inputs[index] if index < len(self.inputs) else None
        return fact or Fact()

    @property
    def subscripts(self) -> Iterator[tuple[Shape, Labels]]:
        """The shape of each input of an Einsum with its labels."""
        try:
            labels = equation_of(self.data.get("equation", "")).inputs
        except Violation:  # which inference reports
            return
        for index, of_input in enumerate(labels):
            yield self.input(index).shape, of_input


Test: TypeAlias = Callable[[Operands], str | None]


@dataclass(frozen=True, slots=True)
class Use:
    """A use of some ops. feature: its name in schemas/releases.xml; describe: what a layer has, as messages
    call it, or None where it is not such a use.
    """

    feature: str
    ops: tuple[str, ...]
    describe: Test


def later_uses(op: str, layer: Operands) -> Iterator[tuple[str, str]]:
    """The features that a layer of an op needs, and how messages call them."""
    for use in _USES.get(op, ()):
        what = use.describe(layer)
        if what is not None:
            yield use.feature, what


def _scalar_in_equation(layer: Operands) -> str | None:
    subscripts = layer.data.get("equation", "").partition("->")[0].split(",")
    return "has a scalar as its last input" if not subscripts[-1].strip() else None


def _ellipsis_of_unknown_rank(layer: Operands) -> str | None:
    for shape, labels in layer.subscripts:
        if shape.dims is None and ELLIPSIS in labels:
            return "has an ellipsis for an input of unknown rank"
    return None


def _label_of_sizes_1_and_n(layer: Operands) -> str | None:
    sizes: dict[str, list[Dim]] = {}
    for shape, labels in layer.subscripts:
        dims = shape.dims or ()
        before = labels.index(ELLIPSIS) if ELLIPSIS in labels else len(labels)
        after = len(labels) - before - 1
        labelled = [*zip(labels[:before], dims)]
        labelled += zip(labels[before + 1 :], dims[len(dims) - after :] if after > 0 else ())
        for label, size in labelled:
            if not all(size.can_be(other) for other in sizes.setdefault(label, [])):
                return f"has the label {label} for axes of different sizes"
            sizes[label].append(size)
    return None


def _boxes_of_unknown_length(layer: Operands) -> str | None:
    dims = layer.input(0).shape.dims
    unknown = dims is not None and len(dims) == 3 and not dims[2].known
    return "has boxes whose last dimension is not known to be 4" if unknown else None


def _unknown_number_of_pads(layer: Operands) -> str | None:
    begin, end = layer.input(1).shape, layer.input(2).shape
    if layer.input(0).shape.dims is None or begin.dims is None or (begin.static and end.static):
        return None
    return "has an unknown number of pads for data of known rank"


def _strings_without_pad_value(layer: Operands) -> str | None:
    if layer.input(0).element_type is not STRING or layer.has(3):
        return None
    return "pads strings without a pad_value"


def _size_of_output_roi(layer: Operands) -> str | None:
    names = layer.data.keys()
    if "output_roi" not in names or "output_size" in names or {"pooled_h", "pooled_w"} <= names:
        return None
    return "has output_roi in place of pooled_h and pooled_w"


def _squeezed_axis_of_other_size(layer: Operands) -> str | None:
    dims, axes = layer.input(0).shape.dims, layer.input(1).dims if layer.has(1) else None
    if dims is None or axes is None:
        return None
    for axis in (int(axis) for axis in axes if axis.known):
        if -len(dims) <= axis < len(dims) and not dims[axis].can_be(1):
            return f"squeezes axis {axis} of size {dims[axis]}"
    return None


_ALL = (
    Use("einsum-scalar-input", ("Einsum-7",), _scalar_in_equation),
    Use("einsum-ellipsis-of-unknown-rank", ("Einsum-7",), _ellipsis_of_unknown_rank),
    Use("einsum-label-of-sizes-1-and-n", ("Einsum-7",), _label_of_sizes_1_and_n),
    Use("boxes-of-unknown-length", ("MulticlassNms-8", "MulticlassNms-9"), _boxes_of_unknown_length),
    Use("unknown-number-of-pads", ("Pad-1", "Pad-12"), _unknown_number_of_pads),
    Use("strings-without-pad-value", ("Pad-1", "Pad-12"), _strings_without_pad_value),
    Use("size-of-output-roi", ("ROIPooling-2",), _size_of_output_roi),
    Use("squeezed-axis-of-other-size", ("Squeeze-1",), _squeezed_axis_of_other_size),
)
_USES: Mapping[str, tuple[Use, ...]] = {
    op: tuple(use for use in _ALL if op in use.ops) for op in {op for use in _ALL for op in use.ops}
}
