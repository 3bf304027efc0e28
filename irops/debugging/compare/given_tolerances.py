"""Tolerances that a person gives, in place of what rounding explains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np

from irops.diagnostics.printable import plural
from irops.ir.model import Layer
from irops.values.element import STRING, Array, element_type_of
from irops.verdicts.metrics import as_numbers, differs, metrics_of
from irops.verdicts.verdict import Judgement, Verdict

Tolerance = float | Mapping[str, float] | None
"""One for all, or by the name of a layer, a tensor or a result; the name "" stands for all others."""


@dataclass(frozen=True, slots=True)
class GivenTolerances:
    """rtol, atol: by name, "" for all that are not named. Elements a and b agree where |a - b| <= atol +
    rtol * |a|.
    """

    rtol: Mapping[str, float] = field(default_factory=dict)
    atol: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, rtol: Tolerance = None, atol: Tolerance = None) -> GivenTolerances:
        """Raises: ValueError for a negative one, or one that is no number"""
        return cls(_by_name("rtol", rtol), _by_name("atol", atol))

    def unknown(self, names: Iterable[str]) -> list[str]:
        """The names that are none of these."""
        known = {"", *names}
        return [name for name in (*self.rtol, *self.atol) if name not in known]

    def judgement(self, names: Iterable[str], one: Array, other: Array) -> Judgement | None:
        """The judgement of two arrays of one type and shape by the tolerance of one of their names; None
        where none is given.
        """
        found = self._of(tuple(names))
        if found is None or element_type_of(one) is STRING:
            return None
        rtol, atol = found
        unequal = differs(one, other)
        metrics = metrics_of(one, other)
        if not unequal.any():
            return Judgement(Verdict.EQUAL, "", metrics)
        with np.errstate(all="ignore"):
            a, b = as_numbers(one), as_numbers(other)
            allowed = atol + rtol * np.abs(a)
            apart = np.abs(a - b)
            outside = unequal & ~(apart <= allowed)
            quotients = np.where(unequal, apart / allowed, 0.0)
        excess = float(np.max(np.where(np.isnan(quotients), inf, quotients)))
        given = f"rtol {rtol:g}, atol {atol:g}"
        if not outside.any():
            return Judgement(Verdict.ROUNDING, f"within {given}", metrics, excess=excess)
        count = int(outside.sum())
        reason = f"{count:,} of {plural(outside.size, 'element')} beyond {given}"
        begins = outside & ~np.isfinite(b) & np.isfinite(a)
        verdict = Verdict.NOT_FINITE if begins.any() else Verdict.WRONG
        return Judgement(verdict, reason, metrics, excess=excess)

    def of_layer(
        self, layer: Layer, judged: tuple[Judgement, ...], truth: Sequence[Array], ours: Sequence[Array]
    ) -> tuple[Judgement, ...]:
        """The judgements of a layer's outputs, those of outputs with a given tolerance by that."""
        if not (self.rtol or self.atol) or len(judged) != len(truth) or len(truth) != len(ours):
            return judged
        return tuple(
            self._of_output(layer, index, one, pair)
            for index, (one, pair) in enumerate(zip(judged, zip(truth, ours)))
        )

    def _of_output(self, layer: Layer, index: int, judged: Judgement, pair: tuple[Array, Array]) -> Judgement:
        one, other = pair
        if judged.metrics is None or one.shape != other.shape or judged.verdict is Verdict.RANDOM:
            return judged
        given = self.judgement(output_names(layer, index), one, other)
        return judged if given is None else replace(given, output=index)

    def _of(self, names: tuple[str, ...]) -> tuple[float, float] | None:
        rtol, atol = (
            next((given[name] for name in (*names, "") if name in given), None)
            for given in (self.rtol, self.atol)
        )
        return None if rtol is None and atol is None else (rtol or 0.0, atol or 0.0)


def output_names(layer: Layer, index: int) -> tuple[str, ...]:
    """The names that a tolerance may have for an output: of its tensor, with its number, of its layer.

    A Result, which has no outputs, has its name alone.
    """
    tensors = (name for port in layer.outputs[index : index + 1] for name in port.names)
    return (*tensors, f"{layer.name}:{index}", layer.name)


NONE_GIVEN = GivenTolerances()


def _by_name(kind: str, given: Tolerance) -> dict[str, float]:
    if given is None:
        return {}
    named = dict(given) if isinstance(given, Mapping) else {"": given}
    for name, number in named.items():
        if not number >= 0:
            raise ValueError(f"{kind}{f' of {name}' if name else ''} is {number}, must be 0 or greater")
    return {name: float(number) for name, number in named.items()}
