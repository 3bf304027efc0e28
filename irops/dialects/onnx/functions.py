"""The functions that a model defines itself: their calls are replaced by their nodes, within limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from irops.diagnostics.printable import shortened
from irops.dialects.onnx.attributes import graphs_of
from irops.ir.faults import Faults

MAX_CALLS = 100
"""How many functions may call each other in a chain; the inliner of onnx has the same limit."""

Key = tuple[str, str, str]
"""The domain, the name and the overload of a function."""
OTHER: Key = ("", "", "")
"""Stands for ops that are not functions of the model."""


@dataclass(frozen=True, slots=True)
class _Expansion:
    """What one call of a function becomes: a number of nodes and of bytes, and the longest chain of calls."""

    nodes: int
    bytes: int
    calls: int


def inlined(proto: Any, faults: Faults) -> Any:
    """The model with the nodes of its functions in place of the calls.

    Raises:  ReadError if functions call each other in a circle, or exceed a limit
    """
    if not proto.functions:
        return proto
    functions = {_key(function): function for function in proto.functions}
    calls = {key: _calls(function.node, functions) for key, function in functions.items()}
    called = _calls(proto.graph.node, functions)
    expansions = _expansions(functions, calls, called, faults)
    _require_limits(proto, called, expansions, faults)
    if len(expansions) < len(functions):  # those that nothing calls have no effect, and may be faulty
        proto = _with_functions(proto, [functions[key] for key in expansions])
    return _by_onnx(proto, faults) if expansions else proto


def _by_onnx(proto: Any, faults: Faults) -> Any:
    from onnx.checker import ValidationError
    from onnx.inliner import inline_local_functions

    try:
        return inline_local_functions(proto)
    except ValidationError as error:
        reason = shortened(str(error).strip().rstrip("."), 200)
        raise faults.stop(
            "malformed-onnx", f"the functions of the model cannot be inlined: {reason}"
        ) from None
    except (RuntimeError, ValueError, TypeError):
        return proto  # functions that cannot be inlined are reported as undefined ops


def _key(function: Any) -> Key:
    return function.domain, function.name, getattr(function, "overload", "")


def _calls(nodes: Any, functions: dict[Key, Any]) -> Counter[Key]:
    """How often nodes, and those of their sub-graphs, call each function; other ops count as OTHER."""
    calls: Counter[Key] = Counter()
    for node in _all_nodes(nodes):
        key = (node.domain, node.op_type, getattr(node, "overload", ""))
        calls[key if key in functions else OTHER] += 1
    return calls


def _all_nodes(nodes: Any) -> Iterator[Any]:
    ahead = [nodes]
    while ahead:
        for node in ahead.pop():
            yield node
            if node.attribute:
                ahead.extend(graph.node for graph in graphs_of(node))


def _expansions(
    functions: dict[Key, Any], calls: dict[Key, Counter[Key]], called: Counter[Key], faults: Faults
) -> dict[Key, _Expansion]:
    """The expansion of every function that the graph calls, directly or not, callees before their callers.

    Raises:  ReadError if a function calls itself, directly or not
    """
    done: dict[Key, _Expansion] = {}
    open_calls: dict[Key, Iterator[Key]] = {}
    for start in called:
        pending = [start] if start in functions else []
        while pending:
            key = pending[-1]
            callees = open_calls.setdefault(key, iter(calls[key]))
            callee = next((one for one in callees if one in functions and one not in done), None)
            if callee is None:
                if key not in done:
                    done[key] = _expansion(functions[key], calls[key], done)
                pending.pop()
                open_calls.pop(key, None)
            elif callee in open_calls:
                name = shortened(":".join(callee[:2]))
                message = f"the function {name!r} calls itself, directly or through other functions"
                raise faults.stop("malformed-onnx", message)
            else:
                pending.append(callee)
    return done


def _expansion(function: Any, calls: Counter[Key], done: dict[Key, _Expansion]) -> _Expansion:
    inner = [(done[key], count) for key, count in calls.items() if key in done]
    return _Expansion(
        calls[OTHER] + sum(each.nodes * count for each, count in inner),
        function.ByteSize() + sum(each.bytes * count for each, count in inner),
        1 + max((each.calls for each, _ in inner), default=0),
    )


def _require_limits(
    proto: Any, called: Counter[Key], expansions: dict[Key, _Expansion], faults: Faults
) -> None:
    if max((each.calls for each in expansions.values()), default=0) > MAX_CALLS:
        message = f"functions call each other in a chain of more than {MAX_CALLS}"
        raise faults.stop("malformed-onnx", message)
    used = [(expansions[key], count) for key, count in called.items() if key in expansions]
    nodes = called[OTHER] + sum(each.nodes * count for each, count in used)
    if nodes > faults.limits.layers:
        raise faults.refuse("too-many-layers", f"the functions expand to {_approximate(nodes)} nodes")
    size = sum(each.bytes * count for each, count in used)
    if size > max(faults.limits.xml_bytes, proto.ByteSize()):
        raise faults.refuse("oversized-file", f"the functions expand to {_approximate(size)} bytes")


def _approximate(count: int) -> str:
    """A number, short even if it has thousands of digits."""
    return f"{count:,}" if count < 10**15 else f"10^{int(count.bit_length() * 0.30103)} or more"


def _with_functions(proto: Any, functions: list[Any]) -> Any:
    reduced = type(proto)()
    reduced.CopyFrom(proto)
    del reduced.functions[:]
    reduced.functions.extend(functions)
    return reduced
