"""Vectors of lanes at raw addresses: what numba's Python lacks, said in LLVM's words.

Addresses are integers. A vector may be longer than a register, or of an odd number of lanes: LLVM splits it.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from platform import machine, system
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

I8, I32, I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
LINE = 16
"""The alignment in bytes that stores past the caches need."""
AHEAD = 4096
"""How many bytes ahead of a store past the caches its source is asked for: such stores leave no room for
waiting.
"""


class Lanes(types.Type):
    """count lanes of width bytes each."""

    def __init__(self, count: int, width: int) -> None:
        self.count, self.width = count, width
        super().__init__(f"Lanes({count} of {width})")


def vector(count: int, width: int) -> Any:
    """LLVM's type of so many lanes."""
    return ir.VectorType(ir.IntType(8 * width), count)


def _model(manager: Any, lanes: Lanes) -> Any:
    model: Any = models.PrimitiveModel
    return model(manager, lanes, vector(lanes.count, lanes.width))


register_model(Lanes)(_model)


def operation(emit: Callable[..., Any], return_type: Callable[..., Any], static: int = 0) -> Any:
    """A function for compiled code that becomes the instructions which emit makes: emit(builder, *values).

    gives: its type from the types of the values; static: how many parameters, the last ones, are literals:
        integers, when it is emitted
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
    """The type of an operation without a value."""
    return types.void


def i64_value(*kinds: Any) -> Any:  # noqa: ARG001
    """The type of an operation whose value is an integer of 64 bits."""
    return types.int64


def i64_constant(value: int) -> Any:
    """An integer of 64 bits."""
    return ir.Constant(I64, value)


def pointer(builder: Any, address: Any, kind: Any) -> Any:
    """An address as a pointer to values of a type of LLVM's."""
    return builder.inttoptr(address, kind.as_pointer())


def fetch(builder: Any, address: Any, count: int, width: int) -> Any:
    """Lanes from memory."""
    return builder.load(pointer(builder, address, vector(count, width)), align=1)


def put(builder: Any, address: Any, lanes: Any, stream: int) -> None:
    """Lanes to memory; stream: past the caches, to an address that is a multiple of LINE."""
    instruction = builder.store(lanes, pointer(builder, address, lanes.type), align=LINE if stream else 1)
    if stream:
        instruction.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(I32, 1)]))


def broadcast(builder: Any, value: Any, kind: Any) -> Any:
    """An integer, cut to a lane, in every lane."""
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
    return shuffled(
        builder,
        lanes,
        [(count // group - 1 - place // group) * group + place % group for place in range(count)],
    )


def emit_prefetch(builder: Any, address: Any) -> None:
    """Ask for the cache line of an address, which may be anywhere."""
    byte = I8.as_pointer()
    function = builder.module.declare_intrinsic(
        "llvm.prefetch", [byte], ir.FunctionType(ir.VoidType(), [byte, I32, I32, I32])
    )
    builder.call(
        function, [pointer(builder, address, I8), *(ir.Constant(I32, hint) for hint in (0, 3, 1))]
    )  # to read, soon, no code


def _copy(builder: Any, target: Any, source: Any, size: Any) -> None:
    byte = I8.as_pointer()
    function = builder.module.declare_intrinsic("llvm.memcpy", [byte, byte, I64])
    builder.call(
        function,
        [pointer(builder, target, I8), pointer(builder, source, I8), size, ir.Constant(ir.IntType(1), 0)],
    )


def _load_i64(builder: Any, address: Any) -> Any:
    return builder.load(pointer(builder, address, I64))


def _fetch_add(builder: Any, address: Any) -> Any:
    return builder.atomic_rmw("add", pointer(builder, address, I64), i64_constant(1), "seq_cst")


def _load_i64_atomic(builder: Any, address: Any) -> Any:
    if machine() in ("x86_64", "AMD64"):
        builder.call(
            builder.module.declare_intrinsic("llvm.x86.sse2.pause", [], ir.FunctionType(ir.VoidType(), [])),
            [],
        )
    return builder.load_atomic(pointer(builder, address, I64), "acquire", 8)


def _yield_core(builder: Any) -> None:
    kind, name = ir.FunctionType(I32, []), "SwitchToThread" if system() == "Windows" else "sched_yield"
    function = cgutils.get_or_insert_function(builder.module, kind, name)  # type: ignore[no-untyped-call]
    builder.call(function, [])


def _fence_stores(builder: Any) -> None:
    builder.fence("seq_cst")


load = operation(fetch, lambda address, count, width: Lanes(count, width), static=2)  # noqa: ARG005
"""Lanes from memory: load(address, count, width)."""
store = operation(put, no_value, static=1)
"""Lanes to memory: store(address, lanes, stream)."""
mirrored = operation(mirror, lambda lanes, group: lanes, static=1)  # noqa: ARG005
"""Lanes in groups, the last group first: mirrored(lanes, group)."""
prefetch = operation(emit_prefetch, no_value)
"""Ask for the cache line of an address, which may be anywhere."""
load_i64 = operation(_load_i64, i64_value)
"""The integer of 64 bits at an address."""
fetch_add = operation(_fetch_add, i64_value)
"""The integer at an address, which is one more from now on: no two threads get the same."""
load_i64_atomic = operation(_load_i64_atomic, i64_value)
"""The integer at an address as other threads leave it, read in no haste: for those who wait for it to change.
"""
yield_core = operation(_yield_core, no_value)
"""Let another thread have this core, if one waits for it."""
fence_stores = operation(_fence_stores, no_value)
"""Let all stores of this thread be seen before what follows, those past the caches too."""
copy_bytes = operation(_copy, no_value)
"""The memcpy of the system: copy_bytes(target, source, size)."""
