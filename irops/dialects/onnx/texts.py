"""Requires that the texts of a model are UTF-8: protobuf reads others as bytes, or fails when they are used.

To look at every text of a model takes as long as to read it. So the layers are looked at when they are built,
and the model only to find the text that is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from irops.diagnostics.printable import shortened
from irops.ir.faults import Faults
from irops.ir.model import Graph

_STRING, _MESSAGE = 9, 11
"""FieldDescriptor.TYPE_STRING and TYPE_MESSAGE"""


def are_texts(graph: Graph, others: Iterable[object]) -> bool:
    """Whether all names in layers that were built of a model, and others, are texts."""
    return all(isinstance(text, str) for text in others) and all(
        isinstance(layer.name, str)
        and isinstance(layer.type, str)
        and all(isinstance(name, str) for name in layer.data)
        and all(isinstance(text, str) for item in layer.extra.items() for text in item)
        and all(isinstance(name, str) for port in layer.outputs for name in port.names)
        for layer in graph.layers
    )


def require_texts(proto: Any, faults: Faults) -> None:
    """Raises: ReadError if a name or another text of the model is not UTF-8"""
    ahead = [proto]
    fields: dict[str, tuple[list[tuple[str, bool]], list[tuple[str, bool]]]] = {}
    while ahead:
        message = ahead.pop()
        descriptor = message.DESCRIPTOR
        found = fields.get(descriptor.full_name)
        if found is None:
            found = fields[descriptor.full_name] = _text_fields(descriptor), _message_fields(descriptor)
        texts, inner = found
        for name, many in texts:
            _require_text(message, name, many, faults)
        for name, many in inner:
            if many:
                ahead.extend(getattr(message, name))
            elif message.HasField(name):
                ahead.append(getattr(message, name))


def _require_text(message: Any, name: str, many: bool, faults: Faults) -> None:
    try:
        value = getattr(message, name)
        texts: Iterable[object] = value if many else (value,)
        wrong = next((text for text in texts if not isinstance(text, str)), None)
    except UnicodeDecodeError as error:
        wrong = error.object
    if isinstance(wrong, bytes):
        kind = message.DESCRIPTOR.name.removesuffix("Proto")
        shown = shortened(wrong[:200].decode("utf-8", "backslashreplace"))
        raise faults.stop("malformed-onnx", f"{name} {shown!r} of a {kind} is not UTF-8")


def _text_fields(descriptor: Any) -> list[tuple[str, bool]]:
    return [(field.name, _many(field)) for field in descriptor.fields if field.type == _STRING]


def _message_fields(descriptor: Any) -> list[tuple[str, bool]]:
    return [(field.name, _many(field)) for field in descriptor.fields if field.type == _MESSAGE]


def _many(field: Any) -> bool:
    repeated = getattr(field, "is_repeated", None)  # label is deprecated in newer versions of protobuf
    return bool(field.label == field.LABEL_REPEATED if repeated is None else repeated)
