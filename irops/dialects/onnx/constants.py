"""Values of Constant nodes, and sparse tensors, which become dense."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from irops.dialects.onnx.external import ExternalFiles
from irops.dialects.onnx.tensors import Constant, TensorFault, constant_of
from irops.dialects.onnx.weights import content_of
from irops.values.element import Array, tagged, zeros
from irops.values.packing import unpack

DENSE_BYTES = 1 << 30
"""How large a sparse tensor may become."""


def node_constant(node: Any, files: ExternalFiles) -> Constant:
    """The value of a node Constant.

    Raises:  TensorFault
    """
    named = [attribute for attribute in node.attribute if attribute.name in VALUES]
    if len(named) != 1:
        given = ", ".join(attribute.name for attribute in named) or "no value at all"
        raise TensorFault(
            "constant-without-value",
            f"has {given}, must have exactly one of {', '.join(VALUES)}",
        )
    attribute = named[0]
    if attribute.name == "value":
        return constant_of(attribute.t, files)
    if attribute.name == "sparse_value":
        return sparse_constant(attribute.sparse_tensor, files)
    return Constant.of(_PLAIN[attribute.name](attribute))


def _texts(values: list[bytes]) -> Array:
    array = np.empty(len(values), object)
    try:
        array[:] = [value.decode() for value in values]
    except UnicodeDecodeError:
        raise TensorFault("malformed-tensor", "holds a string that is not UTF-8") from None
    return array


_PLAIN: dict[str, Callable[[Any], Array]] = {
    "value_float": lambda a: np.array(a.f, np.float32),
    "value_floats": lambda a: np.array(a.floats, np.float32),
    "value_int": lambda a: np.array(a.i, np.int64),
    "value_ints": lambda a: np.array(a.ints, np.int64),
    "value_string": lambda a: _texts([a.s]).reshape(()),
    "value_strings": lambda a: _texts(list(a.strings)),
}
"""The attributes that are numbers and strings themselves."""
VALUES = ("value", "sparse_value", *_PLAIN)
"""The attributes of a Constant."""


def sparse_constant(sparse: Any, files: ExternalFiles) -> Constant:
    """A SparseTensorProto, dense.

    Raises:  TensorFault
    """
    values, places = (constant_of(tensor, files) for tensor in (sparse.values, sparse.indices))
    shape = tuple(sparse.dims)
    if any(size < 0 for size in shape):
        raise TensorFault("malformed-tensor", f"has the dims {list(shape)}, must be 0 or more")
    if prod(shape) * max(values.element.dtype.itemsize, 1) > DENSE_BYTES:
        raise TensorFault(
            "unsupported-onnx-type",
            f"is sparse, and has too many elements when made dense: {prod(shape)}",
        )
    if places.element.name != "i64" or len(values.shape) != 1:
        raise TensorFault(
            "malformed-tensor",
            f"is sparse, with indices of {places.element} for values of rank {len(values.shape)}; "
            "must be of i64 for values of rank 1",
        )
    dense = zeros(shape, values.element)
    flat = _flat(unpack(content_of(places.data), places.element, places.shape), values.shape[0], shape)
    dense.reshape(-1)[flat] = unpack(content_of(values.data), values.element, values.shape)
    return Constant.of(tagged(dense, values.element))


def _flat(places: Array, count: int, shape: tuple[int, ...]) -> Array:
    """Where each value goes, counted in the dense tensor: indices are such places already, or rows of one
    index per axis.
    """
    if places.shape == (count, len(shape)):
        if ((places < 0) | (places >= np.array(shape, np.int64))).any():
            raise TensorFault(
                "malformed-tensor", f"is sparse, with indices outside of its dims {list(shape)}"
            )
        return np.ravel_multi_index(tuple(places.T), shape) if shape else np.zeros(count, np.int64)
    if places.shape == (count,) and ((places >= 0) & (places < prod(shape))).all():
        return places
    raise TensorFault(
        "malformed-tensor",
        f"is sparse, with {count} values and indices of shape {list(places.shape)} for dims {list(shape)}",
    )
