"""Compare kernels with expansions on random inputs of every element type, and measure how far they differ.

    python tests/expansion/long_laws.py [--types f32,f16] [OP ...]

IROPS_LAW_SEED: a number, or "fresh" for other inputs at each run; without it inputs are always the same.
The table has a row for each expansion and element type: how many trials it took and refused, the worst
difference in units of the last place (ULP) of the number itself and of the largest number of the tensor,
and how many trials are infinite or NaN on one side alone.
"""

from __future__ import annotations

import argparse
import os
import secrets
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from zlib import crc32

import ml_dtypes
import numpy as np

from irops.conformance.cases import definition_cases
from irops.conformance.strategies import retyped
from irops.conformance.trial import Trial, TrialInput
from irops.expansion.arrays import NamedOps, computed
from irops.expansion.expanding import Expansion, RefusedError, expanded_ops, expansions_of
from irops.ops.conversion import as_numbers
from irops.ops.invocation import Invocation, OpFault, input_spec
from irops.registry import default_registry
from irops.spec.op import Op
from irops.values.element import BOOLEAN, Array, element_type_of, tagged
from irops.values.fact import Fact
from irops.values.tensors import result_array
from irops.values.violation import Violation

SORTED = {"SearchSorted-15": "sorted_sequence", "Bucketize-3": "buckets"}
"""Inputs whose elements ascend along the last axis."""
SEED = os.environ.get("IROPS_LAW_SEED", "0")


def seed_of(op_id: str) -> int:
    return secrets.randbits(32) if SEED == "fresh" else crc32(op_id.encode()) + int(SEED)


def trials_of(op: Op, kinds: Collection[str] = ()) -> Iterator[Trial]:
    """The examples in all element types, each as it is and with random elements where values are free.

    kinds: the types of the first input to which the trials are limited, all by default
    """
    starts = [case.trial for case in definition_cases(op) if case.kind == "example"]
    rng = np.random.default_rng(seed_of(op.id))
    for trial in (*starts, *retyped(op, starts)):
        if (kinds and kind_of(trial) not in kinds) or not _ascends(trial):
            continue
        yield trial
        yield Trial(op, tuple(_random(op, *each, rng) for each in enumerate(trial.inputs)), trial.attributes)


def kind_of(trial: Trial) -> str:
    """The element type of the first input."""
    return element_type_of(next(given.array for given in trial.inputs if given is not None)).name


def _random(op: Op, index: int, given: TrialInput | None, rng: np.random.Generator) -> TrialInput | None:
    """Other elements for an input whose type is that of an output, or a floating-point type."""
    if given is None or given.array.dtype == object:
        return given
    kind = element_type_of(given.array)
    is_free = _is_sorted(op, index) or any(
        input_spec(op, index).type == output.type for output in op.definition.outputs
    )
    if not is_free and not kind.floating:
        return given
    shape = given.array.shape
    if kind.floating:
        drawn = np.asarray(rng.standard_normal(shape) * 3).astype(kind.dtype)
        return TrialInput(np.sort(drawn) if _is_sorted(op, index) else drawn)
    if not kind.integral:
        return TrialInput(np.asarray(rng.integers(0, 2, shape)).astype(bool)) if kind is BOOLEAN else given
    low, high = (int(bound) for bound in kind.extent)
    wide = rng.integers(max(low, -(2**40)), min(high, 2**40), shape, endpoint=True)
    whole = np.sort(wide) if _is_sorted(op, index) else np.asarray(wide)
    return TrialInput(tagged(whole.astype(kind.dtype), kind))


def _ascends(trial: Trial) -> bool:
    """Whether inputs that must be sorted still are, in another type."""
    for index, given in enumerate(trial.inputs):
        if given is not None and _is_sorted(trial.op, index):
            numbers = as_numbers(given.array)
            return bool((numbers[..., 1:] >= numbers[..., :-1]).all())
    return True


def _is_sorted(op: Op, index: int) -> bool:
    return input_spec(op, index).name == SORTED.get(op.id)


