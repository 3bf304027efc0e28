"""Encoders of features and labels: tables, scales, categories, and maps from and to tensors."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np

from irops.spec.binding import kernel, shape
from irops.spec.domains import TensorValue
from irops.values.dim import ANY, Dim, unify
from irops.values.element import STRING, Array, ElementType, element_type, element_type_of
from irops.values.fact import Fact, MapFact, SequenceFact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require

F32, I64 = element_type("f32"), element_type("i64")
Floats = tuple[float, ...]
Ints = tuple[int, ...]
Strings = tuple[str, ...]


# Scales and thresholds.


@kernel("onnx_ml:Binarizer-1")
def binarizer(X: Array, *, threshold: float) -> Array:
    return np.asarray(np.float32(threshold) < X).astype(X.dtype)


@shape("onnx_ml:Scaler-1")
def scaler_shape(X: Fact, *, offset: Floats | None, scale: Floats | None) -> Shape:
    for numbers in (offset, scale):
        fits = len(numbers or ()) == 1 or X.shape[-1].can_be(len(numbers or ()))
        require(numbers is not None and fits, "C1", f"{len(numbers or ())} numbers", X)
    return X.shape


@kernel("onnx_ml:Scaler-1")
def scaler(X: Array, *, offset: Floats | None, scale: Floats | None) -> Array:
    shifted = X.astype(np.float32) - np.array(offset, np.float32)
    return np.asarray(shifted * np.array(scale, np.float32), np.float32)


@kernel("onnx_ml:Normalizer-1")
def normalizer(X: Array, *, norm: str) -> Array:
    """Rows whose norm is 0 stay as they are."""
    data = X.astype(np.float32)
    if norm == "MAX":
        size = data.max(-1, keepdims=True, initial=-np.inf)
    elif norm == "L1":
        size = np.abs(data).sum(-1, keepdims=True)
    else:
        size = np.sqrt(np.square(data).sum(-1, keepdims=True))
    return np.asarray(data / np.where(size == 0, 1, size), np.float32)


@shape("onnx_ml:Imputer-1")
def imputer_shape(
    X: Fact, *, imputed_value_floats: Floats | None, imputed_value_int64s: Ints | None
) -> Shape:
    of_integers = X.element_type.integral
    values = imputed_value_int64s if of_integers else imputed_value_floats
    require(values or X.element_type.kind == "dynamic", "C1", X)
    count = len(values or ())
    require(count < 2 or X.shape[-1].can_be(count), "C2", f"{count} values", X)
    return X.shape


@kernel("onnx_ml:Imputer-1")
def imputer(
    X: Array,
    *,
    imputed_value_floats: Floats | None,
    imputed_value_int64s: Ints | None,
    replaced_value_float: float,
    replaced_value_int64: int,
) -> Array:
    if X.dtype.kind == "i":
        integers = np.array(imputed_value_int64s, X.dtype)
        return np.asarray(np.where(np.equal(X, replaced_value_int64), integers, X), X.dtype)
    wanted = np.float32(replaced_value_float)
    replaced = np.isnan(X) if np.isnan(wanted) else np.equal(X, wanted)
    return np.asarray(np.where(replaced, np.array(imputed_value_floats, np.float32), X), X.dtype)


# Columns.


@shape("onnx_ml:ArrayFeatureExtractor-1")
def array_feature_extractor_shape(X: Fact, Y: Fact) -> Shape:
    count = Y.shape.size
    require(count >= 1, "C1", Y)
    if X.shape.rank is None:
        return UNRANKED
    for place in Y.dims or ():
        require(place >= 0, "C2", place)
    return Shape.of(1, count) if X.shape.rank == 1 else X.shape.with_dim(-1, count)


@kernel("onnx_ml:ArrayFeatureExtractor-1")
def array_feature_extractor(X: Array, Y: Array) -> Array:
    places = Y.ravel()
    require(((places >= 0) & (places < X.shape[-1])).all(), "C2", places.tolist(), X.shape)
    selected = X[..., places]
    return selected[np.newaxis] if X.ndim == 1 else selected


@shape("onnx_ml:FeatureVectorizer-1")
def feature_vectorizer_shape(*X: Fact, inputdimensions: Ints | None) -> Shape:
    rows, width = ANY, Dim.of(0)
    require(len(inputdimensions or ()) == len(X), "C1", len(inputdimensions or ()), len(X))
    for place, (fact, size) in enumerate(zip(X, inputdimensions or ())):
        first = fact.shape[0] if fact.shape.rank != 1 else Dim.of(1)
        rows = first if place == 0 else unify(rows, first, "C2")
        width = width + size
    return Shape.of(rows, width)


@kernel("onnx_ml:FeatureVectorizer-1")
def feature_vectorizer(*X: Array, inputdimensions: Ints | None) -> Array:
    """Of each input the given number of columns: those that are missing are 0, those beyond are left out."""
    parts = []
    for item, size in zip(X, inputdimensions or ()):
        rows = item.reshape(1 if item.ndim == 1 else len(item), -1).astype(np.float32)[:, :size]
        parts.append(np.pad(rows, ((0, 0), (0, size - rows.shape[1]))))
    return np.concatenate(parts, 1)


# Categories.


@shape("onnx_ml:OneHotEncoder-1")
def one_hot_encoder_shape(X: Fact, *, cats_int64s: Ints | None, cats_strings: Strings | None) -> Shape:
    require(bool(cats_int64s) != bool(cats_strings), "C1")
    of_strings = X.element_type is STRING
    require(X.element_type.kind == "dynamic" or of_strings == bool(cats_strings), "C2", X)
    return X.shape + Shape.of(len(cats_int64s or cats_strings or ()))


@kernel("onnx_ml:OneHotEncoder-1")
def one_hot_encoder(
    X: Array, *, cats_int64s: Ints | None, cats_strings: Strings | None, zeros: bool
) -> Array:
    data = X if X.dtype.kind == "O" else X.astype(np.int64)
    categories = (
        np.array(cats_strings or (), object) if X.dtype.kind == "O" else np.array(cats_int64s, np.int64)
    )
    found = np.asarray(data[..., np.newaxis] == categories, bool)
    require(zeros or found.any(-1).all(), "C3", np.asarray(data)[~found.any(-1)].tolist()[:3])
    last = found.shape[-1] - 1 - np.argmax(found[..., ::-1], -1)
    return np.asarray(found & (np.arange(found.shape[-1]) == last[..., np.newaxis]), np.float32)


@shape("onnx_ml:CategoryMapper-1")
def category_mapper_shape(X: Fact, *, cats_int64s: Ints | None, cats_strings: Strings | None) -> Fact:
    require(len(cats_int64s or ()) == len(cats_strings or ()) > 0, "C1")
    return Fact(_other(X), X.shape)


def _other(X: Fact) -> ElementType:
    """Strings for integers, and integers for strings."""
    if X.element_type.kind == "dynamic":
        return X.element_type
    return I64 if X.element_type is STRING else STRING


@kernel("onnx_ml:CategoryMapper-1")
def category_mapper(
    X: Array,
    *,
    cats_int64s: Ints | None,
    cats_strings: Strings | None,
    default_int64: int,
    default_string: str,
) -> Array:
    of_strings = X.dtype.kind == "O"
    keys, values = (cats_strings, cats_int64s) if of_strings else (cats_int64s, cats_strings)
    default: Any = default_int64 if of_strings else default_string
    return _looked_up(X, keys or (), values or (), default, np.int64 if of_strings else object)


def _looked_up(X: Array, keys: Sequence[Any], values: Sequence[Any], default: Any, kind: Any) -> Array:
    """The value of the key that each element is; a key that occurs twice has the value of its first place."""
    table: dict[Any, Any] = {}
    for key, value in zip(keys, values):
        table.setdefault(_key(key), value)
    result = np.empty(X.size, kind)
    result[:] = [table.get(_key(item), default) for item in X.ravel().tolist()]
    return result.reshape(X.shape)


def _key(item: Any) -> Any:
    """An item such that NaN is equal to itself."""
    return "nan" if isinstance(item, float) and isnan(item) else (item, isinstance(item, str))


@shape("onnx_ml:LabelEncoder-1")
def label_encoder_1_shape(X: Fact) -> Fact:
    return Fact(_other(X), X.shape)


@kernel("onnx_ml:LabelEncoder-1")
def label_encoder_1(
    X: Array, *, classes_strings: Strings | None, default_int64: int, default_string: str
) -> Array:
    names = classes_strings or ()
    if X.dtype.kind == "O":
        return _looked_up(X, names, range(len(names)), default_int64, np.int64)
    return _looked_up(X, range(len(names)), names, default_string, object)


KINDS = ("floats", "int64s", "strings", "tensor")
_DTYPES: dict[str, Any] = {"floats": np.float32, "int64s": np.int64, "strings": object}


def _table(part: str, given: dict[str, Any]) -> Array | None:
    """The keys or the values of a LabelEncoder, whichever attribute has them; None where none has."""
    for kind in KINDS:
        numbers = given.get(f"{part}_{kind}")
        if numbers is not None:
            if isinstance(numbers, TensorValue):
                return numbers.array.ravel()
            return np.array(numbers, _DTYPES[kind])
    return None


@shape("onnx_ml:LabelEncoder-2")
def label_encoder_shape(X: Fact, **given: Any) -> Fact:
    for part in ("keys", "values"):
        count = sum(given.get(f"{part}_{kind}") is not None for kind in KINDS)
        require(count == 1, "C1", f"{count} attributes of {part}")
    keys, values = _table("keys", given), _table("values", given)
    assert keys is not None
    assert values is not None
    require(len(keys) == len(values), "C2", len(keys), len(values))
    kind = element_type_of(keys)
    require(X.element_type.kind == "dynamic" or X.element_type is kind, "C3", X, kind)
    return Fact(element_type_of(values), X.shape)


@kernel("onnx_ml:LabelEncoder-2")
def label_encoder(X: Array, **given: Any) -> Array:
    keys, values = _table("keys", given), _table("values", given)
    assert keys is not None
    assert values is not None
    stated, kind = given.get("default_tensor"), element_type_of(values)
    if stated is not None:
        default = stated.array.ravel()[0]
    elif kind is STRING:
        default = given["default_string"]
    else:
        default = given["default_float"] if kind.floating else given["default_int64"]
        default = 0 if kind.name not in ("f32", "i64") else default
    return _looked_up(X, keys.tolist(), values.tolist(), default, values.dtype)


# Maps: at run time dicts.


@shape("onnx_ml:ZipMap-1")
def zip_map_shape(
    X: Fact, *, classlabels_int64s: Ints | None, classlabels_strings: Strings | None
) -> SequenceFact:
    require(bool(classlabels_int64s) != bool(classlabels_strings), "C1")
    labels = classlabels_int64s or classlabels_strings or ()
    width = X.shape[-1]
    require(width.can_be(len(labels)), "C2", X, f"{len(labels)} labels")
    rows = Dim.of(1) if X.shape.rank == 1 else X.shape[0]
    key = STRING if classlabels_strings else I64
    return SequenceFact(MapFact(key, Fact(F32, Shape.of())), rows)


@kernel("onnx_ml:ZipMap-1")
def zip_map(
    X: Array, *, classlabels_int64s: Ints | None, classlabels_strings: Strings | None
) -> list[dict[Any, Any]]:
    labels: Sequence[Any] = classlabels_int64s or classlabels_strings or ()
    require(X.shape[-1] == len(labels), "C2", X.shape, f"{len(labels)} labels")
    return [dict(zip(labels, row.tolist())) for row in X.reshape(-1, len(labels))]


@shape("onnx_ml:DictVectorizer-1")
def dict_vectorizer_shape(
    X: Fact, *, int64_vocabulary: Ints | None, string_vocabulary: Strings | None
) -> Fact:
    require(bool(int64_vocabulary) != bool(string_vocabulary), "C1")
    kind = X.content.element_type if isinstance(X, MapFact) else Fact().element_type
    return Fact(kind, Shape.of(1, len(int64_vocabulary or string_vocabulary or ())))


@kernel("onnx_ml:DictVectorizer-1")
def dict_vectorizer(
    X: dict[Any, Any], *, int64_vocabulary: Ints | None, string_vocabulary: Strings | None
) -> Array:
    """The value of each word of the vocabulary; 0, or an empty string, where the map has none."""
    words: Sequence[Any] = int64_vocabulary or string_vocabulary or ()
    first = next(iter(X.values()), np.float32(0))
    kind = np.asarray(first).dtype
    if isinstance(first, str) or kind.kind in "OU":
        row = np.empty((1, len(words)), object)
        row[0] = [str(X.get(word, "")) for word in words]
        return row
    plain = np.dtype(np.float32) if type(first) is float else kind
    return np.array([[X.get(word, 0) for word in words]], plain)


CASTS = {"TO_FLOAT": F32, "TO_INT64": I64, "TO_STRING": STRING}


@shape("onnx_ml:CastMap-1")
def cast_map_shape(X: Fact, *, cast_to: str, map_form: str, max_map: int) -> Fact:
    del X
    require(map_form == "DENSE" or max_map > 0, "C1", max_map)
    length = max_map if map_form == "SPARSE" else None
    return Fact(CASTS[cast_to], Shape.of(1, ANY if length is None else length))


@kernel("onnx_ml:CastMap-1")
def cast_map(X: dict[Any, Any], *, cast_to: str, map_form: str, max_map: int) -> Array:
    """The values in the order of their keys; of a sparse map at the places that the keys name."""
    kind = CASTS[cast_to]
    empty: Any = "" if kind is STRING else 0
    places = sorted(X)
    if map_form == "SPARSE":
        row = [empty] * max_map
        for place in places:
            if not 0 <= place < max_map:
                raise ValueError(f"the key {place} of a sparse map is not in [0, {max_map})")
            row[place] = _cast(X[place], kind)
    else:
        row = [_cast(X[place], kind) for place in places]
    result = np.empty((1, len(row)), kind.dtype)
    result[0] = row
    return result


def _cast(value: Any, kind: ElementType) -> Any:
    plain = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
    if kind is STRING:
        return plain if isinstance(plain, str) else f"{np.float32(plain):f}"
    return np.float32(plain) if kind is F32 else int(float(plain))
