"""Which inputs carry the batch, and how many items they have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from irops.analysis.signature import Key, Port, Signature
from irops.diagnostics.diagnostic import Diagnostic, EvaluationError
from irops.diagnostics.rules import rule
from irops.values.element import Array


def batch_of(
    signature: Signature, arrays: Mapping[int, Array], batched: Key | Iterable[Key] | None
) -> tuple[frozenset[int], int]:
    """The ids of the inputs whose first axis is that of the batch, and the number of items.

    arrays: of all inputs, by id; batched: their names or positions. By default they are those whose first
    axis has the size that most inputs have there, apart from 1; of several such sizes, the largest.
    Raises:  DiagnosticError for an unknown input; EvaluationError for inputs of different batches
    """
    if batched is not None:
        keys = (batched,) if isinstance(batched, (str, int)) else tuple(batched)
        ports = [signature.input(key) for key in keys]
        sizes = {_first(arrays[port.layer.id]) for port in ports}
        if len(sizes) != 1 or None in sizes:
            raise _mismatch(signature, ports, arrays)
        return frozenset(port.layer.id for port in ports), sizes.pop() or 0
    counts = Counter(size for size in map(_first, arrays.values()) if size is not None and size > 1)
    if not counts:
        return frozenset(), 1
    items = max(counts, key=lambda size: (counts[size], size))
    return frozenset(number for number, array in arrays.items() if _first(array) == items), items


def _first(array: Array) -> int | None:
    return array.shape[0] if array.ndim else None


def _mismatch(signature: Signature, ports: Collection[Port], arrays: Mapping[int, Array]) -> EvaluationError:
    shapes = ", ".join(f"{port.name!r} has {_first(arrays[port.layer.id])}" for port in ports)
    message = f"the inputs of a batch must have equally many items along their first axis; {shapes or 'none'}"
    return EvaluationError([Diagnostic(rule("incompatible-input"), message, signature.model.location())])


def block_sizes(items: int, each: int) -> tuple[int, ...]:
    """Items divided into blocks of a size. None has one item alone: sums of one row round differently."""
    each = max(min(each, items), 2)
    count = items // each
    rest = items - count * each
    sizes = [each] * count
    if rest == 1:
        sizes[-1] += 1
    elif rest:
        sizes.append(rest)
    return tuple(sizes)
