"""The part of another model from which its results differ, and the part of this one that stands for it.

No candidate is changed but by cutting both models at values that are partners: with other sizes or constants
in one of them, the two would differ for that reason.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from irops.analysis.model_analysis import analyse
from irops.debugging.compare.compared_layer import ComparedLayer
from irops.debugging.compare.comparison import compared
from irops.debugging.compare.report import Comparison
from irops.debugging.reduce.case import Case
from irops.debugging.sources.source import Context, Source
from irops.debugging.sources.stored import OtherModel
from irops.diagnostics.diagnostic import DiagnosticError
from irops.editing.diff import Matching, Side
from irops.editing.extraction import Boundary, Value, extract, extracted
from irops.ir.model import LayerKind
from irops.runtime.session import run
from irops.values.element import Array

CANDIDATES = 8
"""How many of the layers that differ are tried."""
Pair = tuple[Value, Value]
"""A value of the first model, and its partner in the other one."""


def reduced_pair(context: Context, a: Source, b: OtherModel) -> tuple[Case, Case, Comparison, int] | None:
    """A part of a model, which is right, and its partner in another one, how they differ, and the tries. Both
    models are whole where no part differs; None where nothing that can be compared differs.

    Raises:  EvaluationError, SourceFailed
    """
    found = compared(context, a, b, "propagated")
    if found.first is None and not any(result.is_fault for result in found.results):
        return None
    tries = 0
    for tries, ends in enumerate(_ends(context, b, found), 1):
        cases = _cases(context, b, ends)
        if cases is not None:
            right, wrong = cases
            inner = Context(right.analysis, right.analysis.signature.arrays(right.inputs))
            differing = compared(inner, a, OtherModel(wrong.analysis, a), "propagated")
            if any(result.is_fault for result in differing.results):
                return right, wrong, differing, tries
    return _whole(context), _whole(b.context(context)), found, tries


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
    if cuts is None:
        return None
    of_a, of_b = cuts
    try:
        right = extracted(matching.a.analysis, Boundary(of_a, [ends[0]]))
        wrong = extracted(matching.b.analysis, Boundary(of_b.values(), [ends[1]]))
        values = _values(context, {**of_a, **dict.fromkeys(of_b)})
    except DiagnosticError:  # a part that cannot be cut out, as one between a variable and its use
        return None
    names, others = ({value: name for name, value in part.cuts.items()} for part in (right, wrong))
    given = {names.get(one, matching.a.name(one)): values[one] for one in of_a}
    theirs = {others.get(other, matching.b.name(other)): values[one] for one, other in of_b.items()}
    registry, limits = context.analysis.registry, context.analysis.limits
    models = (replace(part.model, rt_info=None) for part in (right, wrong))
    return Case(next(models), given, registry, limits), Case(next(models), theirs, registry, limits)


def _values(context: Context, wanted: Iterable[Value]) -> dict[Value, Array]:
    """Values of the first model. Raises: EvaluationError, a DiagnosticError"""
    analysis = context.analysis
    values = {(number, 0): array for number, array in context.inputs.items()}
    computed = [value for value in wanted if value not in values]
    if computed:
        part = analyse(extract(analysis, outputs=computed), analysis.registry, analysis.limits)
        inputs = {port.name: context.inputs[port.layer.id] for port in part.signature.inputs}
        results = run(part, inputs, backends="reference")
        values |= dict(zip(computed, results.values(), strict=True))
    return values


def _common_cuts(matching: Matching, ends: Pair) -> tuple[dict[Value, None], dict[Value, Value]] | None:
    """Where to cut the first model before a value, and the other one before its partner: values of the other
    by those of the first that stand for them. As near to the two as there are partners; None where the other
    one needs an input that has none.
    """
    of_a, of_b = {ends[0][0]}, {ends[1][0]}
    outputs = [(one, index) for one in matching.to for index in range(len(matching.a.layers[one].outputs))]
    back = {(matching.to[one], index): (one, index) for one, index in outputs}
    while True:
        before, other = _before(matching.a, of_a), _before(matching.b, of_b)
        further_a = {one[0] for one in before if _is_lone(matching.a, one, matching.value(one), of_b)}
        further_b = {one[0] for one in other if _is_lone(matching.b, one, back.get(one), of_a)}
        if not further_a and not further_b:
            return (before, {back[one]: one for one in other}) if other.keys() <= back.keys() else None
        of_a, of_b = of_a | further_a, of_b | further_b


def _is_lone(side: Side, value: Value, partner: Value | None, others: Collection[int]) -> bool:
    """Whether a part cannot be given a value: without a partner, or where the other part computes that."""
    is_input = side.layers[value[0]].kind is LayerKind.PARAMETER
    return not is_input and (partner is None or partner[0] in others)


def _before(side: Side, layers: Collection[int]) -> dict[Value, None]:
    """The values that a part takes from outside, without those that follow from constants alone."""
    given = [(number, 0) for number in layers if side.layers[number].kind is LayerKind.PARAMETER]
    used = (source for number in layers for source in side.sources(number) if source is not None)
    return dict.fromkeys([*given, *(one for one in used if side.computes(one) and one[0] not in layers)])
