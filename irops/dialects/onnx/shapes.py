"""What a model declares of tensors: element types, and shapes whose sizes may bear names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from irops.dialects.onnx.types import element_of
from irops.ir.unique import UniqueNames
from irops.values.element import ElementType

MAX_LENGTH = 100
"""Of the name of a size, which every shape with this size repeats."""
_OTHER = re.compile(r"\W", re.ASCII)
UNKNOWN = ("", "?", "*", "unk", "None")
"""Names that exporters give to sizes of which they know nothing, the same to many."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What a ValueInfoProto says. shape: as a text of irops, ... for any rank; dims: sizes, -1 for one that
    is not known; negative: a size below 0, if it has one.
    """

    element: ElementType | None
    shape: str
    dims: tuple[int, ...]
    fault: str | None = None
    negative: int | None = None


class SizeNames:
    """The names of sizes of one model, as identifiers."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._used_names = UniqueNames(mark="_")

    def spelled(self, name: str) -> str:
        if name in UNKNOWN or name.startswith("unk__"):
            return "?"
        found = self._known.get(name)
        if found is None:
            plain = _OTHER.sub("_", name[:MAX_LENGTH])
            found = plain if plain.isidentifier() else f"_{plain}"
            found = self._known[name] = self._used_names.unique(found)
        return found


def declared(info: Any, names: SizeNames) -> Declared:
    """What is declared of a tensor; fault: why it is none that irops has."""
    kind = info.type.WhichOneof("value")
    if kind is None:
        return Declared(None, "...", ())
    if kind != "tensor_type":
        return Declared(
            None,
            "...",
            (),
            f"is of the kind {kind.removesuffix('_type').replace('_', ' ')}, must be a tensor",
        )
    tensor = info.type.tensor_type
    element = element_of(tensor.elem_type) if tensor.elem_type else None
    fault = (
        f"has the data type {tensor.elem_type}, which irops does not support"
        if element is None and tensor.elem_type
        else None
    )
    if not tensor.HasField("shape"):
        return Declared(element, "...", (), fault)
    texts = [_size(dim, names) for dim in tensor.shape.dim]
    dims = tuple(int(text) if text.isdigit() else -1 for text in texts)
    negative = next((dim.dim_value for dim in tensor.shape.dim if dim.dim_value < 0), None)
    return Declared(element, ",".join(texts), dims, fault, negative)


def _size(dim: Any, names: SizeNames) -> str:
    which = dim.WhichOneof("value")
    if which == "dim_value":
        return str(dim.dim_value) if dim.dim_value >= 0 else "?"
    return names.spelled(dim.dim_param) if which == "dim_param" else "?"
