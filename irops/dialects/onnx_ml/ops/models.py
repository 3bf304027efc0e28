"""Models that score features: linear ones, support vectors, ensembles of trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import pi, sqrt
from typing import Any, TypeAlias

import numpy as np

from irops.spec.binding import kernel, shape
from irops.spec.domains import TensorValue
from irops.values.dim import ANY, Dim
from irops.values.element import STRING, Array, element_type
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require, warn_unless

F32, I64 = element_type("f32"), element_type("i64")
Floats: TypeAlias = tuple[float, ...]
Ints: TypeAlias = tuple[int, ...]
Strings: TypeAlias = tuple[str, ...]

# What becomes of scores.

SMALL = 1e-7
"""The size up to which SOFTMAX_ZERO takes a score as 0."""
WINITZKI = np.float32(0.147)
"""The number of the formula by which ONNX Runtime approximates the inverse error function."""


def _logistic(scores: Array) -> Array:
    of_size = 1 / (1 + np.exp(-np.abs(scores)))
    return np.asarray(np.where(scores < 0, 1 - of_size, of_size), scores.dtype)


def _probit(scores: Array) -> Array:
    centred = 2 * scores - 1
    log = np.log((1 - centred) * (1 + centred))
    half = 2 / (np.float32(pi) * WINITZKI) + log / 2
    root = np.sqrt(np.sqrt(half * half - log / WINITZKI) - half)
    return np.asarray(np.float32(sqrt(2)) * np.where(centred < 0, -root, root), scores.dtype)


def _softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True), scores.dtype)


def _softmax_zero(scores: Array) -> Array:
    top = scores.max(-1, keepdims=True)
    is_zero = np.abs(scores) <= SMALL
    powers = np.where(is_zero, scores * np.exp(-top), np.exp(scores - top))
    total = np.where(is_zero, 0, powers).sum(-1, keepdims=True)
    return np.asarray(powers / np.where(total == 0, 1, total), scores.dtype)


TRANSFORMS: dict[str, Callable[[Array], Array]] = {
    "NONE": lambda scores: scores,
    "LOGISTIC": _logistic,
    "SOFTMAX": _softmax,
    "SOFTMAX_ZERO": _softmax_zero,
    "PROBIT": _probit,
}


def transformed(scores: Array, post_transform: str) -> Array:
    """Rows of scores after their transformation; one score in a row is changed by PROBIT alone."""
    if scores.shape[-1] == 1 and post_transform != "PROBIT":
        return scores
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        return TRANSFORMS[post_transform](scores)


def both_classes(scores: Array, post_transform: str, *, are_shares: bool) -> Array:
    """Two scores a row, from that of the second class. are_shares: a score is the share of that class"""
    if post_transform == "LOGISTIC":
        return _logistic(np.concatenate((-scores, scores), 1))
    both = np.concatenate((1 - scores if are_shares else -scores, scores), 1)
    return transformed(both, post_transform) if post_transform == "PROBIT" else both


def chosen(places: Array, ints: Ints | None, strings: Strings | None) -> Array:
    """The labels at places."""
    labels = np.array(strings, object) if strings else np.array(ints, np.int64)
    return np.asarray(labels[places])


def labels_kind(strings: Strings | None) -> Any:
    return STRING if strings else I64


def rows_of(X: Fact) -> Dim:
    """The number of rows of features; a vector is one row."""
    if X.shape.rank is None:
        return ANY
    return Dim.of(1) if X.shape.rank == 1 else X.shape[0]


def table_of(X: Array) -> Array:
    """Features as rows, in f32."""
    return (X.reshape(1, -1) if X.ndim == 1 else X.reshape(len(X), -1)).astype(np.float32)


# Linear models.


@shape("onnx_ml:LinearClassifier-1")
def linear_classifier_shape(
    X: Fact,
    *,
    coefficients: Floats,
    intercepts: Floats | None,
    classlabels_ints: Ints | None,
    classlabels_strings: Strings | None,
) -> tuple[Fact, Fact]:
    require(bool(classlabels_ints) != bool(classlabels_strings), "C1")
    labels = len(classlabels_ints or classlabels_strings or ())
    count = len(intercepts or ()) or labels
    width = X.shape[-1]
    needed = width * count
    require(needed <= len(coefficients), "C2", X, f"{count} classes, {len(coefficients)}")
    warn_unless(needed >= len(coefficients), "C3", f"{len(coefficients)} for {needed}")
    rows, both = rows_of(X), count == 1 and labels == 2
    return (
        Fact(labels_kind(classlabels_strings), Shape.of(rows)),
        Fact(F32, Shape.of(rows, 2 if both else count)),
    )


@kernel("onnx_ml:LinearClassifier-1")
def linear_classifier(
    X: Array,
    *,
    coefficients: Floats,
    intercepts: Floats | None,
    classlabels_ints: Ints | None,
    classlabels_strings: Strings | None,
    post_transform: str,
) -> tuple[Array, Array]:
    labels = len(classlabels_ints or classlabels_strings or ())
    count = len(intercepts or ()) or labels
    scores = _linear(X, coefficients, intercepts, count)
    if count > 1:
        places = scores.argmax(1)
        return chosen(places, classlabels_ints, classlabels_strings), transformed(scores, post_transform)
    places = (scores[:, 0] > 0).astype(np.int64)
    if labels == 2:
        scores = both_classes(scores, post_transform, are_shares=True)
        return chosen(places, classlabels_ints, classlabels_strings), scores
    names = chosen(places, (0, 1), ("0", "1") if classlabels_strings else None)
    return names, transformed(scores, post_transform)


def _linear(X: Array, coefficients: Floats, intercepts: Floats | None, count: int) -> Array:
    rows = table_of(X)
    weights = np.array(coefficients[: count * rows.shape[1]], np.float32).reshape(count, -1)
    products = rows @ weights.T
    return products + np.array(intercepts, np.float32) if intercepts else products


@shape("onnx_ml:LinearRegressor-1")
def linear_regressor_shape(
    X: Fact, *, coefficients: Floats | None, intercepts: Floats | None, targets: int
) -> Shape:
    require(not intercepts or len(intercepts) == targets, "C1", f"{len(intercepts or ())}, {targets}")
    count = len(coefficients or ())
    require((X.shape[-1] * targets).can_be(count), "C2", X, f"{targets} targets, {count} coefficients")
    return Shape.of(rows_of(X), targets)


@kernel("onnx_ml:LinearRegressor-1")
def linear_regressor(
    X: Array, *, coefficients: Floats | None, intercepts: Floats | None, targets: int, post_transform: str
) -> Array:
    return transformed(_linear(X, coefficients or (), intercepts, targets), post_transform)


# Support vectors.


def _kernel_of(kind: str, params: Floats | None) -> Callable[[Array, Array], Array]:
    """The products of rows of features and vectors in the space of a kernel."""
    gamma, offset, degree = (*(params or ()), 0.0, 0.0, 0.0)[:3]

    def product(rows: Array, vectors: Array) -> Array:
        if kind == "RBF":
            difference = rows[:, np.newaxis] - vectors
            return np.asarray(np.exp(-np.float32(gamma) * np.square(difference).sum(2)), np.float32)
        products = rows @ vectors.T
        if kind == "LINEAR":
            return products
        scaled = np.float32(gamma) * products + np.float32(offset)
        return np.asarray(np.power(scaled, np.float32(degree)) if kind == "POLY" else np.tanh(scaled))

    return product


@shape("onnx_ml:SVMRegressor-1")
def svm_regressor_shape(
    X: Fact,
    *,
    n_supports: int,
    support_vectors: Floats | None,
    coefficients: Floats | None,
    rho: Floats | None,
) -> Shape:
    require(coefficients and rho, "C1")
    count = len(support_vectors or ()) if n_supports else len(coefficients or ())
    require((X.shape[-1] * max(n_supports, 1)).can_be(count), "C2", X, count)
    return Shape.of(rows_of(X), 1)


@kernel("onnx_ml:SVMRegressor-1")
def svm_regressor(
    X: Array,
    *,
    coefficients: Floats | None,
    kernel_params: Floats | None,
    kernel_type: str,
    n_supports: int,
    one_class: bool,
    rho: Floats | None,
    support_vectors: Floats | None,
) -> Array:
    rows, weights = table_of(X), np.array(coefficients, np.float32)
    if n_supports:
        vectors = np.array(support_vectors, np.float32).reshape(n_supports, -1)
        scores = _kernel_of(kernel_type, kernel_params)(rows, vectors) @ weights
    else:
        scores = rows @ weights
    scores = (scores + np.float32((rho or (0.0,))[0]))[:, np.newaxis]
    return np.where(scores > 0, np.float32(1), np.float32(-1)) if one_class else scores


@shape("onnx_ml:SVMClassifier-1")
def svm_classifier_shape(
    X: Fact,
    *,
    classlabels_ints: Ints | None,
    classlabels_strings: Strings | None,
    coefficients: Floats | None,
    prob_a: Floats | None,
    rho: Floats | None,
    support_vectors: Floats | None,
    vectors_per_class: Ints | None,
) -> tuple[Fact, Fact]:
    require(bool(classlabels_ints) != bool(classlabels_strings), "C1")
    require(coefficients and rho, "C2")
    vectors = sum(vectors_per_class or ())
    labels = len(classlabels_ints or classlabels_strings or ())
    size = len(support_vectors or ()) if vectors else len(coefficients or ())
    require((X.shape[-1] * (vectors or labels)).can_be(size), "C3", X, size)
    classes = len(vectors_per_class or ()) if vectors else labels
    width = classes
    if vectors and not prob_a:
        width = 2 if classes == 2 else classes * (classes - 1) // 2
    rows = rows_of(X)
    return Fact(labels_kind(classlabels_strings), Shape.of(rows)), Fact(F32, Shape.of(rows, width))


@kernel("onnx_ml:SVMClassifier-1")
def svm_classifier(
    X: Array,
    *,
    classlabels_ints: Ints | None,
    classlabels_strings: Strings | None,
    coefficients: Floats | None,
    kernel_params: Floats | None,
    kernel_type: str,
    post_transform: str,
    prob_a: Floats | None,
    prob_b: Floats | None,
    rho: Floats | None,
    support_vectors: Floats | None,
    vectors_per_class: Ints | None,
) -> tuple[Array, Array]:
    rows = table_of(X)
    count = sum(vectors_per_class or ())
    if not count:
        labels = len(classlabels_ints or classlabels_strings or ())
        scores = rows @ np.array(coefficients, np.float32).reshape(labels, -1).T
        scores = scores + np.float32((rho or (0.0,))[0])
        places = scores.argmax(1)
        return chosen(places, classlabels_ints, classlabels_strings), transformed(scores, post_transform)
    vectors = np.array(support_vectors, np.float32).reshape(count, -1)
    products = _kernel_of(kernel_type, kernel_params)(rows, vectors)
    scores, votes = _duels(products, coefficients or (), rho or (), vectors_per_class or ())
    classes = len(vectors_per_class or ())
    if prob_a:
        scores = _probabilities(scores, prob_a, prob_b or (), classes)
        scores = transformed(scores, post_transform)
    elif classes == 2:
        scores = both_classes(scores, post_transform, are_shares=post_transform.startswith("SOFTMAX"))
    else:
        scores = transformed(scores, post_transform)
    return chosen(votes.argmax(1), classlabels_ints, classlabels_strings), scores


def _duels(products: Array, coefficients: Floats, rho: Floats, sizes: Ints) -> tuple[Array, Array]:
    """The scores of each pair of classes, and how many pairs each class wins."""
    weights = np.array(coefficients, np.float32).reshape(len(sizes) - 1, -1)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    scores: list[Array] = []
    votes = np.zeros((len(products), len(sizes)), np.int64)
    for first in range(len(sizes)):
        for second in range(first + 1, len(sizes)):
            ours, theirs = (slice(starts[one], starts[one + 1]) for one in (first, second))
            score = (
                products[:, ours] @ weights[second - 1, ours] + products[:, theirs] @ weights[first, theirs]
            )
            score = np.asarray(score + np.float32(rho[len(scores)]))
            scores.append(score)
            votes[:, first] += score > 0
            votes[:, second] += score <= 0
    return np.stack(scores, 1), votes


LOWEST = 1e-7
"""The least probability of a pair."""
ROUNDS = 100
"""How often the probabilities of classes are improved at most."""


def _probabilities(scores: Array, prob_a: Floats, prob_b: Floats, classes: int) -> Array:
    """The probabilities of classes that agree best with those of the pairs, row by row."""
    exponent = scores * np.array(prob_a, np.float32) + np.array(prob_b, np.float32)
    of_pairs = np.clip(_logistic(-exponent), LOWEST, 1 - LOWEST).astype(np.float64)
    table = np.zeros((len(scores), classes, classes))
    first, second = np.triu_indices(classes, 1)
    table[:, first, second], table[:, second, first] = of_pairs, 1 - of_pairs
    return np.asarray([_coupled(row) for row in table], np.float32).reshape(len(scores), classes)


def _coupled(pairs: Array) -> Array:
    """The probabilities of classes that minimize the sum of (pairs[j, i] p[i] - pairs[i, j] p[j])^2."""
    count = len(pairs)
    squares = -pairs.T * pairs
    np.fill_diagonal(squares, np.square(pairs).sum(0))
    shares = np.full(count, 1 / count)
    for _ in range(max(ROUNDS, count)):
        products = squares @ shares
        total = shares @ products
        if np.abs(products - total).max() < 0.005 / count:
            break
        for place in range(count):
            step = (total - products[place]) / squares[place, place]
            shares[place] += step
            total = (total + step * (step * squares[place, place] + 2 * products[place])) / (1 + step) ** 2
            products = (products + step * squares[place]) / (1 + step)
            shares = shares / (1 + step)
    return shares


# Ensembles of trees.

MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER")
COMPARISONS: tuple[Callable[[Array, Array], Any], ...] = (
    np.less_equal,
    np.less,
    np.greater_equal,
    np.greater,
    np.equal,
    np.not_equal,
)
LEAF = len(MODES)
Part: TypeAlias = tuple[Any, ...] | TensorValue | None


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """Trees whose nodes lie one behind the other. roots: of the trees; modes: by the place of the node in
    MODES, or LEAF; true, false: the nodes that follow; members: of nodes BRANCH_MEMBER; leaves: of each leaf
    the targets and the weights that it adds, in ends[node] to ends[node + 1].
    """

    roots: Array
    modes: Array
    features: Array
    values: Array
    true: Array
    false: Array
    tracks: Array
    members: dict[int, Array]
    ends: Array
    targets: Array
    weights: Array

    def leaves(self, X: Array) -> Array:
        """The leaf that each row reaches in each tree."""
        nodes = np.broadcast_to(self.roots, (len(X), len(self.roots))).copy()
        for _ in range(len(self.modes) + 1):
            rows, trees = np.nonzero(self.modes[nodes] != LEAF)
            if rows.size == 0:
                return nodes
            at = nodes[rows, trees]
            items = X[rows, self.features[at]]
            holds = self._holds(at, items)
            holds |= np.isnan(items) & self.tracks[at]
            nodes[rows, trees] = np.where(holds, self.true[at], self.false[at])
        require(False, "C4", "a circle")
        return nodes

    def _holds(self, at: Array, items: Array) -> Array:
        modes, holds = self.modes[at], np.zeros(len(at), bool)
        for mode, compare in enumerate(COMPARISONS):
            those = modes == mode
            if those.any():
                holds[those] = compare(items[those], self.values[at[those]])
        for place in np.flatnonzero(modes == len(COMPARISONS)):
            holds[place] = bool((self.members[int(at[place])] == items[place]).any())
        return holds

    def scores(self, X: Array, count: int, aggregate: str) -> tuple[Array, Array]:
        """The sums, the least or the greatest weights of targets, and whether any leaf gives a target one."""
        leaves = self.leaves(X)
        start = {"MIN": np.inf, "MAX": -np.inf}.get(aggregate, 0.0)
        combine = {"MIN": np.minimum, "MAX": np.maximum}.get(aggregate, np.add)
        scores = np.full((len(X), count), start, self.weights.dtype)
        given = np.zeros((len(X), count), bool)
        for tree in range(leaves.shape[1]):
            at = leaves[:, tree]
            sizes = self.ends[at + 1] - self.ends[at]
            rows = np.repeat(np.arange(len(X)), sizes)
            offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            entries = np.repeat(self.ends[at], sizes) + offsets
            combine.at(scores, (rows, self.targets[entries]), self.weights[entries])
            given[rows, self.targets[entries]] = True
        scores = np.where(given, scores, 0)
        return (scores / len(self.roots) if aggregate == "AVERAGE" else scores), given


def numbers(part: Part, kind: Any) -> Array:
    """The numbers of an attribute that is a list or a tensor."""
    return part.array.ravel() if isinstance(part, TensorValue) else np.array(part or (), kind)


def forest_of(nodes: tuple[Part, ...], leaves: tuple[Part, ...], kind: str) -> Forest:
    """The trees of attributes in which a node is named by the numbers of its tree and within it.

    nodes: treeids, nodeids, featureids, modes, values, truenodeids, falsenodeids, missing_value_tracks_true;
    leaves: treeids, nodeids, ids of targets, weights; kind: the type of values and weights
    Raises:  Violation(C3) for lists of other lengths, (C4) for a node that does not exist
    """
    trees, ids, features, true, false = (numbers(nodes[k], np.int64) for k in (0, 1, 2, 5, 6))
    modes = np.array([_mode(mode) for mode in _texts(nodes[3])], np.int64)
    values, count = numbers(nodes[4], np.float32).astype(kind), len(ids)
    tracks = numbers(nodes[7], np.int64).astype(bool)
    tracks = tracks if len(tracks) else np.zeros(count, bool)
    lengths = {len(part) for part in (trees, ids, features, true, false, modes, values, tracks)}
    require(len(lengths) == 1 and count, "C3", sorted(lengths))
    places = {(int(tree), int(node)): place for place, (tree, node) in enumerate(zip(trees, ids))}

    def at(of: Array, wanted: Array) -> Array:
        found = [places.get((int(tree), int(node)), -1) for tree, node in zip(of, wanted)]
        require(-1 not in found, "C4")
        return np.array(found, np.int64)

    is_leaf = modes == LEAF
    follow = np.zeros((2, count), np.int64)
    for side, ends in enumerate((true, false)):
        follow[side, ~is_leaf] = at(trees[~is_leaf], ends[~is_leaf])
    roots = [int(np.flatnonzero(trees == tree)[0]) for tree in dict.fromkeys(trees.tolist())]
    of_leaf = at(numbers(leaves[0], np.int64), numbers(leaves[1], np.int64))
    targets, weights = numbers(leaves[2], np.int64), numbers(leaves[3], np.float32).astype(kind)
    require(len(of_leaf) == len(targets) == len(weights), "C3", len(of_leaf), len(targets), len(weights))
    order = np.argsort(of_leaf, kind="stable")
    ends = np.searchsorted(of_leaf[order], np.arange(count + 1))
    return Forest(
        np.array(roots),
        modes,
        features,
        values,
        follow[0],
        follow[1],
        tracks,
        {},
        ends,
        targets[order],
        weights[order],
    )


def _texts(part: Part) -> Sequence[Any]:
    return part.elements if isinstance(part, TensorValue) else part or ()


def _mode(mode: str) -> int:
    require(mode in (*MODES[:-1], "LEAF"), "C5", mode)
    return LEAF if mode == "LEAF" else MODES.index(mode)


def _parts(given: dict[str, Any], leaf: str, kind: str) -> tuple[tuple[Part, ...], tuple[Part, ...], str]:
    """What forest_of makes trees of."""

    def part(name: str) -> Part:
        tensor: Part = given.get(f"{name}_as_tensor")
        return tensor if tensor is not None else given.get(name)

    names = ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")
    nodes = tuple(part(f"nodes_{name}") for name in (*names, "missing_value_tracks_true"))
    leaves = tuple(part(f"{leaf}_{name}") for name in ("treeids", "nodeids", "ids", "weights"))
    return nodes, leaves, kind


kept_forest = lru_cache(8)(forest_of)


def _kind(X: Array) -> str:
    return "float64" if X.dtype == np.float64 else "float32"


def _rows(X: Array) -> Array:
    rows = X.reshape(1, -1) if X.ndim == 1 else X
    return rows if rows.dtype.kind == "f" else rows.astype(np.float32)


def _base(given: dict[str, Any], kind: str) -> Array:
    tensor = given.get("base_values_as_tensor")
    return numbers(tensor if tensor is not None else given.get("base_values"), np.float32).astype(kind)


def _check_features(X: Fact, features: Ints | None) -> None:
    """Require that every feature is there. Raises: Violation(C6)"""
    if X.shape.rank and features:
        require(X.shape[-1] > max(features), "C6", X, max(features))


@shape("onnx_ml:TreeEnsembleRegressor-1")
def tree_ensemble_regressor_shape(X: Fact, *, n_targets: int | None, **given: Any) -> Shape:
    require(n_targets is not None and n_targets > 0, "C1", n_targets)
    forest_of(*_parts(given, "target", "float32"))
    _check_features(X, given.get("nodes_featureids"))
    base = len(_base(given, "float32"))
    require(base in (0, n_targets), "C2", base)
    return Shape.of(rows_of(X), n_targets or 1)


@kernel("onnx_ml:TreeEnsembleRegressor-1")
def tree_ensemble_regressor(
    X: Array, *, aggregate_function: str, n_targets: int | None, post_transform: str, **given: Any
) -> Array:
    kind = _kind(X)
    scores, _ = kept_forest(*_parts(given, "target", kind)).scores(
        _rows(X), n_targets or 1, aggregate_function
    )
    base = _base(given, kind)
    scores = scores + base if base.size else scores
    return transformed(scores, post_transform).astype(np.float32)


@shape("onnx_ml:TreeEnsembleClassifier-1")
def tree_ensemble_classifier_shape(
    X: Fact, *, classlabels_int64s: Ints | None, classlabels_strings: Strings | None, **given: Any
) -> tuple[Fact, Fact]:
    require(bool(classlabels_int64s) != bool(classlabels_strings), "C1")
    count = len(classlabels_int64s or classlabels_strings or ())
    forest_of(*_parts(given, "class", "float32"))
    _check_features(X, given.get("nodes_featureids"))
    base = len(_base(given, "float32"))
    require(base in (0, 1, count), "C2", base)
    rows = rows_of(X)
    return Fact(labels_kind(classlabels_strings), Shape.of(rows)), Fact(F32, Shape.of(rows, count))


@kernel("onnx_ml:TreeEnsembleClassifier-1")
def tree_ensemble_classifier(
    X: Array,
    *,
    classlabels_int64s: Ints | None,
    classlabels_strings: Strings | None,
    post_transform: str,
    **given: Any,
) -> tuple[Array, Array]:
    kind, count = _kind(X), len(classlabels_int64s or classlabels_strings or ())
    forest = kept_forest(*_parts(given, "class", kind))
    scores, given_any = forest.scores(_rows(X), count, "SUM")
    base = _base(given, kind)
    is_binary = count == 2 and len(set(forest.targets.tolist())) == 1
    if is_binary:
        are_shares, only = bool((forest.weights >= 0).all()), int(forest.targets[0])
        score = scores[:, only : only + 1]
        if base.size == 2 or only == 1:
            score = score if base.size < 2 else score * (1 - only) + base[only]
            both = np.zeros((len(score), 2), score.dtype)
            both[:, only] = score[:, 0]
            scores = transformed(both, post_transform)
        else:
            score = score + (base if base.size else 0)
            scores = both_classes(score, post_transform, are_shares=are_shares)
        places = (score[:, 0] > (0.5 if are_shares else 0)).astype(np.int64)
    else:
        scores = scores + base if base.size == count else scores
        ranked = np.where(given_any, scores, -np.inf) if base.size != count else scores
        places = ranked.argmax(1)
        scores = transformed(scores, post_transform)
    return chosen(places, classlabels_int64s, classlabels_strings), scores.astype(np.float32)


AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")
"""By their numbers in TreeEnsemble."""
NUMBERED = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
"""Transformations by their numbers in TreeEnsemble."""


def _numbered_forest(parts: tuple[tuple[str, Any], ...], kind: str) -> Forest:
    """The trees of a TreeEnsemble, whose inner nodes and leaves are counted apart.

    Raises:  Violation(C3) for lists of other lengths, (C4) for a node that does not exist
    """
    given = dict(parts)
    names = ("featureids", "truenodeids", "falsenodeids", "trueleafs", "falseleafs")
    features, true, false, is_true_leaf, is_false_leaf = (
        numbers(given[f"nodes_{name}"], np.int64) for name in names
    )
    modes, splits = numbers(given["nodes_modes"], np.int64), numbers(given["nodes_splits"], kind)
    targets, weights = numbers(given["leaf_targetids"], np.int64), numbers(given["leaf_weights"], kind)
    tracks = numbers(given["nodes_missing_value_tracks_true"], np.int64).astype(bool)
    inner, leaves = len(features), len(targets)
    tracks = tracks if len(tracks) else np.zeros(inner, bool)
    sides = ((true, is_true_leaf), (false, is_false_leaf))
    parts_of_nodes = (features, modes, splits, tracks, *(part for side in sides for part in side))
    require({len(part) for part in parts_of_nodes} == {inner} and len(weights) == leaves, "C3")
    require(((modes >= 0) & (modes < len(MODES))).all(), "C5", modes.tolist()[:5])
    roots = numbers(given["tree_roots"], np.int64)
    for places, is_leaf in sides:
        within = (places >= 0) & (places < np.where(is_leaf != 0, leaves, inner))
        require(within.all(), "C4")
    follow = [np.where(is_leaf != 0, inner + places, places) for places, is_leaf in sides]
    require(((roots >= 0) & (roots < inner)).all(), "C4")
    # a node whose two ends are one leaf stands for a tree that has this leaf alone
    rest = np.zeros(leaves, np.int64)
    return Forest(
        roots,
        np.concatenate((modes, np.full(leaves, LEAF))),
        np.concatenate((features, rest)),
        np.concatenate((splits, rest.astype(splits.dtype))),
        np.concatenate((follow[0], rest)),
        np.concatenate((follow[1], rest)),
        np.concatenate((tracks, rest.astype(bool))),
        _members(modes, given["membership_values"]),
        np.concatenate((np.zeros(inner, np.int64), np.arange(leaves + 1))),
        targets,
        weights,
    )


def _members(modes: Array, values: TensorValue | None) -> dict[int, Array]:
    """The members of each node BRANCH_MEMBER: the values up to the next NaN. Raises: Violation(C7)"""
    those = np.flatnonzero(modes == len(COMPARISONS))
    found = np.array([]) if values is None else values.array.ravel().astype(np.float64)
    ends = np.flatnonzero(np.isnan(found))
    require(len(ends) >= len(those), "C7", len(ends), len(those))
    starts = np.concatenate(([0], ends + 1))
    return {int(node): found[start:end] for node, start, end in zip(those, starts, ends)}


@shape("onnx_ml:TreeEnsemble-5")
def tree_ensemble_shape(X: Fact, *, n_targets: int | None, **given: Any) -> Shape:
    require(n_targets is not None and n_targets > 0, "C1", n_targets)
    forest = _numbered_forest(tuple(given.items()), "float64")
    require((forest.targets < (n_targets or 1)).all(), "C2", forest.targets.max(initial=0))
    _check_features(X, given.get("nodes_featureids"))
    return Shape.of(rows_of(X), n_targets or 1) if X.shape.rank is not None else UNRANKED


kept_numbered_forest = lru_cache(8)(_numbered_forest)


@kernel("onnx_ml:TreeEnsemble-5", widen=True)
def tree_ensemble(
    X: Array, *, aggregate_function: int, n_targets: int | None, post_transform: int, **given: Any
) -> Array:
    forest = kept_numbered_forest(tuple(given.items()), _kind(X))
    scores, _ = forest.scores(_rows(X), n_targets or 1, AGGREGATES[aggregate_function])
    return transformed(scores, NUMBERED[post_transform]).astype(X.dtype)