def outcomes(
    step: Expansion, trial: Trial, ops: NamedOps | None = None
) -> tuple[tuple[Array, ...], tuple[Array, ...] | str] | None:
    """The outputs of the kernel and of the expansion, or why it refuses; None where the trial is invalid.

    Raises:  OpFault where the kernel takes the inputs and an op of the expansion does not
    """
    registry = default_registry()
    arrays = trial.arrays
    invocation = Invocation(registry.op(step.old), dict(trial.attributes))
    if invocation.faults:
        return None
    try:
        facts = invocation.infer([None if array is None else Fact.of(array) for array in arrays])
        expected = tuple(map(result_array, invocation.compute(arrays), facts))
    except (OpFault, Violation):
        return None
    try:
        return expected, computed(step, invocation, arrays, ops or registry)
    except RefusedError as refused:
        return expected, str(refused)
    except OpFault as fault:
        if step.is_decomposition:
            raise
        return expected, fault.message  # the other version lacks a value of an attribute


def places_apart(expected: Array, found: Array) -> tuple[float, float, bool]:
    """The worst difference in ULP of each number and of the largest, and whether only one side is finite."""
    if not element_type_of(expected).floating:
        differ = not np.array_equal(expected, found)
        return (float("inf"), float("inf"), False) if differ else (0.0, 0.0, False)
    a, b = expected.astype(np.float64), found.astype(np.float64)
    finite = np.isfinite(a) & np.isfinite(b)
    both_nan, equal = np.isnan(a) & np.isnan(b), a == b
    is_apart = bool((~finite & ~both_nan & ~equal).any())
    a, b = a[finite], b[finite]
    if not a.size:
        return 0.0, 0.0, is_apart
    info = ml_dtypes.finfo(expected.dtype)
    size = np.maximum(np.maximum(np.abs(a), np.abs(b)), float(info.smallest_normal))
    unit = 2.0 ** np.floor(np.log2(size)) * float(info.eps)
    largest = max(1.0, float(size.max()))
    return (
        float((np.abs(a - b) / unit).max()),
        float(np.abs(a - b).max() / (2.0 ** np.floor(np.log2(largest)) * float(info.eps))),
        is_apart,
    )


@dataclass
class Row:
    """What was measured for an expansion and an element type."""

    taken: int = 0
    refused: int = 0
    units: float = 0.0
    of_largest: float = 0.0
    apart: int = 0
    faults: list[str] = field(default_factory=list)


def measured(step: Expansion, kinds: Collection[str] = ()) -> dict[str, Row]:
    """What was measured, by the element type of the first input."""
    rows: dict[str, Row] = {}
    for trial in trials_of(default_registry().op(step.old), kinds):
        try:
            outcome = outcomes(step, trial)
        except OpFault as fault:
            rows.setdefault(kind_of(trial), Row()).faults.append(fault.message)
            continue
        if outcome is None:
            continue
        expected, found = outcome
        row = rows.setdefault(kind_of(trial), Row())
        if isinstance(found, str):
            row.refused += 1
            continue
        row.taken += 1
        for before, after in zip(expected, found, strict=False):
            if (before.dtype, before.shape) != (after.dtype, after.shape):
                row.faults.append(f"{after.dtype}{after.shape} in place of {before.dtype}{before.shape}")
            elif before.dtype != object:
                units, of_largest, is_apart = places_apart(before, after)
                row.units, row.of_largest = max(row.units, units), max(row.of_largest, of_largest)
                row.apart += is_apart
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ops", nargs="*", help="all by default")
    parser.add_argument("--types", default="", help="of the first input, with commas between them")
    given = parser.parse_args()
    wanted, kinds = given.ops or sorted(expanded_ops()), given.types.split(",") if given.types else ()
    for op_id in wanted:
        for number, step in enumerate(expansions_of(op_id)):
            print(
                f"{step.old} -> {step.new} #{number} {'rounds: ' + step.rounds if step.rounds else 'exact'}"
            )
            with np.errstate(all="ignore"):
                rows = measured(step, kinds)
            for kind, row in rows.items():
                if row.taken or row.faults:
                    print(
                        f"    {kind:8} {row.taken:4} taken {row.refused:4} refused {row.units:12.4g} ULP"
                        f" {row.of_largest:10.4g} of the largest {row.apart:3} finite on one side"
                        + (f"  FAULTS {len(row.faults)}: {row.faults[0]}" if row.faults else "")
                    )


if __name__ == "__main__":
    main()
