"""Tolerances that a user sets in place of the error bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from sys import float_info

import numpy as np

from irops.analysis.model_analysis import ModelAnalysis
from irops.diagnostics.printable import abridged
from irops.ir.model import Layer
from irops.values.element import BOOLEAN, STRING, Array, element_type_of
from irops.verdicts.judge import fault, greatest_share, in_form_of, in_one_type, outside
from irops.verdicts.metrics import as_numbers
from irops.verdicts.question import DECLARED, Judgement, Verdict

EVERYWHERE = ""
"""The name under which the tolerance of all tensors stands."""
Tolerance = float | Mapping[str, float] | None
"""One number for all, or numbers by the name of a layer, a tensor or a result, a part of it or a pattern;
EVERYWHERE stands for all others.
"""
FIXED = (Verdict.EQUAL, Verdict.TIE, Verdict.SKIPPED, Verdict.RANDOM, Verdict.FAILED)
"""Verdicts that no tolerance changes."""


@dataclass(frozen=True, slots=True)
class Tolerances:
    """Elements of b may differ from those of a by atol + rtol * |a|; both by name."""

    rtol: Mapping[str, float] = field(default_factory=dict)
    atol: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, analysis: ModelAnalysis, rtol: Tolerance, atol: Tolerance) -> Tolerances:
        """Raises:  ValueError for a negative number, and for a name that the model does not have"""
        return cls(_by_name("rtol", rtol, analysis), _by_name("atol", atol, analysis))

    def notes(self) -> Iterator[str]:
        """A sentence about each tolerance, since agreement within it is less than agreement."""
        for what, given in (("rtol", self.rtol), ("atol", self.atol)):
            for name, number in given.items():
                where = f"of {abridged(name, 60)}" if name else "everywhere"
                yield f"{what} {number:g} {where} in place of error bounds"

    def of_tensor(self, names: Iterable[str]) -> tuple[float | None, float | None]:
        """rtol and atol of a tensor, by the first of its names that has one; None where none has."""
        names = (*names, EVERYWHERE)
        relative, absolute = (
            next((given[name] for name in names if name in given), None) for given in (self.rtol, self.atol)
        )
        return relative, absolute

    def concern(self, layer: Layer) -> bool:
        """Whether a person has set how far an output of a layer may be off."""
        tensors = (name for port in layer.outputs for name in port.names)
        return self.of_tensor((layer.name, *tensors)) != (None, None)

    def judged(self, judgement: Judgement, names: Iterable[str], a: Array, b: Array) -> Judgement:
        """The judgement of two values of a tensor, by its tolerance; unchanged where it has none."""
        relative, absolute = self.of_tensor(names)
        if (relative is None and absolute is None) or judgement.verdict in FIXED:
            return judgement
        one, other = in_one_type(a, b)
        formed, _ = in_form_of(one, other)
        if formed is None or element_type_of(one) in (BOOLEAN, STRING):
            return judgement
        allowed = (absolute or 0.0) + np.nan_to_num((relative or 0.0) * np.abs(as_numbers(one)))
        beyond = outside(one, formed, allowed, DECLARED)
        share = greatest_share(one, formed, allowed)
        named = (("rtol", relative), ("atol", absolute))
        words = " and ".join(f"{name} {number:g}" for name, number in named if number is not None)
        if not beyond.any():
            return replace(judgement, verdict=Verdict.ROUNDING, reason=f"{share:.0%} of {words}")
        verdict, reason = fault(one, formed, beyond, DECLARED, f"by up to {share:.3g} times of {words}")
        return replace(judgement, verdict=verdict, reason=reason)


def _by_name(what: str, given: Tolerance, analysis: ModelAnalysis) -> Mapping[str, float]:
    if given is None:
        return {}
    by_name = dict(given) if isinstance(given, Mapping) else {EVERYWHERE: given}
    results = {name for result in analysis.signature.results for name in result.names}
    found: dict[str, float] = {}
    for name, number in by_name.items():
        if not 0 <= number <= float_info.max:
            raise ValueError(f"{what} is {number}, must be a number from 0 on")
        names = analysis.root.names
        if name == EVERYWHERE or name in results or names.exact(name) is not None:
            found[name] = number
            continue
        try:
            found |= {layer.name: number for layer, _ in names.all(name)}
        except KeyError as error:
            raise ValueError(f"{what} is for {name!r}: {error.args[0]}") from None
    return found
