"""The first question of a comparison: are the results right? And: what was compared, what was not, and what
rounding does in another run.
"""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from networks import folders, network
from planted import Idle

import irops
from irops.analysis.model_analysis import ModelAnalysis
from irops.backends.backend import Reference
from irops.debugging.compare.noise import noisy_walk
from irops.debugging.compare.report import junit, page
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.openvino_device import OpenVINODevice
from irops.debugging.sources.source import Context, Failure, Source
from irops.verdicts.question import Arithmetic

X = np.float32([[1, 2, 3], [-1, 0.5, 4]])


def one_layer(op, number, name="y"):
    graph = irops.Graph(op)
    x = graph.parameter("x", "f32", [2, 3])
    graph.result(graph.add(op, x, np.float32(number), name=f"{op} by a number"), name=name)
    return graph.model()


def two_results(scale=1.0, prefix="", names=("left", "right")):
    graph = irops.Graph("two results")
    x = graph.parameter(f"{prefix}x", "f32", [2, 3])
    first = graph.add("Tanh", x, name=f"{prefix}first")
    second = graph.add("Multiply", first, np.float32(2 * scale), name=f"{prefix}second")
    graph.result(graph.add("Exp", first, name=f"{prefix}third"), name=names[0])
    graph.result(graph.add("Sin", second, name=f"{prefix}fourth"), name=names[1])
    return graph.model()


class Device(Source):
    """Computes layers as the reference does, and gives other results for the model as it is."""

    name, computes_layers, is_whole = "device", True, True

    def __init__(self, answer):
        self._answer, self._inner = answer, Layerwise(Reference())

    def walk(self, context):
        return self._inner.walk(context)

    def compute(self, calls):
        return self._inner.compute(calls)

    def results(self, context):
        return self._answer(self._inner.results(context))


class Fused(Device):
    """Shows a tensor of another shape for a layer."""

    def __init__(self, layer):
        super().__init__(lambda values: values)
        self.layer = layer

    def walk(self, context):
        for value in super().walk(context):
            is_other = context.analysis.root.layers[value.layer].layer.name == self.layer
            yield replace(value, outputs=tuple(a[:, :2] for a in value.outputs)) if is_other else value


@pytest.mark.parametrize(("layer", "verdict"), [("first", "skipped"), ("fourth", "wrong")])
def test_a_tensor_of_another_shape_from_which_all_agrees_is_not_what_the_device_computed(layer, verdict):
    found = irops.compare(two_results(), [X], b=Fused(layer), mode="propagated")
    (other,) = (each for each in found.layers if each.name == layer)
    assert (str(other.verdict), found.ok) == (verdict, verdict == "skipped")
    assert found.coverage.layers == 4 - found.ok


def in_i32(arrays):
    return [a.clip(-(2**31), 2**31 - 1) if a.dtype == np.int64 else a for a in arrays]


class Narrow(Device):
    """Computes i64 in i32."""

    arithmetic = Arithmetic(converted=(("i64", "i32"),))

    def __init__(self):
        super().__init__(lambda values: dict(zip(values, in_i32(values.values()))))

    def walk(self, context):
        return (replace(value, outputs=tuple(in_i32(value.outputs))) for value in super().walk(context))

    def compute(self, calls):
        return [in_i32(outputs) for outputs in super().compute(calls)]


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
@pytest.mark.parametrize("is_capped", [True, False])
def test_integers_that_a_device_cannot_hold_are_a_fault_where_a_result_depends_on_them(mode, is_capped):
    graph = irops.Graph()
    bucket = graph.add("Convert", graph.add("Log", graph.parameter("x", "f32[3]")), destination_type="i64")
    graph.result(graph.add("Maximum", bucket, np.int64(0)) if is_capped else bucket * 1, name="y")
    found = irops.compare(graph, [np.float32([0, 1, 20])], b=Narrow(), mode=mode)
    layer = next(layer for layer in found.layers if layer.op == "Convert-1")
    assert found.ok == is_capped
    assert str(layer.verdict) == ("masked" if is_capped else "overflow")
    assert "1 of 3 elements differ; i64 is computed in i32, and numbers exceed it" in layer.reason


