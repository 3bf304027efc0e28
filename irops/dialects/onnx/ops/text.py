"""Ops on strings, and the counts of n-grams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from irops.files.extras import require_libraries
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim
from irops.values.element import STRING, Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import Violation, require


@kernel("onnx:StringConcat-20")
def string_concat(X: Array, Y: Array) -> Array:
    return np.asarray(X + Y, dtype=object)


# StringSplit: the parts of each string, filled up with empty strings.


@shape("onnx:StringSplit-20")
def string_split_shape(X: Fact) -> tuple[Shape, Shape]:
    return X.shape + Shape.of(ANY), X.shape


@kernel("onnx:StringSplit-20")
def string_split(X: Array, *, delimiter: str | None, maxsplit: int | None) -> tuple[Array, Array]:
    most = -1 if maxsplit is None else max(maxsplit, -1)
    parts = [text.split(delimiter or None, most) for text in X.ravel().tolist()]
    counts = np.array([len(some) for some in parts], np.int64)
    table = np.full((len(parts), max(counts, default=0)), "", dtype=object)
    for row, some in zip(table, parts):
        row[: len(some)] = some
    return table.reshape(*X.shape, table.shape[1]), counts.reshape(X.shape)


# StringNormalizer: strings in one case, without stop words.


@shape("onnx:StringNormalizer-10")
def string_normalizer_shape(X: Fact, *, stopwords: tuple[str, ...] | None) -> Shape:
    if X.shape.rank is None:
        return UNRANKED
    require(X.shape.rank == 1 or X.shape[0].can_be(1), "C1", X)
    count = X.shape[-1].at_least(1)
    rows = Shape.of(1) if X.shape.rank == 2 else Shape.of()
    return rows + Shape.of(Dim(1, count.high) if stopwords else count)


@kernel("onnx:StringNormalizer-10")
def string_normalizer(
    X: Array,
    *,
    case_change_action: str,
    is_case_sensitive: bool,
    locale: str | None,
    stopwords: tuple[str, ...] | None,
) -> Array:
    to_compare = "NONE" if is_case_sensitive else case_change_action
    if to_compare == "NONE" and not is_case_sensitive:
        to_compare = "LOWER"
    stops = {in_case(word, to_compare, locale) for word in stopwords or ()}
    kept = [text for text in X.ravel().tolist() if in_case(text, to_compare, locale) not in stops]
    result = np.array([in_case(text, case_change_action, locale) for text in kept] or [""], dtype=object)
    return result if X.ndim == 1 else result[np.newaxis]


def in_case(text: str, action: str, locale: str | None) -> str:
    """The text in upper or lower case, letter by letter: a letter whose counterpart is several stays."""
    if action == "NONE":
        return text
    turkic = (locale or "").lower().startswith(("tr", "az"))
    special = {"i": "\u0130"} if action == "UPPER" else {"I": "\u0131", "\u0130": "i"}
    letters = []
    for letter in text:
        changed = letter.upper() if action == "UPPER" else letter.lower()
        changed = special.get(letter, changed) if turkic else changed
        letters.append(changed if len(changed) == 1 else letter)
    return "".join(letters)


# RegexFullMatch: by RE2, whose time is linear in the text. pyarrow has it.


@shape("onnx:RegexFullMatch-20")
def regex_full_match_shape(X: Fact, *, pattern: str | None) -> Shape:
    require(pattern is not None, "C1")
    return X.shape


@kernel("onnx:RegexFullMatch-20")
def regex_full_match(X: Array, *, pattern: str | None) -> Array:
    require_libraries("text", "pyarrow", purpose="RegexFullMatch needs RE2")
    import pyarrow
    from pyarrow import compute

    texts = pyarrow.array(X.ravel().tolist(), pyarrow.string())
    try:
        matched = compute.match_substring_regex(texts, rf"\A(?:{pattern})\z")
    except pyarrow.ArrowInvalid:
        raise Violation("C2", f"got {pattern!r}") from None
    return np.array(matched.to_pylist(), bool).reshape(X.shape)


# TfIdfVectorizer: how often each n-gram of a pool occurs.


@shape("onnx:TfIdfVectorizer-9")
def tf_idf_vectorizer_shape(
    X: Fact,
    *,
    max_gram_length: int,
    min_gram_length: int,
    ngram_counts: tuple[int, ...],
    ngram_indexes: tuple[int, ...],
    pool_int64s: tuple[int, ...] | None,
    pool_strings: tuple[str, ...] | None,
    weights: tuple[float, ...] | None,
) -> Shape:
    require(bool(pool_int64s) != bool(pool_strings), "C1", pool_int64s, pool_strings)
    kind = X.element_type
    require(kind.name == "dynamic" or (kind is STRING) == bool(pool_strings), "C2", X)
    pool = pool_strings or pool_int64s or ()
    bounds = (*ngram_counts, len(pool))
    sizes = [after - before for before, after in pairwise(bounds)]
    require(min(bounds) >= 0 and all(size >= 0 for size in sizes), "C3", ngram_counts)
    require(all(size % length == 0 for length, size in enumerate(sizes, 1)), "C3", ngram_counts)
    count = sum(size // length for length, size in enumerate(sizes, 1))
    require(len(ngram_indexes) == count and min(ngram_indexes, default=0) >= 0, "C4", ngram_indexes)
    require(not weights or len(weights) == count, "C5", weights)
    require(1 <= min_gram_length <= max_gram_length <= len(ngram_counts), "C6", max_gram_length)
    columns = Shape.of(max(ngram_indexes, default=-1) + 1)
    if X.shape.rank is None:
        return UNRANKED
    return X.shape[:1] + columns if X.shape.rank == 2 else columns


@kernel("onnx:TfIdfVectorizer-9")
def tf_idf_vectorizer(
    X: Array,
    *,
    max_gram_length: int,
    max_skip_count: int,
    min_gram_length: int,
    mode: str,
    ngram_counts: tuple[int, ...],
    ngram_indexes: tuple[int, ...],
    pool_int64s: tuple[int, ...] | None,
    pool_strings: tuple[str, ...] | None,
    weights: tuple[float, ...] | None,
) -> Array:
    places = {
        gram: place for place, gram in enumerate(_grams(pool_strings or pool_int64s or (), ngram_counts))
    }
    rows = X if X.ndim == 2 else X.reshape(1, -1)
    result = np.zeros((len(rows), max(ngram_indexes, default=-1) + 1), np.float32)
    for items, sums in zip((rows if rows.dtype == object else as_i64(rows)).tolist(), result):
        for gram in _occurrences(items, min_gram_length, max_gram_length, max_skip_count):
            place = places.get(gram)
            if place is not None:
                weight = weights[place] if weights and mode != "TF" else 1
                column = ngram_indexes[place]
                sums[column] = weight if mode == "IDF" else sums[column] + weight
    return result if X.ndim == 2 else result[0]


def _grams(pool: Sequence[Any], starts: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """The n-grams of the pool; those of length n begin at starts[n - 1]."""
    for length, (start, stop) in enumerate(pairwise((*starts, len(pool))), 1):
        for at in range(start, stop, length):
            yield tuple(pool[at : at + length])


def _occurrences(items: Sequence[Any], shortest: int, longest: int, skips: int) -> Iterator[tuple[Any, ...]]:
    """The n-grams of a sequence, also those that leave out up to `skips` items between any two of theirs."""
    for length in range(shortest, min(longest, len(items)) + 1):
        farthest = 1 if length == 1 else min(skips + 1, (len(items) - 1) // (length - 1))
        for step in range(1, farthest + 1):
            reach = step * (length - 1) + 1
            for first in range(len(items) - reach + 1):
                yield tuple(items[first : first + reach : step])
