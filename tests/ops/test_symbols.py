"""Symbols are sound: with a symbol for every size of the inputs, every expression that is inferred for a size
or a value of the outputs equals, at the sizes of a run, what the reference computes.
"""

from math import isnan

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from invoking import attach_values, infer_layer, loaded
from tiers import random_cases

from irops.analysis.invocation import OpFault
from irops.conformance.cases import InvalidTrial, definition_cases, expected_of
from irops.conformance.strategies import variations
from irops.dialects.registry import default_registry
from irops.spec.attributes import bind
from irops.values.dim import Dim, Symbol
from irops.values.element import BOOLEAN, element_type_of
from irops.values.fact import Fact, dims_array, holds_dims
from irops.values.shape import Shape

REGISTRY = default_registry()
ASSUMING = {"Squeeze-1", "Squeeze-15"}
"""Inferred as if every axis that may have size 1 had it; a run with another size is refused (IR618)."""
IDS = [op.id for op in loaded(REGISTRY.ids()) if not op.definition.bodies and op.id not in ASSUMING]
LARGE = 2**30
"""Greater numbers may come from integers that wrap around, which unbounded ones are assumed not to do."""
SMALL = 64
"""The most elements of a value that is made symbolic."""


def broadcast_of(*sizes):
    """The size of an axis after broadcasting, of which all sizes other than 1 are equal."""
    others = {size for size in sizes if size != 1}
    assert len(others) <= 1
    return others.pop() if others else 1


class Sizes:
    """The named numbers of one example, and what each is in the run. Equal numbers may share a name."""

    def __init__(self, draw):
        self.draw = draw
        self.numbers = {}

    def dim(self, number):
        """What may be known of a number: known, an interval, a name, or a polynomial in names."""
        kind = self.draw(st.sampled_from(("known", "interval", "own", "shared", "shared", "polynomial")))
        low = number - self.draw(st.integers(0, 2))
        high = number + self.draw(st.sampled_from((0, 1, 3, np.inf)))
        bounds = (max(low, 0) if number >= 0 else low, high)
        if kind == "known" or number == 0:  # equal names that cancel out are assumed not to be 0
            return Dim.of(number)
        if kind == "interval":
            return Dim(*bounds)
        if kind == "polynomial" and number > 1:
            factor = self.draw(st.integers(1, number))
            return (
                self._named(f"p{number // factor}", number // factor, (1, np.inf)) * factor + number % factor
            )
        name = f"n{abs(number)}{'m' * (number < 0)}"
        return self._named(name if kind == "shared" else f"{name}_{len(self.numbers)}", number, bounds)

    def _named(self, name, number, bounds):
        self.numbers[name] = number
        full = (1, np.inf) if number > 0 else (-np.inf, -1)
        return Dim(max(bounds[0], full[0]), min(bounds[1], full[1]), Symbol.named(name, full))

    def holds(self, dim, number):
        """Whether a number lies within the bounds, and is what the symbol says. No interval contains NaN."""
        if isnan(number) or abs(number) > LARGE:
            return True
        if not dim.low <= number <= dim.high:
            return False
        return (
            dim.symbol is None
            or eval(str(dim.symbol), {"broadcast": broadcast_of}, dict(self.numbers)) == number
        )


def with_symbols(sizes, array):
    """What may be known of an input: its shape in symbols, its values or symbols for them, or none."""
    if array is None:
        return None
    kind = element_type_of(array)
    value = None
    if array.size <= SMALL:
        form = sizes.draw(st.sampled_from(("known", "known", "symbols", "none")))
        if form == "known":
            return Fact.of(array)
        if form == "symbols" and kind.integral and kind is not BOOLEAN and array.size:
            dims = [sizes.dim(int(number)) for number in array.ravel()]
            return Fact(kind, Shape(array.shape), dims_array(dims).reshape(array.shape))
    return Fact(kind, Shape(sizes.dim(size) for size in array.shape), value)


@random_cases(few=5, many=40)
@pytest.mark.parametrize("op_id", IDS)
def test_every_symbol_is_what_comes_out(op_id, case_count):
    op = REGISTRY.op(op_id)
    starts = [case.trial for case in definition_cases(op) if case.kind == "example"]
    if not starts:
        return

    @settings(
        max_examples=case_count, deadline=None, derandomize=True, database=None, report_multiple_bugs=False
    )
    @given(st.data())
    def law(data):
        trial = data.draw(st.one_of(st.sampled_from(starts), variations(op, starts)))
        try:
            expected = expected_of(trial)
        except InvalidTrial:
            assume(False)
        assume(expected.violated is None and not expected.reference_error)
        sizes = Sizes(data.draw)
        facts = [with_symbols(sizes, array) for array in trial.arrays]
        values = bind(op, trial.attributes).values
        try:
            outputs = infer_layer(op, facts, values)
        except OpFault as fault:
            if (op_id, fault.constraint) == ("ReverseSequence-1", "C7"):  # of what is known, not of what is
                return
            raise
        shown = [
            (str(f), None if f is None or f.shape.dims is None else [repr(d) for d in f.shape]) for f in facts
        ]
        for fact, array in zip(attach_values(op, facts, values, outputs, 1 << 12), expected.outputs):
            where = f"{shown} {trial.attributes} gives {fact}, a run with {sizes.numbers} gives {array.shape}"
            if fact.shape.dims is not None:
                assert len(fact.shape.dims) == array.ndim, where
                for dim, size in zip(fact.shape.dims, array.shape):
                    assert sizes.holds(dim, size), f"{where}: {dim!r}"
            known = fact.known
            if known is not None and holds_dims(known):
                for dim, number in zip(known.ravel(), array.ravel()):
                    assert sizes.holds(dim, number.item()), f"{where} with {array}: {dim!r} in {known}"

    law()
