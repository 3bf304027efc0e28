"""The part of another model from which its results differ, and the part of this one that stands for it.

No candidate is changed but by cutting both models at values that are partners: with other sizes or constants
in one of them, the two would differ for that reason.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from irops.debugging.compare.compared_layer import ComparedLayer
from irops.debugging.compare.comparison import compared
from irops.debugging.compare.report import Comparison
from irops.debugging.reduce.case import Case
from irops.debugging.sources.source import Context, Source
from irops.debugging.sources.stored import OtherModel
from irops.diagnostics.diagnostic import DiagnosticError
from irops.editing.diff import Matching, Side
from irops.editing.extraction import Boundary, Value, cut_values, extracted
from irops.ir.model import LayerKind
from irops.values.element import Array

CANDIDATES = 8
"""How many of the layers that differ are tried."""
Pair = tuple[Value, Value]
"""A value of the first model, and its partner in the other one."""


def reduced_pair(context: Context, a: Source, b: OtherModel) -> tuple[Case, Case, Comparison, int] | None:
    """A part of a model, which is right, and its partner in another one, how they differ, and the tries. Both
    models are whole where no part differs; None where the models do not differ.

    Raises:  EvaluationError, SourceFailed
    """
    found = compared(context, a, b, "propagated")
    if found.ok:
        return None
    for tries, ends in enumerate(_ends(context, b, found), 1):
        cases = _cases(context, b, ends)
        if cases is not None:
            right, wrong = cases
            inner = Context(right.analysis, right.analysis.signature.arrays(right.inputs))
            differing = compared(inner, a, OtherModel(wrong.analysis, a), "propagated")
            if any(result.is_fault for result in differing.results):
                return right, wrong, differing, tries
    theirs = b.context(context)
    return _whole(context), _whole(theirs), found, CANDIDATES


def _whole(context: Context) -> Case:
    analysis = context.analysis
    inputs = {port.name: context.inputs[port.layer.id] for port in analysis.signature.inputs}
    return Case(analysis.model, inputs, analysis.registry, analysis.limits)


def _ends(context: Context, b: OtherModel, found: Comparison) -> Iterator[Pair]:
    """Values that differ: of the first wrong layers, then of results."""
    matching = b.matching(context)
    faults = [layer for layer in found.layers if layer.is_fault and not layer.path]
    for layer in sorted(faults, key=ComparedLayer.rank)[:CANDIDATES]:
        output = layer.judgement.output
        partner = matching.value((layer.id, output))
        if partner is not None:
            yield (layer.id, output), partner
    wrong = {result.name for result in found.results if result.is_fault}
    for port in context.analysis.signature.results:
        if port.name in wrong and port.layer.id in matching.to:
            one, other = (
                side.sources(number)[0]
                for side, number in ((matching.a, port.layer.id), (matching.b, matching.to[port.layer.id]))
            )
            if one is not None and other is not None:
                yield one, other


def _cases(context: Context, b: OtherModel, ends: Pair) -> tuple[Case, Case] | None:
    """The parts that compute two values from values that are partners, which get those of the first model."""
    matching = b.matching(context)
    cuts = _common_cuts(matching, ends)
    try:
        right = extracted(matching.a.analysis, Boundary([one for one, _ in cuts], [ends[0]]))
        wrong = extracted(matching.b.analysis, Boundary([other for _, other in cuts], [ends[1]]))
    except DiagnosticError:  # a part that cannot be cut out, as one between a variable and its use
        return None
    named: dict[str | int, Array] = {
        port.name: context.inputs[port.layer.id] for port in context.analysis.signature.inputs
    }
    values = cut_values(right, context.analysis, named, backends="reference")
    names = {value: name for name, value in right.cuts.items()}
    others = {value: name for name, value in wrong.cuts.items()}
    given = {
        others.get(other, matching.b.name(other)): values[names.get(one, matching.a.name(one))]
        for one, other in cuts
    }
    registry, limits = context.analysis.registry, context.analysis.limits
    models = (replace(part.model, rt_info=None) for part in (right, wrong))
    return Case(next(models), values, registry, limits), Case(next(models), given, registry, limits)


def _common_cuts(matching: Matching, ends: Pair) -> list[Pair]:
    """Where to cut both models before two values, as near to these as there are partners."""
    of_a, of_b = {ends[0][0]}, {ends[1][0]}
    while True:
        before, other = list(_before(matching.a, of_a)), list(_before(matching.b, of_b))
        pairs = [(one, partner) for one in before if (partner := matching.value(one)) in other]
        known, partners = {one for one, _ in pairs}, {partner for _, partner in pairs}
        lone = [one for one in before if one not in known and _computes(matching.a, one)]
        theirs = [one for one in other if one not in partners and _computes(matching.b, one)]
        if not lone and not theirs:
            return [(one, partner) for one, partner in pairs if partner is not None]
        without = (
            [one for one in lone if one[0] not in matching.to],
            [one for one in theirs if one[0] not in matching.back],
        )
        further = without if any(without) else (lone, theirs)
        of_a, of_b = (part | {one[0] for one in more} for part, more in zip((of_a, of_b), further))


def _before(side: Side, layers: Iterable[int]) -> dict[Value, None]:
    """The values that a part uses, but those that it computes and those that follow from constants alone."""
    used = (source for number in layers for source in side.sources(number))
    return {source: None for source in used if source and side.computes(source) and source[0] not in layers}


def _computes(side: Side, value: Value) -> bool:
    return side.layers[value[0]].kind is not LayerKind.PARAMETER
