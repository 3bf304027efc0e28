"""A run that measures what it does."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from irops.analysis.structure import GraphNode
from irops.runtime.computed import Arrays, Computed, Observer
from irops.runtime.evaluator import Evaluator
from irops.runtime.plan import Plan, Step
from irops.runtime.profile import Profile
from irops.runtime.record import Record
from irops.runtime.stepwise import Run
from irops.runtime.variables import Transaction
from irops.values.element import Array


class MeasuredRun(Run):
    """A run whose record has a profile, which takes the time and the bytes of each step."""

    def __init__(
        self,
        evaluator: Evaluator,
        variables: Transaction,
        record: Record | None = None,
        observer: Observer | None = None,
    ) -> None:
        super().__init__(evaluator, variables, record, observer)
        if self.record.profile is None:
            self.record.profile = Profile()
        self.profile: Profile = self.record.profile

    def walk(
        self, graph: GraphNode, given: Mapping[int, Array], keep: Collection[int] = ()
    ) -> Iterator[Computed]:
        self.profile.begin()
        yield from super().walk(graph, given, keep)
        self.profile.end_graph(graph.path)

    def _plan(self, graph: GraphNode, given: Mapping[int, Array]) -> Plan:
        self.profile.begin()
        plan = super()._plan(graph, given)
        self.profile.end_planning(graph.path)
        return plan

    def layer(self, step: Step, arrays: Arrays, given: Array | None = None) -> Computed:
        self.profile.begin()
        computed = super().layer(step, arrays, given)
        self.profile.end_layer(
            step, self.evaluator.kernel(step.op)[0].name, computed.outputs, int(self.bytes_held)
        )
        return computed
