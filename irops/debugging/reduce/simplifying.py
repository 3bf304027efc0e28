"""Simpler values, element types and attributes, and fewer results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from irops.analysis.declaring import with_declared_ports
from irops.analysis.model_analysis import infer
from irops.debugging.reduce.arrays import (
    axes_of,
    in_plain_types,
    lower_numbers,
    may_be_parameters,
    plainer,
    shorter,
    sliced,
)
from irops.debugging.reduce.attempts import Attempts
from irops.debugging.reduce.case import Case, computes
from irops.debugging.reduce.pairs import with_equal_inputs
from irops.editing.constant_layers import constant_layer, joined, static_parameter
from irops.editing.extraction import extract
from irops.ir.model import Layer, LayerKind, Port
from irops.ir.weights import constant
from irops.registry import Registry
from irops.values.element import Array, element_type_of

# The tensors of a case, and the case with others in their place.


def tensors(case: Case) -> dict[int, Array]:
    """The values of inputs and constants that have an output, by layer id, bodies apart."""
    return {
        layer.id: constant(case.model, layer) if layer.is_constant else case.inputs[layer.name]
        for layer in case.model.layers
        if layer.outputs
        and (layer.is_constant or (layer.kind is LayerKind.PARAMETER and layer.name in case.inputs))
    }


def constants(case: Case) -> frozenset[int]:
    """The ids of constants, bodies apart."""
    return frozenset(layer.id for layer in case.model.layers if layer.is_constant)


def with_tensors(
    case: Case,
    arrays: Mapping[int, Array],
    registry: Registry | None,
    data: Mapping[int, Mapping[str, str]] | None = None,
) -> Case:
    """The case with other values, of any types and shapes; ports declare what is then inferred.

    registry: of the ops of the case, None for the default one; data: other attributes, by layer id
    """
    weights, inputs = joined(case.model.weights), dict(case.inputs)
    layers: list[Layer] = []
    for layer in case.model.layers:
        array = arrays.get(layer.id)
        if array is None:
            layers.append(_undeclared(layer, (data or {}).get(layer.id, layer.data)))
        elif layer.is_constant:
            layers.append(constant_layer(layer, array, weights))
        else:
            layers.append(static_parameter(layer, array))
            inputs[layer.name] = array
    model = replace(case.model, graph=replace(case.model.graph, layers=layers), weights=weights)
    return Case(with_declared_ports(model, infer(model, registry=registry)), inputs)


def _undeclared(layer: Layer, data: Mapping[str, str]) -> Layer:
    """A layer whose ports declare nothing; Parameters and constants declare what their attributes say."""
    if layer.is_constant or layer.kind is LayerKind.PARAMETER:
        return layer
    return replace(
        layer,
        data=dict(data),
        inputs=[_bare(port) for port in layer.inputs],
        outputs=[_bare(port) for port in layer.outputs],
    )


def _bare(port: Port) -> Port:
    return replace(port, precision=None, dims=(), at=-1)


# Shorter axes: of all tensors at once where they have the same size, then of single tensors.


def shrunk(case: Case, attempts: Attempts) -> Case:
    """The case with shorter axes, as long as it fails."""
    for size in sorted({n for array in tensors(case).values() for n in array.shape}, reverse=True):
        case = _shortened(case, size, attempts)
    for number in tensors(case):
        for axis in range(tensors(case)[number].ndim):
            case = _shortened_alone(case, number, axis, attempts)
    return case


def _shortened(case: Case, size: int, attempts: Attempts) -> Case:
    """The case with all axes of a size shortened."""
    while size > 1:
        for cut in shorter(size, 1):
            smaller = attempts.first_case(_cut_everywhere(case, size, cut, attempts.registry))
            if smaller is not None:
                case, size = smaller, cut.stop - cut.start
                break
        else:
            break
    return case


def _shortened_alone(case: Case, number: int, axis: int, attempts: Attempts) -> Case:
    """The case with one axis of one tensor shortened."""
    array = tensors(case)[number]
    smaller = attempts.first_case(
        with_tensors(case, {number: sliced(array, {axis}, cut)}, attempts.registry)
        for cut in shorter(array.shape[axis], 1)
    )
    return case if smaller is None else smaller


def _cut_everywhere(case: Case, size: int, cut: slice, registry: Registry | None) -> Iterator[Case]:
    """All axes of a size cut; then also such numbers in vectors, which may be shapes, and in attributes."""
    arrays = tensors(case)
    cuts = {n: sliced(a, axes_of(a, size), cut) for n, a in arrays.items() if size in a.shape}
    yield with_tensors(case, cuts, registry)
    length = cut.stop - cut.start
    vectors = {n: _renumbered(a, size, length) for n, a in arrays.items() if _has_number(a, size)}
    if vectors:
        yield with_tensors(case, {**cuts, **vectors}, registry)
    data = dict(_renumbered_attributes(case, size, length))
    if data:
        yield with_tensors(case, {**cuts, **vectors}, registry, data)


def _has_number(array: Array, number: int) -> bool:
    return element_type_of(array).integral and may_be_parameters(array) and number in array.tolist()


def _renumbered(array: Array, old: int, new: int) -> Array:
    changed = array.copy()
    changed[array == old] = new
    return changed


def _renumbered_attributes(case: Case, old: int, new: int) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The attributes of layers in which a number occurs, with another one."""
    number = re.compile(rf"(?<![\w.-]){old}(?![\w.])")
    for layer in case.model.layers:
        if computes(layer):
            data = {name: number.sub(str(new), text) for name, text in layer.data.items()}
            if data != layer.data:
                yield layer.id, data


_NUMBERS = re.compile(r"{0}(\s*,\s*{0})*".format(r"-?[0-9.]+(?:[eE][-+]?[0-9]+)?"))


def with_one_result(case: Case, attempts: Attempts) -> Case:
    """The case with a single result that shows the fault, if there is one."""
    analysis = case.analysis(attempts.registry, attempts.limits)
    inputs = analysis.root.wiring.inputs
    sources = [next(iter(inputs[layer.id]), None) for layer in analysis.root.results]
    if len(sources) < 2:
        return case
    fewer = attempts.first_case(
        with_equal_inputs(_with_result(case, number, attempts))
        for number, source in enumerate(sources)
        if source is not None
    )
    return case if fewer is None else fewer


def _with_result(case: Case, number: int, attempts: Attempts) -> Case:
    """The case with one of its results, in both models where there are two."""
    analysis = case.analysis(attempts.registry, attempts.limits)
    source = analysis.root.wiring.first(analysis.root.results[number].id)
    assert source is not None
    model = extract(analysis, outputs=[(source[0].id, source[1])])
    names = {layer.name for layer in model.layers if layer.kind is LayerKind.PARAMETER}
    inputs = {name: array for name, array in case.inputs.items() if name in names}
    return Case(model, inputs, None if case.other is None else _with_result(case.other, number, attempts))


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
    found = attempts.first_case(with_tensors(case, {number: a}, attempts.registry) for a in candidates)
    return case if found is None else found


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
