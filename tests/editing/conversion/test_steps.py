"""Laws of all steps of conversions: results, types, names and attributes are those of the node before."""

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import irops
from irops.backends.one_op import one_op_model
from irops.conformance.cases import expected_outputs, inputs_of
from irops.diagnostics.diagnostic import DiagnosticError, EvaluationError
from irops.dialects.registry import default_registry
from irops.editing.conversion.convert import take_step
from irops.editing.conversion.steps import STEPS
from irops.editing.conversion.targets import NotConvertibleError
from irops.editing.graph.graph import Graph
from irops.files.storage import Weights
from irops.ir.model import Model
from irops.ir.read import loads
from irops.spec.definition import ExampleCase
from irops.spec.load import examples
from irops.spec.op import Op
from irops.spec.releases import opsets
from irops.values.element import Array

MOST = 12
"""About how many examples, with other attributes, the cases of an op are made of."""
STORED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
FEW = 6
"""How many forms are stored of a step at most."""
FORMS = ("constants", "parameters", "one output", "f16")


@dataclass(frozen=True)
class StepCase:
    """A model of one op. name: where it is from; inputs: of the model's Parameters, in order"""

    name: str
    model: Model
    inputs: tuple[Array, ...]


def cases_of(op_id: str) -> Iterator[StepCase]:
    """Of each example: with constants for all inputs but the first, with Parameters alone, with the first
    output alone, in f16, and with every value of each attribute that lists its values or is boolean.
    """
    op = default_registry().op(op_id)
    plain = [case for case in examples(op.definition) if case.net is None]
    variants = [
        (f"{number}{name}", each) for number, case in enumerate(plain) for name, each in _variants(case, op)
    ]
    step = max(1, len(variants) // MOST)
    for name, case in variants[::step]:
        for form in FORMS:
            made = _made(f"{op_id} {name} {form}", op, case, form)
            if made is not None:
                yield made


def _variants(case: ExampleCase, op: Op) -> Iterator[tuple[str, ExampleCase]]:
    yield "", case
    for attribute in op.definition.attributes.values():
        values = attribute.values if attribute.type == "enum" else ()
        for value in ("true", "false") if attribute.type == "bool" else values:
            if case.attributes.get(attribute.name) != value:
                yield (
                    f" {attribute.name}={value}",
                    replace(case, attributes={**case.attributes, attribute.name: value}),
                )


def _made(name: str, op: Op, case: ExampleCase, form: str) -> StepCase | None:
    tensors = inputs_of(op, case)
    if any(tensor is None or tensor.value is None for tensor in tensors):
        return None
    arrays = [tensor.value for tensor in tensors if tensor is not None and tensor.value is not None]
    outputs = len(expected_outputs(op, case)) or len(op.definition.outputs)
    if form == "f16":
        arrays = [array.astype(np.float16) if array.dtype == np.float32 else array for array in arrays]
    if form == "one output" and outputs == 1:
        return None
    fixed = {} if form == "parameters" else dict(enumerate(arrays))
    fixed.pop(0, None)
    text, weights = one_op_model(op, arrays, case.attributes, outputs, fixed)
    model = loads(text.encode(), b"")[0]
    if form == "one output":
        unused = {layer.id for layer in model.layers if layer.name.startswith("output")} - {len(arrays) + 1}
        model.graph.layers[:] = [layer for layer in model.layers if layer.id not in unused]
        model.graph.edges[:] = [edge for edge in model.edges if edge.to_layer not in unused]
    model.weights = Weights.of_bytes(weights)
    inputs = tuple(array for index, array in enumerate(arrays) if index not in fixed)
    return StepCase(name, model, inputs)


def bits(array: Array) -> tuple[object, ...]:
    """What is equal for arrays that are equal bit for bit."""
    data = array.tolist() if array.dtype == object else np.ascontiguousarray(array).tobytes()
    return array.dtype, array.shape, data


def names_of(model: Model) -> set[str]:
    """The names of layers that a conversion keeps: all but those of constants, and of what is removed."""
    return {layer.name for layer in model.layers if layer.type in ("Parameter", "Result")} | (
        {"subject"} & {layer.name for layer in model.layers}
    )


ALL = [step for steps in STEPS.values() for step in steps]
IDS = [f"{step.old} to {step.new} {number}" for number, step in enumerate(ALL)]
cases = cache(lambda op_id: tuple(cases_of(op_id)))


def taken(case, step):
    """The model of a case after a step; where it is invalid or the step refuses it, None and the reason."""
    graph = Graph(case.model)
    node = next(node for node in graph if node.op is not None and node.op.id == step.old)
    if node.failed:
        return None, ""
    try:
        with graph.changes():
            take_step(graph, node, step)
    except NotConvertibleError as error:
        return None, str(error)
    except DiagnosticError as error:
        return None, error.diagnostics[0].message
    made = (node for node in graph if node.type not in ("Parameter", "Result"))
    return graph.model(), "; ".join(map(described, made))


def described(node):
    """A node with its attributes and the nodes that it uses; a constant with its first elements."""
    if node.type == "Const":
        return f"{node.name} {node.output} {node.output.value.ravel()[:8].tolist()}"
    data = " ".join(f"{name}={text}" for name, text in sorted(node.data.items()))
    inputs = ", ".join("-" if source is None else source.node.name for source in node.sources)
    return f"{node.name} {node.type}-{node.version[5:]}({inputs}) {data}".rstrip()


def forms(old):
    """What each step from an op makes of the cases, or why it refuses one: the first few that differ."""
    rows = []
    for step in STEPS[old]:
        texts = dict.fromkeys(taken(case, step)[1] for case in cases(old))
        rows += [[step.new, *text.split("; ")] for text in list(texts)[:FEW] if text]
    return rows


def results(model, case):
    """The results; None where the model refuses the values of the case."""
    try:
        return irops.run(model, dict(enumerate(case.inputs)))
    except EvaluationError:
        return None


@pytest.mark.parametrize("step", ALL, ids=IDS)
def test_a_step_changes_no_result_type_or_name_and_gives_a_valid_model(step):
    count = 0
    for case in cases(step.old):
        model, _ = taken(case, step)
        before = None if model is None else results(case.model, case)
        if model is None or before is None:
            continue
        assert irops.check(model).errors == (), case.name
        assert names_of(case.model) == names_of(model), case.name
        after = results(model, case)
        assert after is not None, case.name
        assert list(after) == list(before), case.name
        for name in before:
            assert_same(before[name], after[name], step, f"{case.name}, {name}")
        count += 1
    assert count >= 2, "no example has a form that the step accepts"


@pytest.mark.parametrize(("old", "stored"), STORED.items(), ids=STORED)
def test_a_step_gives_the_forms_that_are_stored(old, stored):
    assert forms(old) == stored


def assert_same(before, after, step, where):
    if not step.rounds:
        assert bits(before) == bits(after), where
        return
    assert (before.dtype, before.shape) == (after.dtype, after.shape), where
    a, b = before.astype(np.float64), after.astype(np.float64)
    finite = np.isfinite(a) & np.isfinite(b)
    tolerance = 1e-5 if before.dtype.itemsize >= 4 else 2e-2
    assert np.allclose(a[finite], b[finite], rtol=tolerance, atol=tolerance), where


def test_all_pairs_of_versions_have_steps_or_are_listed_without():
    """Versions of an op that differ in more than a conversion can express, in either direction."""
    without = {
        ("Assign-3", "Assign-6"),
        ("Interpolate-1", "Interpolate-4"),
        ("NonMaxSuppression-3", "NonMaxSuppression-4"),
        ("NonMaxSuppression-4", "NonMaxSuppression-5"),
        ("ReadValue-3", "ReadValue-6"),
    }
    for versions in opsets().versions.values():
        for old, new in pairwise(versions):
            down = {step.new for step in STEPS.get(new.id, ())}
            up = {step.new for step in STEPS.get(old.id, ())}
            expected = (old.id, new.id) not in without
            assert (old.id in down, new.id in up) == (expected, expected), (old.id, new.id)


if __name__ == "__main__":
    for old in STEPS:
        print(
            f"{old} = [", *(f"  {json.dumps(row, ensure_ascii=False)}," for row in forms(old)), "]", sep="\n"
        )
