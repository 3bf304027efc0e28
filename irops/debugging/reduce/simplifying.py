"""Simpler values, element types and attributes, and fewer results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from irops.debugging.reduce.arrays import in_plain_types, lower_numbers, may_be_parameters, plainer
from irops.debugging.reduce.attempts import Attempts
from irops.debugging.reduce.case import Case, computes
from irops.debugging.reduce.tensors import constants, tensors, with_tensors
from irops.editing.extraction import extract
from irops.ir.model import LayerKind
from irops.values.element import Array, element_type_of

_NUMBERS = re.compile(r"{0}(\s*,\s*{0})*".format(r"-?[0-9.]+(?:[eE][-+]?[0-9]+)?"))


def with_one_result(case: Case, attempts: Attempts) -> Case:
    """The case with a single result that shows the fault, if there is one."""
    analysis = case.analysis(attempts.registry, attempts.limits)
    sources = [analysis.root.wiring.inputs[layer.id][0] for layer in analysis.root.results]
    if len(sources) < 2:
        return case
    for source in sources:
        if source is not None:
            model = extract(analysis, outputs=[(source[0].id, source[1])])
            names = {layer.name for layer in model.layers if layer.kind is LayerKind.PARAMETER}
            fewer = Case(model, {name: array for name, array in case.inputs.items() if name in names})
            if attempts.fails(fewer):
                return fewer
    return case


def static(case: Case, attempts: Attempts) -> Case:
    """The case with inputs that declare the shapes of their values."""
    fixed = constants(case)
    arrays = {n: array for n, array in tensors(case).items() if n not in fixed}
    candidate = with_tensors(case, arrays, attempts.registry)
    return candidate if candidate.key != case.key and attempts.fails(candidate) else case


def in_simpler_types(case: Case, attempts: Attempts) -> Case:
    """The case with plain element types, changed in all tensors of a type at once."""
    arrays = tensors(case)
    for kind in dict.fromkeys(map(element_type_of, arrays.values())):
        of_kind = {n: array for n, array in arrays.items() if element_type_of(array) is kind}
        changed = {n: plain for n, array in of_kind.items() for plain in in_plain_types(array)}
        if changed:
            candidate = with_tensors(case, changed, attempts.registry)
            case = candidate if attempts.fails(candidate) else case
    return case


def with_plain_values(case: Case, attempts: Attempts) -> Case:
    """The case with zeros, ones, consecutive or whole numbers; vectors that may be axes or sizes are
    lowered.
    """
    arrays = {n: array for n, array in tensors(case).items() if not may_be_parameters(array)}
    for number in sorted(arrays, key=lambda n: -arrays[n].size):
        case = _first_failing(case, number, plainer(arrays[number]), attempts)
    for number, array in tensors(case).items():
        case = _first_failing(case, number, lower_numbers(array), attempts)
    return case


def _first_failing(case: Case, number: int, candidates: Iterator[Array], attempts: Attempts) -> Case:
    for array in candidates:
        candidate = with_tensors(case, {number: array}, attempts.registry)
        if attempts.fails(candidate):
            return candidate
    return case


def with_default_attributes(case: Case, attempts: Attempts) -> Case:
    """The case with attributes at their defaults, or 0 or 1 where there is none."""
    analysis = case.analysis(attempts.registry, attempts.limits)
    for layer in case.model.layers:
        invocation = analysis.root.layers[layer.id].invocation
        if invocation is None or not computes(layer):
            continue
        for name, attribute in invocation.op.definition.attributes.items():
            text = case.model.layer(layer.id).data.get(name)
            for simpler in () if text is None else _simpler_texts(text, attribute.default):
                data = {**case.model.layer(layer.id).data, name: simpler}
                candidate = with_tensors(case, {}, attempts.registry, {layer.id: data})
                if attempts.fails(candidate):
                    case = candidate
                    break
    return case


def _simpler_texts(text: str, default: str | None) -> Iterator[str]:
    """The default of an attribute; for numbers without one, zeros and ones."""
    if default is not None:
        if default != text:
            yield default
        return
    if _NUMBERS.fullmatch(text):
        for digit in "01":
            simpler = ",".join(digit for _ in text.split(","))
            if simpler == text.replace(" ", ""):
                return
            yield simpler


def without_metadata(case: Case, attempts: Attempts) -> Case:
    """The case without rt_info of the model and its layers, which names the program that made the model."""
    layers = [replace(layer, rt_info=None, comments=()) for layer in case.model.layers]
    graph = replace(case.model.graph, layers=layers, comments=())
    model = replace(case.model, graph=graph, rt_info=None, comments=(), legacy=[], unknown=[])
    candidate = Case(model, case.inputs)
    return candidate if candidate.key != case.key and attempts.fails(candidate) else case
