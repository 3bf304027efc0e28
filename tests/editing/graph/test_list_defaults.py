"""Lists that are left out: what Graph.add writes for them is what their default means, to all readers."""

from contextlib import suppress

import pytest
from commands import python_process
from libraries import needs

import irops
from irops.conformance.cases import inputs_of
from irops.diagnostics.diagnostic import DiagnosticError
from irops.dialects.registry import default_registry
from irops.spec.load import examples

COMPILE = "import sys, openvino; [openvino.Core().compile_model(path, 'CPU') for path in sys.argv[1:]]"


def optional_lists(op):
    lists, attributes = ("ints", "floats", "strings", "axes"), op.definition.attributes.values()
    return {a.name for a in attributes if a.type in lists and a.default is not None}


ALL = map(default_registry().op, default_registry().ids())
OPS = [op for op in ALL if op.definition.dialect == "openvino" and optional_lists(op)]


def written(op, folder):
    """Models of the examples of an op, without its optional lists, where they are valid without them."""
    for number, case in enumerate(examples(op.definition)):
        graph, kept = irops.Graph("m", opset=16), case.attributes.keys() - optional_lists(op)
        data, *others = inputs_of(op, case)
        with suppress(DiagnosticError):
            x = graph.parameter("x", f"{data.element_type}{data.shape}")
            operands = [x, *(tensor and tensor.value for tensor in others)]
            added = graph.add(op.id, *operands, name="n", **{name: case.attributes[name] for name in kept})
            graph.result(added[0] if isinstance(added, tuple) else added)
            irops.write(graph, folder / f"{number}.xml")
            yield folder / f"{number}.xml", graph["n"].facts


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.id)
def test_a_graph_writes_what_the_default_of_a_list_means(op, tmp_path):
    for path, facts in (models := list(written(op, tmp_path))):
        report, inferred = irops.check(path), irops.infer(irops.read(path))
        assert not report.errors
        assert not [d for d in report.diagnostics for name in optional_lists(op) if f" {name} " in d.message]
        assert [str(inferred["n", k]) for k in range(len(facts))] == list(map(str, facts))
    assert models


@needs("openvino")
@pytest.mark.slow("compiles models")
@pytest.mark.parametrize("op", OPS, ids=lambda op: op.id)
def test_openvino_compiles_what_a_graph_writes_for_lists(op, tmp_path):
    paths = [path for path, facts in written(op, tmp_path) if str(facts[0].element_type) == "f32"]
    python_process("-c", COMPILE, *paths[:2], check=True)
