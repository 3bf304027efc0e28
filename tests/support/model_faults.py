"""Faults that exporters, converters and hands make in models: kinds of them, planted by seed in any model.

A kind is a function of a node of irops.Graph and a generator of random numbers, which changes the graph
there and says what it changed, or gives None where it does not apply. Whether a change matters is for the
judge to find out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import ml_dtypes
import numpy as np

import irops
from irops.editing.graph.node import Node, Value
from irops.ir.model import LayerKind, Model

Random = np.random.Generator


@dataclass(frozen=True)
class Fault:
    """A fault in a model.

    kind: of the fault; names: of the layers that were changed, constants too; detail: what was changed;
    cause: a regular expression for what a report must say of it; around: a layer is missing, added or fed
    by another one, so that the layers beside it are right answers too; path: to the body that it is in
    """

    kind: str
    names: tuple[str, ...]
    detail: str
    cause: str
    around: bool = False
    path: tuple[str, ...] = ()


Kind = Callable[[Node, Random], Fault | None]
KINDS: dict[str, Kind] = {}
WEIGHTS = r"constant|weight|element|value|scale|input \d+ \("
REWIRED = r"rewired|input|operand|swap|order|uses|fed"
MISSING = r"missing|only in|removed|added|absent|no partner|not in|unmatched|rewired|input|bypass|uses"
OTHER_OP = r"->|→|\bop\b|{0}|{1}"


def kind(function: Kind) -> Kind:
    KINDS[function.__name__] = function
    return function


def fault(function: Any, node: Node, detail: str, cause: str, *, around: bool = False) -> Fault:
    name = function if isinstance(function, str) else function.__name__
    return Fault(name, (node.name,), detail, cause, around)


# ---- attributes

IGNORED = {"element_type", "destination_type", "output_type", "index_element_type", "shape", "offset", "size"}
IGNORED |= {
    "axes_mapping",
    "variable_id",
    "hidden_size",
    "num_split",
    "value",
    "variable_type",
    "variable_shape",
}
IGNORED |= {"global_seed", "op_seed"}


@kind
def attribute(node: Node, random: Random) -> Fault | None:
    """Another value of an attribute."""
    if node.op is None or node.kind is not LayerKind.OPERATION or node.bodies:
        return None
    known = [a for a in node.op.definition.attributes.values() if a.name not in IGNORED]
    for index in random.permutation(len(known)):
        declared = known[index]
        current = node.attributes.get(declared.parameter)
        others = list(_others(node, declared, current))
        for choice in random.permutation(len(others)):
            other = others[choice]
            before = dict(node.data)
            if other == current:
                continue
            try:
                node.graph.set_attributes(node, **{declared.parameter: other})
            except (irops.DiagnosticError, ValueError):
                continue
            if dict(node.data) == before:
                continue
            return fault(
                f"attribute {declared.name}",
                node,
                f"{node.type}.{declared.name}: {_text(current)} -> {_text(other)}",
                re.escape(declared.name),
            )
    return None


def _others(node: Node, declared: Any, current: Any) -> Iterator[Any]:
    """Other values of an attribute."""
    match current:
        case bool():
            yield not current
        case int():
            yield from (current + 1, current - 1, current - 2, current * 2)
        case float():
            yield from (current * 0.5, current * 2 + 0.25, current * 1e4 if current < 1e-3 else -current)
        case str():
            yield from (choice for choice in declared.values if choice != current)
        case tuple() | list() if current and all(isinstance(item, int) for item in current):
            yield from _shifted(tuple(current))
        case tuple() | list() if current and all(isinstance(item, float) for item in current):
            yield tuple(item * 1.5 for item in current)
        case tuple() | list() if declared.name == "activations":
            yield tuple(current[::-1])
            yield ("relu", *current[1:])


def _shifted(numbers: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for index in range(len(numbers)):
        for step in (1, -1):
            yield (*numbers[:index], numbers[index] + step, *numbers[index + 1 :])
    yield numbers[::-1]
    yield tuple(number * 2 for number in numbers)


def _text(value: Any) -> str:
    return str(value)[:60]


@kind
def pads_moved(node: Node, random: Random) -> Fault | None:
    """Padding that is at the other end of an axis."""
    if "pads_begin" not in node.data or "pads_end" not in node.data:
        return None
    begin, end = (np.array(node.attributes[key], int) for key in ("pads_begin", "pads_end"))
    axis = int(random.integers(len(begin))) if len(begin) else 0
    if (
        not len(begin)
        or begin[axis] + end[axis] == 0
        or node.data.get("auto_pad", "explicit") not in ("explicit", "notset")
    ):
        return None
    step = 1 if end[axis] > 0 and (begin[axis] == 0 or random.integers(2)) else -1
    begin[axis] += step
    end[axis] -= step
    node.graph.set_attributes(node, pads_begin=tuple(begin.tolist()), pads_end=tuple(end.tolist()))
    return fault(
        pads_moved, node, f"pads_begin {begin.tolist()}, pads_end {end.tolist()}", "pads_begin|pads_end"
    )


@kind
def dilated(node: Node, random: Random) -> Fault | None:
    """Dilations of 2, and pads for the same shape."""
    if "dilations" not in node.data or "pads_begin" not in node.data or "Pool" in node.type:
        return None
    taps = node.input_facts[1].shape.dims[-len(node.attributes["dilations"]) :]
    sizes = np.array([dim.low for dim in taps])
    if (sizes % 2 == 0).any() or (sizes == 1).all():
        return None
    grown = tuple(2 * d for d in node.attributes["dilations"])
    more = (sizes - 1) // 2 * np.array(node.attributes["dilations"])
    pads = {k: tuple((np.array(node.attributes[k]) + more).tolist()) for k in ("pads_begin", "pads_end")}
    node.graph.set_attributes(node, dilations=grown, **pads)
    return fault(dilated, node, f"dilations {grown}", "dilations|pads")


# ---- constants

PARAMETERS_OF = {"Reshape", "Transpose", "Squeeze", "Unsqueeze", "Broadcast", "Tile", "Range", "OneHot"}


def users_of(constant: Node) -> Iterator[tuple[Node, int]]:
    """The nodes that use a constant, with the index of the input."""
    yield from constant.consumers[0]


def is_parameter(constant: Node) -> bool:
    return not constant.facts[0].element_type.floating and constant.facts[0].element_type.bits in (32, 64)


def numbers_of(node: Node) -> np.ndarray | None:
    """The elements of a floating-point constant in f64; None for other nodes."""
    if node.kind is not LayerKind.CONSTANT or not node.facts[0].element_type.floating:
        return None
    array = node.outputs[0].value
    return None if array is None or not array.size else array.astype(np.float64)


def put(node: Node, numbers: np.ndarray) -> None:
    """Set a constant, in its own element type."""
    current = node.outputs[0].value
    with np.errstate(all="ignore"):
        node.graph.set_constant(node, numbers.astype(current.dtype))


def weights_kind(change: Callable[[np.ndarray, Random], np.ndarray | None]) -> Any:
    """A kind that changes the elements of a floating-point constant."""

    def planted(node: Node, random: Random) -> Fault | None:
        numbers = numbers_of(node)
        changed = None if numbers is None else change(numbers, random)
        if changed is None:
            return None
        put(node, changed)
        return fault(
            change, node, f"{change.__doc__} ({node.facts[0].element_type}{list(numbers.shape)})", WEIGHTS
        )

    planted.__doc__ = change.__doc__
    KINDS[change.__name__] = planted
    return planted


@weights_kind
def weights_transposed(a: np.ndarray, random: Random) -> np.ndarray | None:
    """the last two axes exchanged"""
    return a.swapaxes(-1, -2) if a.ndim >= 2 and a.shape[-1] == a.shape[-2] > 1 else None


@weights_kind
def weights_one_percent(a: np.ndarray, random: Random) -> np.ndarray | None:
    """1 % more"""
    return a * 1.01


@weights_kind
def weights_doubled(a: np.ndarray, random: Random) -> np.ndarray | None:
    """twice as great"""
    return a * 2


@weights_kind
def weights_in_bf16(a: np.ndarray, random: Random) -> np.ndarray | None:
    """rounded to bf16"""
    return a.astype(ml_dtypes.bfloat16).astype(np.float64) if a.size > 1 else None


@weights_kind
def weights_in_f16(a: np.ndarray, random: Random) -> np.ndarray | None:
    """rounded to f16"""
    return a.astype(np.float16).astype(np.float64) if a.size > 1 else None


@weights_kind
def weights_in_int8(a: np.ndarray, random: Random) -> np.ndarray | None:
    """rounded to 8-bit integers by one scale"""
    step = np.abs(a).max() / 127
    return np.rint(a / step) * step if a.size > 8 and np.isfinite(step) and step > 0 else None


@weights_kind
def weights_in_int4(a: np.ndarray, random: Random) -> np.ndarray | None:
    """rounded to 4-bit integers by one scale"""
    step = np.abs(a).max() / 7
    return np.rint(a / step) * step if a.size > 8 and np.isfinite(step) and step > 0 else None


@weights_kind
def channel_zeroed(a: np.ndarray, random: Random) -> np.ndarray | None:
    """one channel is zero"""
    if a.ndim < 2 or a.shape[0] < 2:
        return None
    changed = a.copy()
    changed[int(random.integers(a.shape[0]))] = 0
    return changed


@weights_kind
def element_changed(a: np.ndarray, random: Random) -> np.ndarray | None:
    """one element is another one"""
    if a.size < 4:
        return None
    changed = a.copy()
    changed.flat[int(random.integers(a.size))] += 0.5 * np.abs(a[np.isfinite(a)]).max(initial=0.1)
    return changed


@weights_kind
def sign_flipped(a: np.ndarray, random: Random) -> np.ndarray | None:
    """the other sign"""
    return -a


@weights_kind
def rows_permuted(a: np.ndarray, random: Random) -> np.ndarray | None:
    """rows in another order"""
    return np.roll(a, 1, 0) if a.ndim >= 2 and a.shape[0] > 1 else None


@weights_kind
def shifted_by_one(a: np.ndarray, random: Random) -> np.ndarray | None:
    """elements of the last axis shifted by one"""
    return np.roll(a, 1, -1) if a.ndim >= 1 and a.shape[-1] > 1 else None


@weights_kind
def constant_dropped(a: np.ndarray, random: Random) -> np.ndarray | None:
    """all zero, as a bias that was not exported"""
    return np.zeros_like(a) if a.size > 1 else None


@weights_kind
def last_row_repeated(a: np.ndarray, random: Random) -> np.ndarray | None:
    """the last row is that before it"""
    if a.ndim < 2 or a.shape[0] < 2:
        return None
    return np.concatenate([a[:-1], a[-2:-1]])


@weights_kind
def epsilon_greater(a: np.ndarray, random: Random) -> np.ndarray | None:
    """a small constant 1000 times as great"""
    return a * 1000 if a.size == 1 and 0 < a.flat[0] < 1e-3 else None


@weights_kind
def scale_of_attention(a: np.ndarray, random: Random) -> np.ndarray | None:
    """a scale multiplied by the square root of 2"""
    return a * 2**0.5 if a.size == 1 and 1e-3 <= abs(a.flat[0]) < 100 else None


@weights_kind
def mask_value(a: np.ndarray, random: Random) -> np.ndarray | None:
    """great negative numbers of a mask in a smaller size"""
    great = (a <= -1e4) | (a == -np.inf)
    return np.where(great, -0.5 if random.integers(2) else 0.0, a) if great.any() else None


@kind
def gates_swapped(node: Node, random: Random) -> Fault | None:
    """The gates of an RNN in the order of another framework, in weights and biases."""
    gates = {"LSTMSequence": 4, "LSTMCell": 4, "GRUSequence": 3, "GRUCell": 3}.get(node.type)
    if gates is None:
        return None
    changed: list[str] = []
    for source in node.sources:
        constant = None if source is None else source.node
        numbers = None if constant is None else numbers_of(constant)
        hidden = int(node.attributes["hidden_size"])
        axis = 1 if node.type.endswith("Sequence") else 0
        if numbers is None or numbers.ndim <= axis or numbers.shape[axis] % (gates * hidden or 1):
            continue
        if numbers.shape[axis] < gates * hidden:
            continue
        blocks = np.split(numbers, numbers.shape[axis] // hidden, axis)
        blocks[0], blocks[1] = blocks[1], blocks[0]
        put(constant, np.concatenate(blocks, axis))
        changed.append(constant.name)
    if not changed:
        return None
    return Fault("gates_swapped", tuple(changed), f"gates of {node.type}", WEIGHTS)


@kind
def codes_off_by_one(node: Node, random: Random) -> Fault | None:
    """Integers of compressed weights or zero points that are one greater."""
    if node.kind is not LayerKind.CONSTANT or node.facts[0].element_type.floating:
        return None
    kind_ = node.facts[0].element_type
    array = node.outputs[0].value
    if array is None or not kind_.integral or kind_.bits > 16 or not array.size:
        return None
    wide = array.astype(np.int64)
    changed = np.where(wide < wide.max(), wide + 1, wide) if wide.min() < wide.max() else wide - 1
    node.graph.set_constant(node, changed.astype(array.dtype))
    return fault(codes_off_by_one, node, f"{kind_}{list(array.shape)} + 1", WEIGHTS)


@kind
def nibbles_swapped(node: Node, random: Random) -> Fault | None:
    """Each two neighbours of a packed constant exchanged."""
    if node.kind is not LayerKind.CONSTANT or node.facts[0].element_type.bits != 4:
        return None
    array = node.outputs[0].value
    if array is None or not array.size or array.size % 2:
        return None
    changed = array.reshape(-1, 2)[:, ::-1].reshape(array.shape)
    node.graph.set_constant(node, changed.astype(array.dtype))
    return fault(nibbles_swapped, node, f"{node.facts[0].element_type}{list(array.shape)}", WEIGHTS)


@kind
def integer_parameter(node: Node, random: Random) -> Fault | None:
    """A start, stop, axis, index, order or amount that is off by one."""
    if node.kind is not LayerKind.CONSTANT or not is_parameter(node):
        return None
    array = node.outputs[0].value
    users = list(users_of(node))
    if array is None or not 0 < array.size <= 64 or not users:
        return None
    user, index = users[0]
    options = []
    for place in random.permutation(array.size)[:4]:
        for step in (1, -1):
            changed = array.copy()
            changed.flat[place] += step
            options.append(changed)
    if array.size > 1:
        for _ in range(3):
            options.insert(0, random.permutation(array.reshape(-1)).reshape(array.shape))
    for changed in options:
        if (changed == array).all():
            continue
        try:
            node.graph.set_constant(node, changed.astype(array.dtype))
        except (irops.DiagnosticError, ValueError):
            continue
        return fault(
            f"parameter of {user.type}",
            node,
            f"input {index} of {user.type}: {array.tolist()} -> {changed.tolist()}",
            WEIGHTS,
        )
    return None


@kind
def quantisation_range(node: Node, random: Random) -> Fault | None:
    """A limit of FakeQuantize that is 2 % off."""
    if node.type != "FakeQuantize":
        return None
    for index in random.permutation([1, 2, 3, 4]):
        source = node.sources[index]
        numbers = None if source is None else numbers_of(source.node)
        if numbers is not None and numbers.any():
            put(source.node, numbers * 1.02)
            return replace(
                fault(quantisation_range, source.node, f"input {index} of FakeQuantize 2 % off", WEIGHTS),
                names=(source.node.name, node.name),
            )
    return None


# ---- operands

DIRECTED = {
    "Subtract",
    "Divide",
    "Power",
    "FloorMod",
    "Mod",
    "MatMul",
    "SquaredDifference",
    "Less",
    "LessEqual",
    "Greater",
}
DIRECTED |= {"GreaterEqual", "Select", "ScaledDotProductAttention"}


def rewired(node: Node, sources: list[Value | None]) -> None:
    """Give a node other sources, all at once."""
    graph = node.graph
    with graph.store.change():
        for index, source in enumerate(sources):
            graph.store.connect(node, index, source)
        graph.propagation.follow([node])


def same_fact(one: Value, other: Value) -> bool:
    return one.element_type is other.element_type and str(one.shape) == str(other.shape)


@kind
def operands_swapped(node: Node, random: Random) -> Fault | None:
    """Two operands exchanged."""
    if node.type not in DIRECTED or any(source is None for source in node.sources):
        return None
    first = 1 if node.type == "Select" else 0
    sources = list(node.sources)
    if len(sources) < first + 2 or sources[first].element_type is not sources[first + 1].element_type:
        return None
    sources[first], sources[first + 1] = sources[first + 1], sources[first]
    rewired(node, sources)
    return fault(operands_swapped, node, f"operands of {node.type}", REWIRED)


@kind
def concat_reordered(node: Node, random: Random) -> Fault | None:
    """The inputs of a Concat in another order."""
    if node.type != "Concat" or len(node.sources) < 2:
        return None
    rewired(node, [*node.sources[1:], node.sources[0]])
    return fault(concat_reordered, node, f"{len(node.sources)} inputs", REWIRED)


@kind
def outputs_exchanged(node: Node, random: Random) -> Fault | None:
    """A user of one output of a Split takes another one."""
    if len(node.outputs) < 2:
        return None
    used = [output for output in node.outputs if node.consumers[output.index]]
    for output in used:
        for other in node.outputs:
            user, index = next(iter(node.consumers[output.index]))
            if other is not output and same_fact(output, other) and user.kind is LayerKind.OPERATION:
                sources = list(user.sources)
                sources[index] = other
                rewired(user, sources)
                detail = (
                    f"input {index} of {user.type} is output {other.index} of {node.type}, was {output.index}"
                )
                return fault(outputs_exchanged, user, detail, REWIRED + "|output", around=True)
    return None


@kind
def wrong_source(node: Node, random: Random) -> Fault | None:
    """An input that comes from another layer, as a residual taken one layer too early."""
    if node.kind is not LayerKind.OPERATION or not node.sources:
        return None
    index = int(random.integers(len(node.sources)))
    source = node.sources[index]
    if source is None or source.node.kind is not LayerKind.OPERATION or source.fact.value is not None:
        return None
    before: list[Value] = [
        s for s in source.node.sources if s is not None and s.node.kind is LayerKind.OPERATION
    ]
    before += [
        s
        for value in list(before)
        for s in value.node.sources
        if s is not None and s.node.kind is LayerKind.OPERATION
    ]
    options = [value for value in before if same_fact(value, source) and value.fact.value is None]
    if not options:
        return None
    chosen = options[int(random.integers(len(options)))]
    sources = list(node.sources)
    sources[index] = chosen
    rewired(node, sources)
    return fault(
        wrong_source,
        node,
        f"input {index} of {node.type} from {chosen.node.name}",
        REWIRED + "|missing",
        around=True,
    )


# ---- layers

UNARY = {
    "ReLU",
    "Sigmoid",
    "Tanh",
    "Gelu",
    "Swish",
    "HSwish",
    "Elu",
    "Exp",
    "Sqrt",
    "Abs",
    "Clamp",
    "SoftMax",
    "Mish",
    "HSigmoid",
}
UNARY |= {
    "Floor",
    "Ceiling",
    "Round",
    "Negative",
    "Sin",
    "Cos",
    "Log",
    "SoftPlus",
    "MVN",
    "Erf",
    "GroupNormalization",
    "PReLU",
}
UNARY |= {
    "FakeQuantize",
    "CumSum",
    "Roll",
    "NormalizeL2",
    "LogSoftmax",
    "Transpose",
    "LogicalNot",
    "Selu",
    "HardSigmoid",
}


@kind
def layer_missing(node: Node, random: Random) -> Fault | None:
    """An activation, normalisation or order that was left out."""
    if node.type not in UNARY or not node.sources or not same_fact(node.sources[0], node.outputs[0]):
        return None
    detail = f"{node.type} is left out"
    found = fault(layer_missing, node, detail, MISSING, around=True)
    node.graph.remove(node)
    return found


def _without(node: Node, keep: int, name: str) -> Fault | None:
    if not same_fact(node.sources[keep], node.outputs[0]):
        return None
    found = fault(name, node, f"{node.type} is left out, input {keep} goes on", MISSING, around=True)
    node.graph.remove(node, input=keep)
    return found


@kind
def residual_missing(node: Node, random: Random) -> Fault | None:
    """A sum of two branches is one of them."""
    if node.type != "Add" or any(s is None or s.fact.value is not None for s in node.sources):
        return None
    return _without(node, int(random.integers(2)), "residual_missing")


@kind
def bias_missing(node: Node, random: Random) -> Fault | None:
    """A bias or scale that is not applied."""
    if node.type not in ("Add", "Multiply", "Subtract", "Divide"):
        return None
    constants = [k for k, s in enumerate(node.sources) if s is not None and s.fact.value is not None]
    if len(constants) != 1 or (node.type in ("Subtract", "Divide") and constants != [1]):
        return None
    return _without(node, 1 - constants[0], "bias_missing")


@kind
def layer_added(node: Node, random: Random) -> Fault | None:
    """A layer too many."""
    if (
        node.kind is not LayerKind.OPERATION
        or len(node.outputs) != 1
        or node.outputs[0].fact.value is not None
    ):
        return None
    if node.outputs[0].element_type.name != "f32" or not node.outputs[0].users:
        return None
    op = ("Tanh", "ReLU", "Floor", "Abs")[int(random.integers(4))]
    added = node.graph.insert_after(node.outputs[0], op)
    return replace(
        fault(layer_added, node, f"{op} after {node.type}", MISSING, around=True),
        names=(node.name, added.name),
    )


@kind
def in_f16_and_back(node: Node, random: Random) -> Fault | None:
    """A value that is rounded to f16 or bf16 on the way."""
    if (
        node.kind is not LayerKind.OPERATION
        or len(node.outputs) != 1
        or node.outputs[0].fact.value is not None
    ):
        return None
    if node.outputs[0].element_type.name != "f32" or not node.outputs[0].users:
        return None
    narrow = ("f16", "bf16")[int(random.integers(2))]
    there = node.graph.insert_after(node.outputs[0], "Convert", destination_type=narrow)
    back = node.graph.insert_after(there, "Convert", destination_type="f32")
    names = (node.name, there.name, back.name)
    return replace(
        fault(in_f16_and_back, node, f"{narrow} after {node.type}", MISSING + "|Convert", around=True),
        names=names,
    )


INSTEAD = (
    ("ReLU-1", "Gelu-7", "Sigmoid-1", "Tanh-1", "HSwish-4", "SoftPlus-4", "Mish-4", "Abs-1"),
    ("Gelu-7", "ReLU-1", "Tanh-1"),
    ("Swish-4", "ReLU-1", "HSwish-4", "Mish-4"),
    ("HSwish-4", "Swish-4", "ReLU-1"),
    ("Sigmoid-1", "Tanh-1", "HSigmoid-5"),
    ("Tanh-1", "Sigmoid-1", "Erf-1"),
    ("ReduceMean-1", "ReduceSum-1", "ReduceMax-1", "ReduceL2-4"),
    ("ReduceSum-1", "ReduceMean-1"),
    ("ReduceL2-4", "ReduceL1-4"),
    ("ReduceMax-1", "ReduceMin-1", "ReduceMean-1"),
    ("Maximum-1", "Minimum-1"),
    ("Minimum-1", "Maximum-1"),
    ("Add-1", "Subtract-1"),
    ("Subtract-1", "Add-1"),
    ("Multiply-1", "Divide-1"),
    ("Divide-1", "Multiply-1"),
    ("Sin-1", "Cos-1"),
    ("Cos-1", "Sin-1"),
    ("Floor-1", "Ceiling-1", "Round-5"),
    ("Ceiling-1", "Floor-1"),
    ("Less-1", "LessEqual-1", "Greater-1"),
    ("LessEqual-1", "Less-1"),
    ("Greater-1", "GreaterEqual-1"),
    ("GreaterEqual-1", "Greater-1"),
    ("LogicalAnd-1", "LogicalOr-1"),
    ("BitwiseAnd-13", "BitwiseOr-13"),
    ("FloorMod-1", "Mod-1"),
    ("Sqrt-1", "Abs-1"),
    ("Exp-1", "SoftPlus-4"),
    ("SoftMax-8", "LogSoftmax-5"),
)


@kind
def other_op(node: Node, random: Random) -> Fault | None:
    """A layer of a related op in place of the right one."""
    for op, *others in INSTEAD:
        if node.op is not None and node.op.id == op:
            other = others[int(random.integers(len(others)))]
            wanted = {"approximation_mode": "ERF"} if other == "Gelu-7" else {}
            wanted |= {"mode": "half_to_even"} if other == "Round-5" else {}
            known = {a.parameter for a in node.graph.op(other).definition.attributes.values()}
            attributes = {k: v for k, v in node.attributes.items() if k in known}
            node.graph.replace(
                node,
                other,
                *(node.sources[:1] if node.type in UNARY else node.sources),
                **{**wanted, **attributes},
            )
            cause = OTHER_OP.format(op.partition("-")[0], other.partition("-")[0])
            return fault(other_op, node, f"{op} -> {other}", cause)
    return None


@kind
def transpose_as_reshape(node: Node, random: Random) -> Fault | None:
    """A Reshape to the right shape in place of a Transpose."""
    if node.type != "Transpose" or node.outputs[0].fact.value is not None:
        return None
    order = node.sources[1].value if len(node.sources) > 1 and node.sources[1] is not None else None
    dims = node.outputs[0].shape.dims
    if order is None or dims is None or list(order) == sorted(order):
        return None
    sizes = [dim.low if dim.low == dim.high else -1 for dim in dims]
    if sizes.count(-1) > 1:
        return None
    graph = node.graph
    graph.replace(node, "Reshape-1", node.sources[0], np.array(sizes, np.int64), special_zero=False)
    return fault(
        transpose_as_reshape, node, f"order {list(order)} as a Reshape to {sizes}", "Reshape|Transpose|->|op"
    )


@kind
def transposed_otherwise(node: Node, random: Random) -> Fault | None:
    """Another order of axes that gives the same shape."""
    if node.type != "Transpose" or node.outputs[0].fact.value is not None:
        return None
    order = node.sources[1].value if len(node.sources) > 1 and node.sources[1] is not None else None
    dims = node.sources[0].shape.dims
    if order is None or dims is None or len(order) > 5:
        return None
    shape = [str(dims[int(axis)]) for axis in order]
    options = [
        p
        for p in permutations(range(len(order)))
        if [str(dims[a]) for a in p] == shape and list(p) != list(order)
    ]
    if not options:
        return None
    chosen = options[int(random.integers(len(options)))]
    rewired(node, [node.sources[0], node.graph.constant(np.array(chosen, order.dtype))])
    return fault(
        transposed_otherwise, node, f"order {list(order)} -> {list(chosen)}", WEIGHTS + "|order|input|->"
    )


@kind
def mask_missing(node: Node, random: Random) -> Fault | None:
    """Attention without its mask."""
    if node.type != "ScaledDotProductAttention" or len(node.sources) < 4 or node.sources[3] is None:
        return None
    mask = node.sources[3]
    zero = (
        node.graph.ops.Multiply(mask, np.zeros((), mask.fact.element_type.dtype))
        if mask.element_type.floating
        else None
    )
    if zero is None:
        return None
    rewired(node, [*node.sources[:3], zero, *node.sources[4:]])
    return replace(
        fault(mask_missing, node, "the mask is multiplied by 0", REWIRED + "|added", around=True),
        names=(node.name, zero.node.name),
    )


def plant(
    model: Model, random: Random, kinds: tuple[str, ...] = tuple(KINDS), tries: int = 60
) -> tuple[Model, Fault] | None:
    """A model with one fault more, which is valid; None where no kind finds a place in so many tries."""
    paths: list[tuple[str, ...]] = [()]
    for layer in model.layers:
        paths.extend((layer.name, body) for body in layer.bodies)
    for _ in range(tries):
        path = paths[int(random.integers(1, len(paths)))] if len(paths) > 1 and random.random() < 0.5 else ()
        name = kinds[int(random.integers(len(kinds)))]
        graph = irops.Graph(model, path=path)
        nodes = list(graph)
        for index in random.permutation(len(nodes))[:400]:
            try:
                found = KINDS[name](nodes[index], random)
            except irops.DiagnosticError:
                break  # the change is refused: another graph, since this one may have nodes of no use
            if found is not None:
                wrong = graph.model()
                if irops.check(wrong).ok:
                    return wrong, replace(found, path=path)
                break
    return None
