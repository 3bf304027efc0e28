"""The time and the bytes of a run, by layer and by op, and as a trace for Perfetto or Chrome."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import Any

from irops.diagnostics.html_table import html_table
from irops.diagnostics.printable import MAX_NAME, abridged, plural, shown
from irops.files.output import PendingFiles, local_target
from irops.runtime.plan import PlannedLayer
from irops.values.element import Array

MAX_EVENTS = 200_000
"""The greatest number of events of a trace; the totals count all."""
GraphPath = tuple[str, ...]


@dataclass(slots=True)
class Total:
    """Time and bytes of all calls of one layer, or of all layers of one op.

    name: of the layer, or the id of the op; path: the layers and bodies down to the layer's graph; seconds:
    without those of the layers in bodies; bytes: of the outputs.
    """

    name: str
    op: str
    backend: str
    path: GraphPath = ()
    calls: int = 0
    seconds: float = 0.0
    bytes: int = 0

    def add(self, calls: int, seconds: float, bytes_: int) -> None:
        self.calls += calls
        self.seconds += seconds
        self.bytes += bytes_


@dataclass(slots=True)
class _TimedCall:
    """A call under way. inner: the nanoseconds of calls within it."""

    start: int
    inner: int = 0


@dataclass(slots=True, eq=False)
class Profile:
    """Collects what a run takes. seconds: of the run; planning: of these, for inference and plans.

    events: the first MAX_EVENTS calls; dropped: the number of others.
    """

    seconds: float = 0.0
    planning: float = 0.0
    events: "list[Event]" = field(default_factory=list)
    dropped: int = 0
    _layers: dict[tuple[GraphPath, int], Total] = field(default_factory=dict)
    _calls: list[_TimedCall] = field(default_factory=list)
    _repetitions: dict[GraphPath, int] = field(default_factory=dict)

    def begin(self) -> None:
        """A call begins; calls within it begin and end before it ends."""
        self._calls.append(_TimedCall(perf_counter_ns()))

    def end_layer(
        self, step: PlannedLayer, backend: str, outputs: Sequence[Array], tensor_bytes: int
    ) -> None:
        """A call of a layer ends. tensor_bytes: the bytes of the tensors that the run has in memory"""
        call, end = self._ended()
        layer, path, op = step.layer, step.node.path, step.op.id
        size = sum(array.nbytes for array in outputs)
        total = self._layers.get((path, layer.id))
        if total is None:
            total = self._layers[path, layer.id] = Total(layer.name, op, backend, path)
        total.add(1, (end - call.start - call.inner) / 1e9, size)
        shapes = [list(array.shape) for array in outputs]
        arguments = {"op": op, "backend": backend, "bytes": size, "shapes": shapes}
        self._add(Event(layer.name, op, call.start, end, {**arguments, "tensor_bytes": tensor_bytes}))

    def end_planning(self, path: GraphPath) -> None:
        """The planning of a graph ends."""
        call, end = self._ended()
        self.planning += (end - call.start) / 1e9
        self._add(Event("plan", "plan", call.start, end, {"graph": "/".join(path)}))

    def end_graph(self, path: GraphPath) -> None:
        """A run of the model, or of a body, ends."""
        call, end = self._ended()
        if not path:
            self.seconds += (end - call.start) / 1e9
        number = self._repetitions[path] = self._repetitions.get(path, -1) + 1
        name = f"{path[-1]} {number}" if path else "run"
        self._add(Event(name, "body" if path else "run", call.start, end, {"repetition": number}))

    def _ended(self) -> tuple[_TimedCall, int]:
        end = perf_counter_ns()
        call = self._calls.pop()
        if self._calls:
            self._calls[-1].inner += end - call.start
        return call, end

    def _add(self, event: "Event") -> None:
        if len(self.events) < MAX_EVENTS:
            self.events.append(event)
        else:
            self.dropped += 1

    @property
    def layers(self) -> tuple[Total, ...]:
        """Time and bytes of each layer, the slowest first."""
        return tuple(sorted(self._layers.values(), key=lambda total: -total.seconds))

    @property
    def ops(self) -> tuple[Total, ...]:
        """Time and bytes of the layers of each op on one backend, the slowest first."""
        totals: dict[tuple[str, str], Total] = {}
        for layer in self._layers.values():
            total = totals.setdefault((layer.op, layer.backend), Total(layer.op, layer.op, layer.backend))
            total.add(layer.calls, layer.seconds, layer.bytes)
        return tuple(sorted(totals.values(), key=lambda total: -total.seconds))

    def share(self, total: Total) -> float:
        """The part of the time of all layers, from 0 to 1."""
        whole = sum(layer.seconds for layer in self._layers.values())
        return total.seconds / whole if whole > 0 else 0.0

    def trace(self) -> dict[str, Any]:
        """The run in Chrome's trace event format, which Perfetto and chrome://tracing read."""
        return trace_of(self.events, self.dropped)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the trace as JSON. Raises: OSError"""
        with PendingFiles(local_target(path)) as (file,):
            file.write(json.dumps(self.trace()).encode())

    def __repr__(self) -> str:
        calls = sum(layer.calls for layer in self._layers.values())
        return f"<Profile of {plural(calls, 'call')}: {self.seconds * 1e3:.1f} ms>"

    def _repr_html_(self) -> str:
        """A table for notebooks: time and bytes by op."""
        rows = (
            (op.name, op.backend, op.calls, f"{op.seconds * 1e3:.2f}", f"{self.share(op):.1%}", op.bytes)
            for op in self.ops
        )
        return html_table(repr(self)[1:-1], ("op", "backend", "calls", "ms", "share", "bytes"), rows)


# Chrome's trace event format, which Perfetto and chrome://tracing read.

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
