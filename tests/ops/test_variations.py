"""What ops give where one of their examples is varied: an attribute, a size, an element, what is known.

`PYTHONPATH=tests/support python tests/ops/test_variations.py` prints the answers as the TOML file has them.
"""

import json
import re
import tomllib
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from math import inf
from pathlib import Path

import numpy as np
import pytest
from invoking import infer_layer, loaded

from irops.analysis.invocation import OpFault
from irops.conformance.cases import inputs_of, outcome
from irops.dialects.registry import default_registry
from irops.spec.attributes import bind
from irops.spec.load import examples
from irops.values.dim import ANY, Dim
from irops.values.element import element_type, element_type_of
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape

REGISTRY = default_registry()
IDS = [op.id for op in loaded(REGISTRY.ids()) if op.id in REGISTRY._own]
NUMBER = re.compile(r"(?<= )(?:-?\d[\d.e+-]*|-?inf|nan)(?= |;|$)")
MOST = 32
"""About how many answers of an op are stored: of those that differ, at equal distances."""
WHOLE = 24
"""The most elements that are shown; of more, the first eight and a sum in which each has another weight."""


def texts(attribute, text):
    """Other values of an attribute near its own."""
    if attribute.type == "bool":
        return ["false" if text == "true" else "true"]
    if attribute.type == "enum":
        return [value for value in attribute.values if value != text]
    numbers = re.findall(r"-?\d+", text or "") if attribute.type in ("int", "ints", "axis", "axes") else []
    more = [",".join([*numbers[:-1], str(int(numbers[-1]) + by)]) for by in (1, -1) if numbers]
    if attribute.type == "float" and text:
        return [str(float(text) + 0.25), "0"]
    if attribute.type in ("ints", "axes") and numbers:
        return [*more, ",".join([str(int(numbers[0]) + 1), *numbers[1:]]), ",".join([*numbers, "1"])]
    return more


def resized(array, axis, by):
    return np.delete(array, 0, axis) if by < 0 else np.insert(array, 0, array.take(-1, axis), axis)


def scattered(array):
    """Unequal numbers of both signs in place of those of an array, if they are floating-point ones."""
    if array.dtype.kind != "f":
        return array
    return ((np.arange(array.size) * 7919 % 31 - 9) / 4).reshape(array.shape).astype(array.dtype)


def of_kind(kind, array):
    """An array in another type, if that is one of floats as its own is, or one of integers."""
    element = element_type(kind)
    alike = array.dtype.kind == ("f" if element.floating else "i")
    with np.errstate(over="ignore"):
        return array.astype(element.dtype) if alike else array


def next_to(array, place, by):
    numbers = array.flatten()
    numbers[[place]] += array.dtype.type(by)
    return numbers.reshape(array.shape)


def variations(op, case):
    """The variations of an example, each with its name."""
    for name, attribute in op.definition.attributes.items():
        for text in texts(attribute, case.attributes.get(name, attribute.default)):
            other = replace(case, attributes={**case.attributes, name: text})
            yield f"{name} {text}", other
            yield f"{name} {text}, scattered", of_arrays(other, map(scattered, arrays_of(other)))
    inputs = {port.name for port in op.definition.inputs}
    case = replace(case, tensors=tuple(t for t in case.tensors if t.name in inputs and not t.output))
    arrays = arrays_of(case)
    yield "scattered", of_arrays(case, map(scattered, arrays))
    for kind in ("f16", "bf16", "f64"):
        yield f"as {kind}", of_arrays(case, (of_kind(kind, array) for array in arrays))
    for size in sorted({size for array in arrays for size in array.shape if size}):
        for by in (1, -1):
            yield f"sizes {size} {by:+}", of_arrays(case, (each_resized(a, size, by) for a in arrays))
    for index, tensor in enumerate(case.tensors):
        for name, array in near(arrays[index]) if arrays else ():
            yield f"{tensor.name} {name}", of_arrays(case, [*arrays[:index], array, *arrays[index + 1 :]])
        rest = case.tensors[:index] + case.tensors[index + 1 :]
        yield f"no {tensor.name}", replace(case, tensors=rest)


def drawn(op, case):
    """Whether a case has other random numbers each time."""
    named = [a for name, a in op.definition.attributes.items() if name.endswith("seed")]
    return bool(named) and {case.attributes.get(a.name, a.default) for a in named} == {"0"}


def arrays_of(case):
    values = [tensor.value for tensor in case.tensors if not tensor.output]
    return [] if any(value is None for value in values) else values


def of_arrays(case, arrays):
    tensors = [tensor for tensor in case.tensors if not tensor.output]
    return replace(case, tensors=tuple(map(with_array, tensors, arrays)))