ANSWERS = {
    "other values": (lambda values: {n: array + np.float32(0.1) for n, array in values.items()}, "wrong"),
    "another shape": (lambda values: {n: array[:1] for n, array in values.items()}, "wrong"),
    "a refusal": (lambda _: Failure("refused", "no kernel for dynamic shapes"), "failed"),
    "a crash": (lambda _: Failure("crashed", "signal 11"), "failed"),
}


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_a_device_that_is_wrong_as_users_use_it_is_not_cleared_by_its_layers(mode, answer):
    values, verdict = ANSWERS[answer]
    found = irops.compare(two_results(), [X], b=Device(values), mode=mode)
    lines = str(found).splitlines()
    assert (found.ok, found.first) == (False, None)
    assert [str(result.verdict) for result in found.results] == [verdict] * 2
    assert lines[0] == "0 of 2 results agree"
    assert lines[1].startswith(f"  result left {verdict}: ")
    assert "no single layer is wrong, but the results are" in lines
    assert "--mode cuts finds the part" in str(found)
    cases = ElementTree.fromstring(junit(found)).iter("testcase")
    assert [case.attrib["name"] for case in cases if len(case)] == ["left", "right"]


def test_models_without_a_layer_in_common_are_judged_by_their_results():
    wrong = irops.compare(one_layer("Multiply", 2), [X], b=one_layer("Divide", 0.4))
    assert not wrong.ok
    assert str(wrong).splitlines()[0] == "0 of 1 result agrees"
    right = irops.compare(one_layer("Multiply", 2), [X], b=one_layer("Divide", 0.5))
    assert right.ok
    assert str(right).splitlines()[0] == "1 of 1 result agrees"
    assert str(right.coverage).endswith("1 of 1 result compared")


def test_a_result_may_have_the_name_of_a_tensor_of_another_one():
    model = two_results()
    named = [layer for layer in model.layers if layer.outputs and layer.outputs[0].names]
    first, second = (layer for layer in named if {"left", "right"} & set(layer.outputs[0].names))
    first.outputs[0].names, second.outputs[0].names = ("left", "right"), ()
    model.results[1].name, model.results[1].output_names = "right", ()
    assert irops.compare(model, [X], b="reference").ok


def test_results_are_judged_by_what_rounding_does_in_the_model():
    stored = dict(irops.run(two_results(), [X]))
    stored["left"] = stored["left"] * np.float32(1 + 3e-7)
    found = irops.compare(two_results(), [X], b=stored)
    assert found.ok
    assert [str(result.verdict) for result in found.results] == ["rounding", "equal"]


def test_inputs_and_results_of_another_model_are_found_by_name_before_position(net):
    sums = [net(f"{a}: f32[2,3]; {b}: f32[2,3]; s: Add {a} {b}; y: Result s") for a, b in ("xz", "wx")]
    assert irops.compare(sums[0], [X, 3 * X], b=sums[1]).ok  # w is what is left for z
    swapped = irops.compare(two_results(), [X], b=two_results(names=("right", "left")))
    assert [result.is_fault for result in swapped.results] == [True, True]
    renamed = irops.compare(two_results(), [X], b=two_results(1.01, "b/", ("p", "q")))
    expected = [("left", False), ("right", True)]
    assert [(result.name, result.is_fault) for result in renamed.results] == expected


def test_an_input_that_only_the_other_model_has_leaves_it_uncompared(net):
    other = net("x: f32[2,3]; z: f32[2,3]; sum: Add x z; y: Result sum")
    found = irops.compare(one_layer("Add", 1), [X], b=other)
    assert not found.ok
    assert f"nothing gives the input 'z' of model:{other.name} a value" in str(found)


def test_a_result_that_one_model_lacks_is_not_compared_and_not_ok(net):
    two = net("x: f32[2,3]; p: Multiply x k; y: Result p; t: Tanh x; more: Result t", k=np.float32(2))
    for a, b in ((two, one_layer("Multiply", 2)), (one_layer("Multiply", 2), two)):
        found = irops.compare(a, [X], b=b)
        assert (found.ok, found.first) == (False, None)
        assert (found.coverage.results, found.coverage.all_results) == (1, 2)
        assert "  result t.0 not compared: " in str(found)


