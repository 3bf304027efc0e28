"""Vector operations on raw addresses, which numba's Python lacks, emitted as LLVM instructions; nested loops.

Addresses are integers. A vector may be longer than a register or have any number of lanes: LLVM splits it.
Loops of any depth are rows, the outermost first: size, then increments in source, target, lengths and steps.
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


SIZE, SOURCE, TARGET, LENGTH, STEP = range(5)


def _iterations(loops: Any) -> int:
    """The number of iterations of the innermost loop in all."""
    count = 1
    for depth in range(loops.shape[0]):
        count *= loops[depth, 0]
    return count


def _locate(loops: Any, index: Any, turn: int) -> tuple[int, int, int, int]:
    """The offsets of an iteration in source, target, lengths and steps; sets index to the loop counters."""
    source = target = length = step = 0
    for depth in range(loops.shape[0] - 1, -1, -1):
        turn, place = turn // loops[depth, 0], turn % loops[depth, 0]
        index[depth] = place
        source += place * loops[depth, 1]
        target += place * loops[depth, 2]
        length += place * loops[depth, 3]
        step += place * loops[depth, 4]
    return source, target, length, step


def _carry(loops: Any, index: Any) -> tuple[int, int, int, int]:
    """The changes of the offsets when the innermost loop has ended and the loops around it advance."""
    depth = loops.shape[0] - 1
    size = loops[depth, 0]
    source, target, length, step = (
        -size * loops[depth, 1],
        -size * loops[depth, 2],
        -size * loops[depth, 3],
        -size * loops[depth, 4],
    )
    index[depth] = 0
    depth -= 1
    while depth >= 0:
        source += loops[depth, 1]
        target += loops[depth, 2]
        length += loops[depth, 3]
        step += loops[depth, 4]
        index[depth] += 1
        size = loops[depth, 0]
        if index[depth] < size:
            break
        source -= size * loops[depth, 1]
        target -= size * loops[depth, 2]
        length -= size * loops[depth, 3]
        step -= size * loops[depth, 4]
        index[depth] = 0
        depth -= 1
    return source, target, length, step


iterations_of, locate, carry = compiled(_iterations), compiled(_locate), compiled(_carry)


I8, I32, I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
LINE = 16
"""The alignment in bytes that stores bypassing the caches (non-temporal stores) require."""
AHEAD = 4096
"""The prefetch distance in bytes for loads whose values are stored by non-temporal stores."""


class Lanes(types.Type):
    """count lanes of width bytes each."""

    def __init__(self, count: int, width: int) -> None:
        self.count, self.width = count, width
        super().__init__(f"Lanes({count} of {width})")


def vector(count: int, width: int) -> Any:
    """The LLVM type of a vector."""
    return ir.VectorType(ir.IntType(8 * width), count)


def _model(manager: Any, lanes: Lanes) -> Any:
    model: Any = models.PrimitiveModel
    return model(manager, lanes, vector(lanes.count, lanes.width))


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


def i64_constant(value: int) -> Any:
    """An i64 constant."""
    return ir.Constant(I64, value)


def pointer(builder: Any, address: Any, kind: Any) -> Any:
    """An address as an LLVM pointer to values of a type."""
    return builder.inttoptr(address, kind.as_pointer())


def fetch(builder: Any, address: Any, count: int, width: int) -> Any:
    """Load lanes from memory."""
    return builder.load(pointer(builder, address, vector(count, width)), align=1)


def put(builder: Any, address: Any, lanes: Any, stream: int) -> None:
    """Store lanes to memory. stream: bypass the caches; the address must be a multiple of LINE."""
    instruction = builder.store(lanes, pointer(builder, address, lanes.type), align=LINE if stream else 1)
    if stream:
        instruction.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(I32, 1)]))


def broadcast(builder: Any, value: Any, kind: Any) -> Any:
    """An integer, truncated to the lane width, in every lane."""
    if value.type.width > kind.element.width:
        value = builder.trunc(value, kind.element)
    blank = ir.Constant(kind, ir.Undefined)
    return shuffled(builder, builder.insert_element(blank, value, ir.Constant(I32, 0)), [0] * kind.count)


def shuffled(builder: Any, lanes: Any, order: list[int]) -> Any:
    """Lanes in another order."""
    return builder.shuffle_vector(lanes, lanes, ir.Constant(ir.VectorType(I32, len(order)), order))


def mirror(builder: Any, lanes: Any, group: int) -> Any:
    """Lanes in groups, the last group first."""
    count = lanes.type.count
    last = count // group - 1
    return shuffled(builder, lanes, [(last - at // group) * group + at % group for at in range(count)])


def emit_prefetch(builder: Any, address: Any) -> None:
    """Prefetch the cache line of an address, which need not be valid."""
    byte = I8.as_pointer()
    function = builder.module.declare_intrinsic(
        "llvm.prefetch", [byte], ir.FunctionType(ir.VoidType(), [byte, I32, I32, I32])
    )
    builder.call(
        function, [pointer(builder, address, I8), *(ir.Constant(I32, hint) for hint in (0, 3, 1))]
    )  # the hints: to read, high locality, data cache


def _copy(builder: Any, target: Any, source: Any, size: Any) -> None:
    byte = I8.as_pointer()
    function = builder.module.declare_intrinsic("llvm.memcpy", [byte, byte, I64])
    ends = pointer(builder, target, I8), pointer(builder, source, I8)
    builder.call(function, [*ends, size, ir.Constant(ir.IntType(1), 0)])


def _load_i64(builder: Any, address: Any) -> Any:
    return builder.load(pointer(builder, address, I64))


def _fetch_add(builder: Any, address: Any) -> Any:
    return builder.atomic_rmw("add", pointer(builder, address, I64), i64_constant(1), "seq_cst")


def _load_i64_atomic(builder: Any, address: Any) -> Any:
    if machine() in ("x86_64", "AMD64"):
        kind = ir.FunctionType(ir.VoidType(), [])
        builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", [], kind), [])
    return builder.load_atomic(pointer(builder, address, I64), "acquire", 8)


def _yield_core(builder: Any) -> None:
    kind, name = ir.FunctionType(I32, []), "SwitchToThread" if system() == "Windows" else "sched_yield"
    function = cgutils.get_or_insert_function(builder.module, kind, name)  # type: ignore[no-untyped-call]
    builder.call(function, [])


def _fence_stores(builder: Any) -> None:
    builder.fence("seq_cst")


load = operation(fetch, lambda address, count, width: Lanes(count, width), static=2)  # noqa: ARG005
"""Load lanes from memory: load(address, count, width)."""
store = operation(put, no_value, static=1)
"""Store lanes to memory: store(address, lanes, stream)."""
mirrored = operation(mirror, lambda lanes, group: lanes, static=1)  # noqa: ARG005
"""Lanes in groups, the last group first: mirrored(lanes, group)."""
prefetch = operation(emit_prefetch, no_value)
"""Prefetch the cache line of an address, which need not be valid."""
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
copy_bytes = operation(_copy, no_value)
"""Call memcpy: copy_bytes(target, source, size)."""
