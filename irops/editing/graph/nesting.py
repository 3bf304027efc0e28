"""Graphs whose nodes may have bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irops.editing.graph.base import Base
from irops.editing.graph.bodies import (
    Carried,
    Inflow,
    Purposes,
    Sliced,
    Stacked,
    conditional_bodies,
    loop_body,
)
from irops.editing.graph.node import Value
from irops.editing.graph.rewriting import Rewriting


class Nesting(Rewriting):
    """A graph to which If, Loop and TensorIterator can be added, with other graphs as their bodies."""

    def If(  # noqa: N802
        self,
        condition: Any,
        then: Base,
        otherwise: Base,
        inputs: Mapping[str, Any] | None = None,
        *,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """Add an If: the results of one of two graphs, whichever the condition chooses.

        inputs: what flows into the Parameters of the graphs, by their names; one of a name that both have
        flows into both. The graphs give their results in the same order; they are copied.
        """
        op = self.newest("If")
        name = self.new_name(op, name)
        with self.change():
            operands, bodies = conditional_bodies(self, then, otherwise, inputs or {}, name)
            return self.added(op, name, [condition, *operands], {}, bodies=bodies).outputs

    def Loop(  # noqa: N802
        self,
        body: Base,
        inputs: Mapping[str, Inflow],
        outputs: Sequence[str | Stacked],
        *,
        trip_count: Any = -1,
        condition: Any = True,
        iteration: str | None = None,
        continue_if: str | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """Add a Loop, which runs a graph repeatedly.

        inputs: what flows into the Parameters of the graph, by their names: a Value, the same in each
        iteration; sliced(value, axis=0), a part in each; carried(initial, "result"), what the iteration
        before gave. outputs: names of results, of which the last value flows out, or stacked("result",
        axis=0), the values of all iterations. trip_count: the most iterations, -1 for any number; condition:
        whether there is a first one; iteration: the Parameter that gets their number; continue_if: the result
        that says whether there is another, true by default
        """
        op = self.newest("Loop")
        name = self.new_name(op, name)
        with self.change():
            purposes = Purposes(iteration, continue_if)
            operands, made = loop_body(self, body, 2, inputs, outputs, name, purposes)
            operands = [trip_count, condition, *operands]
            return self.added(op, name, operands, {}, bodies={"body": made}).outputs

    def TensorIterator(  # noqa: N802
        self,
        body: Base,
        inputs: Mapping[str, Inflow],
        outputs: Sequence[str | Stacked],
        *,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """Add a TensorIterator, which runs a graph once for each part of its sliced inputs; see Loop."""
        op = self.newest("TensorIterator")
        name = self.new_name(op, name)
        with self.change():
            operands, made = loop_body(self, body, 0, inputs, outputs, name)
            return self.added(op, name, operands, {}, bodies={"body": made}).outputs

    @staticmethod
    def sliced(
        value: Any, axis: int = 0, *, start: int = 0, end: int = -1, stride: int = 1, part_size: int = 1
    ) -> Sliced:
        """What flows into a body part by part: part_size elements along axis from start to end in each
        iteration, backwards with a negative stride.
        """
        return Sliced(value, axis, start, end, stride, part_size)

    @staticmethod
    def carried(initial: Any, result: str) -> Carried:
        """What flows into a body from its previous iteration: a result of it, at first the initial value."""
        return Carried(initial, result)

    @staticmethod
    def stacked(
        result: str, axis: int = 0, *, start: int = 0, end: int = -1, stride: int = 1, part_size: int = 1
    ) -> Stacked:
        """What flows out of a body: the values of a result in all iterations, concatenated along axis."""
        return Stacked(result, axis, start, end, stride, part_size)
