"""SparseFillEmptyRows: insert a default element into each empty row."""

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, maximum, unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require


@shape("SparseFillEmptyRows-16")
def sparse_fill_empty_rows_shape(
    values: Fact,
    dense_shape: Fact,
    indices: Fact,
    default_value: Fact,  # noqa: ARG001
) -> tuple[Shape, Shape, Shape]:
    unify(dense_shape.shape[0], 2, "C1")
    unify(indices.shape[1], 2, "C2")
    count = unify(values.shape[0], indices.shape[0], "C2")
    rows, columns = dense_shape.dims or (Dim(0, float("inf")),) * 2
    require(rows >= 0 and columns >= 0, "C3", f"{rows} and {columns}")
    rows = rows.at_least(0)
    total = maximum(count, rows).union(count + rows)
    if indices.value is not None:
        check_indices(indices.value, rows, columns)
        total = count + (rows - len(np.unique(indices.value[:, 0]))).at_least(0)
    return Shape.of(total, 2), Shape.of(total), Shape.of(rows)


def check_indices(indices: Array, rows: Dim, columns: Dim) -> None:
    for positions, size in zip(indices.T, (rows, columns)):
        inside = not positions.size or (positions.min() >= 0 and int(positions.max()) < size.high)
        require(inside, "C4", indices.tolist(), f"{rows} rows, {columns} columns")


@kernel("SparseFillEmptyRows-16")
def sparse_fill_empty_rows(
    values: Array, dense_shape: Array, indices: Array, default_value: Array
) -> tuple[Array, Array, Array]:
    rows, columns = map(int, dense_shape)
    check_indices(indices, Dim.of(rows), Dim.of(columns))
    empty = np.ones(rows, np.bool_)
    empty[indices[:, 0]] = False
    added = np.flatnonzero(empty)
    positions = np.concatenate(
        [indices, np.stack([added, np.zeros_like(added)], axis=1).astype(indices.dtype)]
    )
    elements = np.concatenate([values, np.full(len(added), default_value, values.dtype)])
    order = np.lexsort((positions[:, 1], positions[:, 0]))
    return positions[order], elements[order], empty
