"""The time and the bytes of a run, by layer and by op."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter_ns

from irops.diagnostics.html_table import html_table
from irops.diagnostics.printable import plural
from irops.runtime.plan import PlannedLayer
from irops.values.element import Array

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
    """A call that has not ended. inner: the nanoseconds of calls within it."""

    start: int
    inner: int = 0


@dataclass(slots=True, eq=False)
class Profile:
    """Collects what a run takes. seconds: of the run; planning: of these, for inference and plans."""

    seconds: float = 0.0
    planning: float = 0.0
    _layers: dict[tuple[GraphPath, int], Total] = field(default_factory=dict)
    _calls: list[_TimedCall] = field(default_factory=list)

    def begin(self) -> None:
        """A call begins; calls within it begin and end before it ends."""
        self._calls.append(_TimedCall(perf_counter_ns()))

    def end_layer(self, step: PlannedLayer, backend: str, outputs: Sequence[Array]) -> None:
        """A call of a layer ends."""
        call, end = self._ended()
        layer, path, op = step.layer, step.node.path, step.op.id
        total = self._layers.get((path, layer.id))
        if total is None:
            total = self._layers[path, layer.id] = Total(layer.name, op, backend, path)
        size = sum(array.nbytes for array in outputs)
        total.add(1, (end - call.start - call.inner) / 1e9, size)

    def end_planning(self) -> None:
        """The planning of a graph ends."""
        call, end = self._ended()
        self.planning += (end - call.start) / 1e9  # nanoseconds

    def end_graph(self, path: GraphPath) -> None:
        """A run of the model, or of a body, ends."""
        call, end = self._ended()
        if not path:
            self.seconds += (end - call.start) / 1e9

    def _ended(self) -> tuple[_TimedCall, int]:
        end = perf_counter_ns()
        call = self._calls.pop()
        if self._calls:
            self._calls[-1].inner += end - call.start
        return call, end

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
