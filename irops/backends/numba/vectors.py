"""Operations on raw addresses and vectors of bytes, which numba's Python lacks, as LLVM instructions.

Addresses are integers. A vector may be longer than a register or have any number of lanes: LLVM splits it.
"""

from collections.abc import Callable
from inspect import signature
from pathlib import Path
from platform import machine, system
from typing import Any
from zlib import crc32

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model


def _source_checksum() -> int:
    """A checksum over all sources of this package, because compiled code depends on all of them."""
    checksum = 0
    for file in sorted(Path(__file__).parent.glob("*.py")):
        checksum = crc32(file.read_bytes(), checksum)
    return checksum


SOURCE_CHECKSUM = _source_checksum()


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, compiled at its first call; later processes read the code from the cache.

    A function may close over numbers only: they become constants in its code, and part of the key under
    which it is cached.
    """
    function.__qualname__ += f".{SOURCE_CHECKSUM:08x}"
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        compiled_function: Callable[..., Any] = numba.njit(function, cache=True, **options)
    except RuntimeError:  # no writable cache folder, neither next to the source nor NUMBA_CACHE_DIR
        compiled_function = numba.njit(function, **options)
    return compiled_function


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, copied to where compiled code calls it, so that integer literals stay literals in it."""
    inline: Callable[..., Any] = numba.njit(inline="always")(function)
    return inline


I8, I32, I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
LINE = 16
"""The alignment in bytes that stores bypassing the caches (non-temporal stores) require."""


class Lanes(types.Type):
    """A vector of count bytes."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(f"Lanes({count})")


def _model(manager: Any, lanes: Lanes) -> Any:
    model: Any = models.PrimitiveModel
    return model(manager, lanes, ir.VectorType(I8, lanes.count))


register_model(Lanes)(_model)


def operation(emit: Callable[..., Any], return_type: Callable[..., Any], static: int = 0) -> Any:
    """A function for compiled code, replaced by the instructions that emit(builder, *values) generates.

    return_type: gives the result type for the types of the values
    static: the number of last parameters that must be integer literals
    """

    def define(context: Any, *kinds: Any) -> tuple[Any, Callable[..., Any]]:  # noqa: ARG001
        dynamic = len(kinds) - static
        literals = [kind.literal_value for kind in kinds[dynamic:]]

        def code(context: Any, builder: Any, typed: Any, values: Any) -> Any:  # noqa: ARG001
            value = emit(builder, *values[:dynamic], *literals)
            return context.get_dummy_value() if value is None else value

        return return_type(*kinds[:dynamic], *literals)(*kinds), code

    define.__name__ = emit.__name__
    define.__signature__ = signature(emit)  # type: ignore[attr-defined]
    return intrinsic(prefer_literal=True)(define)


def no_value(*kinds: Any) -> Any:  # noqa: ARG001
    """The return type of an operation without a value."""
    return types.void


def i64_value(*kinds: Any) -> Any:  # noqa: ARG001
    """The return type of an operation whose value is an i64."""
    return types.int64


def _pointer(builder: Any, address: Any, kind: Any) -> Any:
    """An address as an LLVM pointer to values of a type."""
    return builder.inttoptr(address, kind.as_pointer())


def _load(builder: Any, address: Any, count: int) -> Any:
    return builder.load(_pointer(builder, address, ir.VectorType(I8, count)), align=1)


def _store(builder: Any, address: Any, lanes: Any, stream: int) -> None:
    instruction = builder.store(lanes, _pointer(builder, address, lanes.type), align=LINE if stream else 1)
    if stream:
        instruction.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(I32, 1)]))


def _shuffled(builder: Any, lanes: Any, order: list[int]) -> Any:
    return builder.shuffle_vector(lanes, lanes, ir.Constant(ir.VectorType(I32, len(order)), order))


def _mirrored(builder: Any, lanes: Any, group: int) -> Any:
    count = lanes.type.count
    last = count // group - 1
    return _shuffled(builder, lanes, [(last - at // group) * group + at % group for at in range(count)])


def _chosen(builder: Any, first: Any, others: Any, count: Any) -> Any:
    kind = first.type
    blank, one = ir.Constant(kind, ir.Undefined), builder.trunc(count, I8)
    counts = _shuffled(builder, builder.insert_element(blank, one, ir.Constant(I32, 0)), [0] * kind.count)
    numbers = ir.Constant(kind, list(range(kind.count)))
    return builder.select(builder.icmp_unsigned("<", numbers, counts), first, others)


def _load_i64(builder: Any, address: Any) -> Any:
    return builder.load(_pointer(builder, address, I64))


def _fetch_add(builder: Any, address: Any) -> Any:
    return builder.atomic_rmw("add", _pointer(builder, address, I64), ir.Constant(I64, 1), "seq_cst")


def _load_i64_atomic(builder: Any, address: Any) -> Any:
    if machine() in ("x86_64", "AMD64"):
        kind = ir.FunctionType(ir.VoidType(), [])
        builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", [], kind), [])
    return builder.load_atomic(_pointer(builder, address, I64), "acquire", 8)


def _yield_core(builder: Any) -> None:
    kind, name = ir.FunctionType(I32, []), "SwitchToThread" if system() == "Windows" else "sched_yield"
    function = cgutils.get_or_insert_function(builder.module, kind, name)  # type: ignore[no-untyped-call]
    builder.call(function, [])


def _fence_stores(builder: Any) -> None:
    builder.fence("seq_cst")


load = operation(_load, lambda address, count: Lanes(count), static=1)  # noqa: ARG005
"""Load a vector from memory: load(address, count)."""
store = operation(_store, no_value, static=1)
"""Store a vector to memory: store(address, lanes, stream). stream: bypass the caches; the address must be a
multiple of LINE.
"""
mirrored = operation(_mirrored, lambda lanes, group: lanes, static=1)  # noqa: ARG005
"""Lanes in groups, the last group first: mirrored(lanes, group)."""
chosen = operation(_chosen, lambda first, others, count: first)  # noqa: ARG005
"""The first lanes of one vector, then those of another: chosen(first, others, count)."""
load_i64 = operation(_load_i64, i64_value)
"""Load the i64 at an address."""
fetch_add = operation(_fetch_add, i64_value)
"""Atomically increment the i64 at an address; the value is the previous one."""
load_i64_atomic = operation(_load_i64_atomic, i64_value)
"""Atomically load the i64 at an address, after a pause instruction: for polling."""
yield_core = operation(_yield_core, no_value)
"""Yield the core to another thread that waits for it."""
fence_stores = operation(_fence_stores, no_value)
"""Make all preceding stores of this thread visible, including non-temporal ones."""