def with_array(tensor, array):
    plain = array.dtype.kind in "fi" or array.dtype.name == "bfloat16"
    element = element_type_of(array) if plain else tensor.element_type
    return replace(tensor, value=array, shape=Shape(array.shape), element_type=element)


def each_resized(array, size, by):
    for axis in range(array.ndim):
        array = resized(array, axis, by) if array.shape[axis] == size else array
    return scattered(array)


def near(array):
    for axis in range(array.ndim):
        for by in (1, -1) if array.shape[axis] else ():
            yield f"axis {axis} {by:+}", resized(array, axis, by)
    if array.size and array.dtype.name in ("int32", "int64"):
        for place, by in ((0, 1), (-1, -1), (0, -1)):
            yield f"element {place} {by:+}", next_to(array, place, by)
    for kind in ("f16", "bf16", "i64", "i32", "i8"):
        yield f"as {kind}", of_kind(kind, array)
    if array.ndim:
        yield "reversed", np.flip(array).copy()


def less(facts):
    """Facts of which one says less, each with the name of what it leaves out."""
    for index, fact in enumerate(facts):
        for name, shape in looser(fact.shape) if fact is not None else ():
            yield (
                f"input {index} {name}",
                [*facts[:index], Fact(fact.element_type, shape), *facts[index + 1 :]],
            )


def looser(shape):
    yield "without its value", shape
    yield "of any rank", UNRANKED
    for axis, dim in enumerate(shape):
        yield f"axis {axis} of any size", shape.with_dim(axis, ANY)
        yield f"axis {axis} of its size or more", shape.with_dim(axis, Dim(dim.low, inf))
        yield f"axis {axis} of its size or less", shape.with_dim(axis, Dim(0, dim.low))


def shown(array):
    """Type, shape and elements of an array."""
    start = f"{element_type_of(array)}{Shape(array.shape)}"
    if array.dtype == object:
        return " ".join([start, *map(repr, array.ravel()[:WHOLE])])
    numbers = array.ravel().astype(np.float64)
    if numbers.size <= WHOLE:
        return " ".join([start, *(f"{number:.5g}" for number in numbers)])
    finite = np.where(np.isfinite(numbers), numbers, 7)
    total = (finite * np.cos(np.arange(finite.size))).sum() / (abs(finite).sum() or 1)
    return " ".join([start, *(f"{number:.5g}" for number in numbers[:8]), f"... {total:.5f}"])


def answer(op, case):
    """The outputs and findings of a case on one line; of a constraint, its number and what breaks it."""
    with np.errstate(all="ignore"):
        outputs, findings = outcome(op, case)
    words = (f"{found.severity} {finding(found.constraint, found.message)}" for found in findings)
    return "; ".join([*map(shown, outputs), *words])


def inferred(op, case, facts):
    try:
        return " ".join(map(str, infer_layer(op, facts, bind(op, case.attributes).values)))
    except OpFault as fault:
        return finding(fault.constraint, fault.message)


def finding(constraint, message):
    return message if constraint is None else constraint[-2:] + message.partition(";")[2]


def answers(op_id):
    """For each variation of the examples of an op, by its name: a function that gives the answer."""
    op, found = REGISTRY.op(op_id), {}
    for number, case in enumerate(examples(op.definition)):
        if case.net is None:
            for name, other in variations(op, case):
                if not drawn(op, other):
                    found[f"{number} {name}"] = partial(answer, op, other)
            tensors = inputs_of(op, case)
            facts = [t if t is None else Fact(t.element_type, t.shape, t.value) for t in tensors]
            for name, other in less(facts):
                found[f"{number} {name}"] = partial(inferred, op, case, other)
    return found


@cache
def stored():
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@pytest.mark.parametrize("op_id", IDS)
def test_an_op_answers_variations_of_its_examples_as_it_did(op_id):
    known, gives = answers(op_id), stored().get(op_id, {})
    found = {name: known[name]() for name in gives}
    for name, text in gives.items():
        assert NUMBER.sub("#", found[name]) == NUMBER.sub("#", text), name
        numbers, others = (np.array(NUMBER.findall(each), float) for each in (text, found[name]))
        narrow = re.search(r"\b(b?f16|f8\w+)\[", text)
        np.testing.assert_allclose(others, numbers, rtol=1e-2 if narrow else 1e-4, atol=2e-5, err_msg=name)


if __name__ == "__main__":
    for op_id in IDS:
        print(f"[{op_id}]")
        distinct = {}
        for name, give in answers(op_id).items():
            with suppress(ValueError):
                distinct.setdefault(give(), name)
        for text in list(distinct)[:: max(1, len(distinct) // MOST)]:
            print(json.dumps(distinct[text]), "=", json.dumps(text, ensure_ascii=False))
