"""Sizes for which inference has no expression: whether data decide them, and formulas that fit them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from irops.debugging.origins.expression import Expression
from irops.debugging.origins.facet import Aspect, Facet
from irops.debugging.origins.influence import Facts, Item, inferred_again, items_of, needed_items
from irops.debugging.origins.sources import Kind, Source
from irops.debugging.origins.symbolic import Birth, SymbolicModel
from irops.invocation import OpFault
from irops.values.dim import Dim
from irops.values.fact import Fact
from irops.values.violation import LimitExceeded

MAX_DENOMINATOR, LARGEST = 64, 65537
TRIED = (*range(1, 130), 999, 1000, 1001, 4096, 32768, LARGEST)
"""The sizes for which a formula must fit."""


def source_of(model: SymbolicModel, name: str) -> Source:
    """What a named size is: the size of an input, or one that has no expression."""
    return model.sources.get(name) or _source_of_birth(model, model.births[name])


def _source_of_birth(model: SymbolicModel, birth: Birth) -> Source:
    """A size without an expression, as a named size of its own."""
    node, facts = model.node(birth.layer), model.facts(birth.layer)
    op = node.layer.type if node.op is None else node.op.id
    place = model.analysis.location(node.layer, node.path)
    declared = facts.outputs[birth.output].shape[birth.axis].named(None)
    kind = Kind.DATA if decided_by_data(model, birth) else Kind.UNEXPRESSED
    if any(fact and fact.shape.dims is None for fact in facts.inputs):
        kind = Kind.RANK
    if kind is Kind.UNEXPRESSED and formula_of(model, birth.name) is not None:
        kind = Kind.FITTED
    return Source(
        birth.name, kind, node.layer.name, birth.output, birth.axis, declared, op, place, birth.layer[0]
    )


def with_formulas(model: SymbolicModel, expression: Expression) -> tuple[Expression, tuple[str, ...]]:
    """The expression with formulas for sizes that these fit, and the names that they replace."""
    formulas: dict[str, Expression] = {}
    replaced: list[str] = []
    for name in expression.names:
        formula = formula_of(model, name) if name in model.births else None
        if formula is not None:
            formulas[name], inner = with_formulas(model, formula)
            replaced.extend((name, *inner))
    return expression.with_names(formulas), tuple(dict.fromkeys(replaced))


def formula_of(model: SymbolicModel, name: str) -> Expression | None:
    """The formula that fits a size without an expression; None where there is none."""
    if name not in model.formulas:
        model.formulas[name] = fitted_expression(model, model.births[name])
    return model.formulas[name]


def decided_by_data(model: SymbolicModel, birth: Birth) -> bool:
    """Whether a size is unknown even where all sizes of the model's inputs are numbers."""
    size = _size_at(model.concrete_facts(birth.layer).outputs, birth)
    return size is None or not size.known


def _size_at(outputs: Sequence[Fact], birth: Birth) -> Dim | None:
    facet = Facet(*birth.layer, birth.output, Aspect.SIZE, birth.axis)
    return facet.size(outputs[birth.output]) if birth.output < len(outputs) else None


def fitted_expression(model: SymbolicModel, birth: Birth) -> Expression | None:
    """A formula (a*x + c)//b for a size that follows from one other size x, which has an expression.

    It is right for all sizes that are tried; None where there is none.
    """
    node, facts = model.node(birth.layer), model.concrete_facts(birth.layer)
    if node.invocation is None or facts.failed or node.bodies:
        return None

    def size_for(inputs: Facts) -> Dim | None:
        try:
            return _size_at(inferred_again(model.analysis, node, inputs), birth)
        except (OpFault, LimitExceeded):
            return None

    usual = size_for(facts.inputs)
    if usual is None or not usual.known:
        return None
    items = list(items_of(facts.inputs))
    needed = needed_items(facts.inputs, items, lambda inputs: size_for(inputs) == usual)
    sizes = [item for item in needed if item.kind == "size"]
    if len(sizes) != 1 or not _constant_values(model, birth, needed):
        return None
    varied = _fitted([(n, size_for(_with_size(facts.inputs, sizes[0], n))) for n in TRIED])
    fact = model.facts(birth.layer).inputs[sizes[0].input]
    of = None if fact is None else Expression.of(fact.shape[sizes[0].index])
    if varied is None or of is None:
        return None
    return Expression.parsed(varied).with_names({"x": of})


def _constant_values(model: SymbolicModel, birth: Birth, needed: Sequence[Item]) -> bool:
    """Whether the values among the items are the same for all sizes of the model's inputs."""
    inputs = model.facts(birth.layer).inputs
    values = [inputs[item.input] for item in needed if item.kind == "value"]
    return all(fact is not None and fact.value is not None for fact in values)


def _with_size(inputs: Facts, item: Item, number: int) -> list[Fact | None]:
    return [
        fact
        if fact is None or index != item.input
        else Fact(fact.element_type, fact.shape.with_dim(item.index, number))
        for index, fact in enumerate(inputs)
    ]


def _fitted(samples: Sequence[tuple[int, Dim | None]]) -> str | None:
    """The text of a formula of x that gives all samples; sizes that the op refuses have no sample."""
    points = [(x, int(size)) for x, size in samples if size is not None and size.known]
    if len(points) < len(samples) // 2:
        return None
    ratio = Fraction(points[-1][1], points[-1][0]).limit_denominator(MAX_DENOMINATOR)
    a, b = ratio.numerator, ratio.denominator
    low = max(b * y - a * x for x, y in points)
    high = min(b * y - a * x + b - 1 for x, y in points)
    if low > high:
        return None
    offset = min(max(0, low), high)
    multiple = "x" if a == 1 else f"{a}*x"
    total = f"{multiple} + {offset}" if offset else multiple
    return f"({total})//{b}" if b > 1 else total