def test_nothing_in_common_is_nothing_compared():
    found = irops.compare(two_results(), [X], b={"another name": X})
    assert not found.ok
    assert found.coverage.is_nothing
    assert str(found).splitlines() == [
        "nothing was compared",
        "  result left not compared: stored values has no value of it",
        "  result right not compared: stored values has no value of it",
        "0 of 4 layers, 0 of 2 results compared",
        "  4 layers not compared: reference or stored values has no value",
    ]
    suite = ElementTree.fromstring(junit(found))
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("3", "3")
    assert "nothing was compared" in suite.find("testcase/failure").text
    assert "0 of 4 layers, 0 of 2 results compared" in page(found, ModelAnalysis(two_results()))
    assert "nothing was compared" in found._repr_html_()


@pytest.mark.parametrize("mode", ["isolated", "propagated", "cuts"])
def test_a_backend_that_declines_every_layer_compares_nothing(mode):
    found = irops.compare(two_results(), [X], b=Idle(), mode=mode)
    assert not found.ok
    assert found.coverage.is_nothing
    assert found.coverage.results_left_out == {"declined: idle computes no layer of the model": 2}
    if mode != "cuts":
        assert found.coverage.layers_left_out == {"declined": 4}
        said = {"isolated": "the backend idle has no kernel of", "propagated": "idle does not compute"}[mode]
        assert f"  4 layers not compared: declined, such as: {said} Tanh-1" in str(found)


class Halving:
    """A backend of one op."""

    name = "halving"

    def kernel(self, op):
        return op.functions.kernel if op.id == "Tanh-1" else None


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_layers_that_a_backend_leaves_to_the_reference_do_not_count_as_its_own(mode):
    found = irops.compare(two_results(), [X], b=Halving(), mode=mode)
    assert found.ok
    assert [layer.name for layer in found.layers if str(layer.verdict) == "equal"] == ["first"]
    assert str(found.coverage) == "1 of 4 layers, 2 of 2 results compared"


def test_a_session_has_the_reference_for_what_its_backend_declines():
    session = irops.Session(two_results(), backends=(Halving(), "reference"))
    found = irops.compare(two_results(), [X], b=session)
    assert str(found.coverage) == "4 of 4 layers, 2 of 2 results compared"


def test_layers_that_follow_from_constants_are_left_out_by_that_reason(net):
    layers = "x: f32[2,3]; weights: Convert half destination_type=f32; product: Multiply x weights"
    model = net(f"{layers}; y: Result product", half=np.float16([2, 3, 4]))
    found = irops.compare(model, [X], b={"product": irops.run(model, [X], keep="all")["product"]})
    assert found.ok
    assert found.coverage.layers_left_out == {"follows from constants alone": 1}


@pytest.mark.parametrize("other", [0.0, 0.5])
def test_random_results_are_compared_with_the_same_numbers_for_both(net, other):
    noise = "x: f32[2,3]; s: ShapeOf x; noise: RandomUniform-opset8 s low high output_type=f32 op_seed=3"
    ends = {"low": np.float32(0), "high": np.float32(1)}
    device = Device(lambda values: {n: array + np.float32(other) for n, array in values.items()})
    found = irops.compare(net(noise, "e: Exp noise; y: Result e", **ends), [X], b=device)
    assert found.ok == (other == 0)
    assert [result.is_compared for result in found.results] == [True]
    assert "the same random numbers for both: noise (RandomUniform)" in found.notes


def test_a_layer_of_which_each_source_has_another_output_is_not_compared(net):
    halves = "x: f32[2,3]; halves: Split x axis num_splits=2"
    model = net(f"{halves}; sum: Add halves:0 halves:1; y: Result sum", axis=np.int64(0))
    found = irops.compare(model, [X], a={"halves:0": X[:1]}, b={"halves:1": X[1:]})
    assert found.coverage.is_nothing
    assert found.coverage.layers_left_out["no output that both sources have"] == 1


def test_a_device_declines_models_and_layers_of_other_dialects():
    """It is not wrong, as it does not read them; no process is started."""
    seen = []

    class Watching(Device):
        def compute(self, calls):
            seen.extend(calls)
            return super().compute(calls)

    model = two_results()
    irops.compare(model, [X], b=Watching(dict))
    foreign = replace(model, dialect="onnx")
    answers = OpenVINODevice().compute([replace(call, model=foreign) for call in seen])
    answers.append(OpenVINODevice().results(Context(ModelAnalysis(foreign), {})))
    assert [(answer.kind, answer.is_fault) for answer in answers] == [("declined", False)] * 5


