"""Layers that a runtime looks at alone have the form that the model gives them, and one that fails alone is
accused only where the model fails, too.
"""

import numpy as np
import pytest
from libraries import needs

import irops
from irops.backends.backend import Reference
from irops.debugging.sources.layerwise import Layerwise, single_layers
from irops.debugging.sources.source import Failure, Source

RNG = np.random.default_rng(3)


def dynamic(op, *inputs, constants=(), **attributes):
    """A model of one op. inputs: as "f32[2,?]", with "?" for an axis of any size"""
    graph = irops.Graph("dynamic")
    parameters = [graph.parameter(f"input{k}", text) for k, text in enumerate(inputs)]
    graph.result(graph.add(op, *parameters, *constants, **attributes))
    return graph.model()


EMPTY = {
    "products without terms": (dynamic("MatMul", "f32[?,?,?]", "f32[?,?,?]"), [(2, 3, 0), (2, 0, 4)]),
    "a product without rows": (dynamic("MatMul", "f32[?,4]", "f32[4,3]"), [(0, 4), (4, 3)]),
    "a cache that is gathered": (
        dynamic("Gather", "f32[?,2,?,8]", "i32[?]", constants=[0], batch_dims=0),
        [(1, 2, 0, 8), (1,)],
    ),
    "a cache that grows": (
        dynamic("Concat", "f32[?,2,?,4]", "f32[?,2,?,4]", axis=2),
        [(1, 2, 0, 4), (1, 2, 3, 4)],
    ),
    "a sum over nothing": (dynamic("ReduceSum", "f32[?,3]", constants=([0],)), [(0, 3)]),
    "boxes without detections": (dynamic("Transpose", "f32[?,4]", constants=([1, 0],)), [(0, 4)]),
    "a softmax of nothing": (dynamic("Softmax", "f32[?,5]", axis=1), [(0, 5)]),
    "a sum of products": (dynamic("Einsum", "f32[?,?]", "f32[?,?]", equation="ij,jk->ik"), [(2, 0), (0, 3)]),
}


@pytest.mark.parametrize("name", EMPTY)
@needs("openvino")
def test_a_layer_without_elements_is_compiled_with_the_shapes_of_the_model(name):
    model, shapes = EMPTY[name]
    inputs = [np.ones(shape, np.float32) if len(shape) > 1 else np.zeros(shape, np.int32) for shape in shapes]
    found = irops.compare(model, inputs, b="openvino:CPU,INFERENCE_PRECISION_HINT=f32")
    assert found.first is None, str(found)
    assert not any(result.is_fault for result in found.results)
    assert found.coverage.layers == 1


class Alone(Source):
    """Fails with some layers when it computes them alone, and with the whole model where that is asked."""

    name, computes_layers, is_whole = "device", True, True

    def __init__(self, fails, whole=None, alone="Node layer 7 is not 'fine'"):
        self.fails, self.whole, self.alone = fails, whole, alone
        self.reference = Layerwise(Reference())

    def walk(self, context):
        return self.reference.walk(context)

    def results(self, context):
        return self.whole or self.reference.results(context)

    def compute(self, calls):
        answers = self.reference.compute(calls)
        fail = Failure("refused", self.alone)
        return [fail if c.node.layer.name in self.fails else a for c, a in zip(calls, answers)]


def chain():
    graph = irops.Graph("chain")
    value = graph.parameter("x", "f32[?,3]")
    for name in ("first", "second", "third"):
        value = graph.add("Tanh", value, name=name)
    graph.result(value, name="y")
    return graph.model()


X = [RNG.standard_normal((2, 3), np.float32)]


def test_what_fails_alone_in_a_model_that_works_is_a_remark():
    found = irops.compare(chain(), X, b=Alone({"first", "second"}))
    assert (found.ok, found.first) == (True, None)
    assert found.coverage.layers == 1
    (line,) = (line for line in str(found).splitlines() if "could not" in line)
    assert line == ("  2 layers could not be looked at alone, such as: refused: Node layer 7 is not 'fine'")


def test_where_the_whole_model_fails_the_layer_that_fails_for_that_reason_is_named():
    whole = Failure("refused", "Node layer 12 is not 'good'")
    source = Alone({"second"}, whole, "Node layer 7 is not 'fine'")
    found = irops.compare(chain(), X, b=source)
    assert found.first.name == "second"
    crashed = irops.compare(chain(), X, b=Alone({"second"}, Failure("crashed", "by SIGSEGV")))
    assert (crashed.ok, crashed.first) == (False, None)


def test_values_that_are_wrong_alone_stay_a_finding_where_the_results_agree():
    class Wrong(Alone):
        def compute(self, calls):
            return [[array + np.float32(0.5) for array in answer] for answer in super().compute(calls)]

    found = irops.compare(chain(), X, b=Wrong(()))
    assert (found.ok, found.first.name) == (False, "first")


def test_results_that_agree_do_so_where_the_runtime_fails_with_further_outputs():
    class Untapped(Alone):
        def walk(self, context):
            raise irops.debugging.sources.source.SourceFailed(Failure("refused", "too many outputs"))
            yield

    found = irops.compare(chain(), X, b=Untapped(()), mode="propagated")
    assert (found.ok, found.coverage.layers) == (True, 0)
    assert any("too many outputs" in note for note in found.notes)
    assert list(found.coverage.layers_left_out) == ["device ended before"]


