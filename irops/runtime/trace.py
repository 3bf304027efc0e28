"""Chrome's trace event format, which Perfetto and chrome://tracing read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from irops.diagnostics.printable import MAX_NAME, abridged, shown

VERSION = 1


@dataclass(frozen=True, slots=True)
class Event:
    """One call of a layer, one repetition of a body, or the planning of a graph, in nanoseconds."""

    name: str
    category: str
    start: int
    end: int
    arguments: Mapping[str, Any]


def trace_of(events: Sequence[Event], dropped: int) -> dict[str, Any]:
    """A trace, times in microseconds from the first event on. dropped: how many events are left out"""
    start = min((event.start for event in events), default=0)
    items: list[dict[str, Any]] = [
        {"name": "process_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": "irops run"}}
    ]
    for event in sorted(events, key=lambda one: (one.start, -one.end)):
        items.extend(_trace_events(event, start))
    return {
        "traceEvents": items,
        "displayTimeUnit": "ms",
        "otherData": {"version": VERSION, "dropped_events": dropped},
    }


def _trace_events(event: Event, start: int) -> Iterator[dict[str, Any]]:
    arguments = dict(event.arguments)
    tensor_bytes = arguments.pop("tensor_bytes", None)
    yield {
        "name": shown(event.name),
        "cat": abridged(event.category, MAX_NAME),
        "ph": "X",
        "ts": (event.start - start) / 1e3,
        "dur": (event.end - event.start) / 1e3,
        "pid": 1,
        "tid": 1,
        "args": arguments,
    }
    if tensor_bytes is not None:
        yield {
            "name": "tensors in memory",
            "ph": "C",
            "ts": (event.end - start) / 1e3,
            "pid": 1,
            "args": {"bytes": tensor_bytes},
        }