def one_op(op, shape=(2, 3), name="y"):
    graph = irops.Graph(op)
    graph.result(graph.add(op, graph.parameter("x", "f32", shape), name=f"{op} of x"), name=name)
    return graph.model()


HOLLOW = {
    "no elements": (np.zeros((0, 3), np.float32), "it has no elements"),
    "NaN": (np.full((2, 3), np.nan, np.float32), "all its elements are NaN or infinite"),
    "overflow": (np.full((2, 3), 1e4, np.float32), "all its elements are NaN or infinite"),
}


@pytest.mark.parametrize("kind", HOLLOW)
def test_results_without_a_finite_element_agree_on_nothing(kind):
    """Exp and another op that overflows: equal values here say nothing of the models."""
    x, why = HOLLOW[kind]
    for other in ("Exp", "Cosh"):
        found = irops.compare(one_op("Exp", ["?", 3]), [x], b=one_op(other, ["?", 3]), mode="propagated")
        assert not found.ok
        assert (found.coverage.results, sum(found.coverage.results_left_out.values())) == (0, 1)
        assert f"result y not compared: {why}, which shows nothing; compare with other inputs" in str(found)


def test_a_finite_element_beside_an_infinite_one_is_no_agreement():
    found = irops.compare(one_op("Exp"), HOLLOW["overflow"][:1], b=one_op("Tanh"))
    assert [result.is_fault for result in found.results] == [True]


def test_a_result_without_elements_beside_others_is_said_and_hinders_nothing(net):
    places = "x: f32[2,3]; high: Greater x k; n: NonZero-opset3 high output_type=i64; places: Result n"
    model = net(places, "t: Tanh x; scores: Result t", k=np.float32(1e6))
    found = irops.compare(model, [X], b="reference")
    assert found.ok
    assert "  result n.0 equal: it has no elements" in str(found).splitlines()


def positions():
    """Positions that are counted in f32, and what is computed from them."""
    graph = irops.Graph("positions")
    x = graph.parameter("x", "f32[8]")
    ends = np.float32(0), graph.add("ReduceSum", x, 0), np.float32(1)
    counted = graph.add("Range", *ends, output_type="f32")
    index = graph.add("Convert", counted, destination_type="i64", name="index")
    graph.result(graph.add("Gather", graph.add("Exp", x, name="exp"), index, 0, name="gathered"), "y")
    return ModelAnalysis(graph.model())


def values_of(analysis, arithmetic):
    context = Context(analysis, analysis.signature.arrays([np.ones(8, np.float32)]))
    walk = noisy_walk(context, arithmetic, seed=1)
    return {analysis.root.layers[value.layer].layer.name: value.outputs[0] for value in walk}


def test_positions_counted_in_floating_point_do_not_become_others():
    values = values_of(positions(), Arithmetic())
    assert values["index"].tolist() == list(range(8))
    assert values["exp"].tolist() != [np.exp(np.float32(1))] * 8, "other numbers are changed"


def test_a_planted_fault_behind_positions_is_not_taken_for_rounding():
    analysis, x = positions(), np.arange(8, dtype=np.float32) / 3.5
    gathered = irops.run(analysis, [x], keep=["gathered"])["gathered"]
    recorded = dict.fromkeys(("gathered", "y"), np.roll(gathered, 1))
    found = irops.compare(analysis, [x], b=recorded)
    assert found.first.name == "gathered"


def test_results_of_a_device_are_found_by_the_names_of_their_tensors(monkeypatch):
    model, inputs = network(folders()["torch_slice_assign"])
    context = Context(ModelAnalysis(model), ModelAnalysis(model).signature.arrays(inputs))
    ports = context.analysis.signature.results
    assert any(port.name != port.layer.name for port in ports)
    device = OpenVINODevice()
    answer = {port.layer.name: np.float32(port.position) for port in ports}
    monkeypatch.setattr(device, "_run_model", lambda *_: answer)
    assert device.results(context) == {port.name: port.position for port in ports}
    device.close()