@needs("openvino")
@pytest.mark.parametrize("mode", ["isolated", "propagated", "cuts"])
def test_a_model_without_weights_needs_no_file_of_them(mode, tmp_path):
    model = dynamic("Relu", "f32[2,3]")
    irops.write(model, tmp_path / "model.xml")
    (tmp_path / "model.bin").unlink(missing_ok=True)
    found = irops.compare(tmp_path / "model.xml", X, b="openvino:CPU", mode=mode)
    assert [str(result.verdict) for result in found.results] == ["equal"]
    assert found.ok


def stateful():
    """A cache that grows by its input."""
    graph = irops.Graph("cache")
    x = graph.parameter("x", "f32[1,?,4]")
    start = graph.constant(np.zeros((1, 0, 4), np.float32))
    past = graph.add("ReadValue", start, variable_id="cache", variable_type="f32", variable_shape="1,?,4")
    grown = graph.add("Concat", past, graph.add("Sigmoid", x), axis=1, name="grown")
    graph.add("Assign", grown, variable_id="cache")
    gate = graph.add("Sigmoid", grown, name="gate")
    graph.result(graph.add("Multiply", grown, gate, name="swish"), name="y")
    return graph.model()


def test_a_part_of_a_stateful_model_has_both_ends_of_its_variables():
    class Fusing(Alone):
        seen = ()

        def results(self, context):
            layers = {layer.name: layer for layer in context.model.layers if layer.type != "Parameter"}
            types = [layer.type for layer in layers.values()]
            self.seen = (*self.seen, types.count("ReadValue") == types.count("Assign"))
            results = self.reference.results(context)
            wrong = {"gate", "swish"} <= layers.keys()
            return {n: a * np.float32(1.5 if wrong else 1) for n, a in results.items()}

    source = Fusing(())
    found = irops.compare(stateful(), [RNG.standard_normal((1, 2, 4), np.float32)], b=source, mode="cuts")
    assert source.seen
    assert all(source.seen)
    assert [layer.name for layer in found.layers if layer.is_fault] == ["swish"]
    assert any(note.endswith(": gate, swish") for note in found.notes)


def test_the_part_that_fails_does_so_for_the_reason_of_the_whole():
    class Refusing(Alone):
        def results(self, context):
            names = [layer.name for layer in context.model.layers]
            if "second" in names:
                return Failure("refused", f"Node second of {len(names)} is not supported")
            return Failure("refused", "another reason")

    found = irops.compare(chain(), X, b=Refusing(()), mode="cuts")
    assert found.first.name == "second"
    assert "is not supported" in found.first.reason


def test_a_layer_alone_has_the_names_the_shapes_and_the_constants_of_its_model():
    graph = irops.Graph("sizes")
    x, y = graph.parameter("x", "f32[?,6]"), graph.parameter("y", "f32[2,3,4]")
    pattern = graph.add("ShapeOf", graph.add("ReduceSum", y, [0], name="sum"), output_type="i64")
    rows = graph.add("Concat", np.int64([-1]), graph.add("Gather", pattern, [0], 0, batch_dims=0), axis=0)
    graph.result(graph.add("Reshape", x, rows, special_zero=False, name="folded"), name="z")
    seen = {}

    class Seeing(Alone):
        def compute(self, calls):
            for call in calls:
                seen[call.node.layer.name] = single_layers([call])
            return super().compute(calls)

    arrays = {"x": np.ones((2, 6), np.float32), "y": np.ones((2, 3, 4), np.float32)}
    irops.compare(graph.model(), arrays, b=Seeing(()))
    alone = seen["folded"]
    assert list(alone.inputs) == ["folded/input 0"]
    assert 'name="folded" type="Reshape"' in alone.text
    assert 'shape="?,6"' in alone.text
    assert alone.text.count('type="Const"') == 1


def test_a_reason_is_a_whole_sentence_without_places_in_sources():
    from irops.backends.openvino import sentence_of

    text = """Exception from src/inference/src/cpp/core.cpp:105:
Check 'DimType::merge(a, b)' failed at src/core/matmul_shape_inference.hpp:65:
While validating node 'opset1::MatMul MatMul_3 (a[0]:f32[2,3]) -> ()' with friendly_name 'MatMul_3':
Incompatible MatMul matrix dimension. First input dimension=3
doesn't match the second

"""
    whole = "Incompatible MatMul matrix dimension. First input dimension=3 doesn't match the second"
    assert sentence_of(RuntimeError(text)) == whole
    inner = (
        "[CPU] MatMul node with name 'm' Check 'k == l' failed at src/x/matmul.cpp:45:\nShapes differ: (2.3)"
    )
    assert sentence_of(RuntimeError(inner)) == "[CPU] MatMul node with name 'm' Shapes differ: (2.3)"
    assert sentence_of(RuntimeError("Exception from a.cpp:1:\n")) == "Exception from a.cpp:1"
    assert sentence_of(RuntimeError("")) == "RuntimeError"
