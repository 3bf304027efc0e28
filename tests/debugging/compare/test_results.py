"""The first question of a comparison: do the results agree? And: what was compared, and what was not."""

from __future__ import annotations

import copy
import ctypes
import json
import os
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from tiers import slow
from wrong_call import Planted, sign

import irops
from irops.analysis.model_analysis import ModelAnalysis
from irops.backends.backend import Reference
from irops.debugging.compare.html import page
from irops.debugging.compare.report import junit
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.source import Source

X = np.float32([[1, 2, 3], [-1, 0.5, 4]])


def one_layer(op, factor, name="y"):
    graph = irops.Graph(op)
    x = graph.parameter("x", "f32", [2, 3])
    graph.result(graph.add(op, x, np.float32(factor), name=f"{op} by a number"), name=name)
    return graph.model()


def two_results(scale=1.0, prefix="", names=("left", "right")):
    graph = irops.Graph("two results")
    x = graph.parameter(f"{prefix}x", "f32", [2, 3])
    first = graph.add("Tanh", x, name=f"{prefix}first")
    second = graph.add("Multiply", first, np.float32(2 * scale), name=f"{prefix}second")
    graph.result(graph.add("Exp", first, name=f"{prefix}third"), name=names[0])
    graph.result(graph.add("Sin", second, name=f"{prefix}fourth"), name=names[1])
    return graph.model()


class Fused(Source):
    """A device whose result is off by 0.1 where nobody asks for the values within."""

    computes_layers = True
    is_whole = True

    def __init__(self, off=0.1):
        self.name, self._off, self._inner = "fused", off, Layerwise(Reference())

    def walk(self, context):
        return self._inner.walk(context)

    def compute(self, calls):
        return self._inner.compute(calls)

    def results(self, context):
        values = self._inner.results(context)
        return {name: array + np.float32(self._off) for name, array in values.items()}


def test_models_of_other_ops_have_no_layer_in_common_and_results_that_differ():
    """Two models, no layer of which is the same: 2 x in one, x / 0.4 in the other."""
    found = irops.compare(one_layer("Multiply", 2), [X], b=one_layer("Divide", 0.4))
    assert not found.ok
    assert found.coverage.results == 1
    assert [result.is_fault for result in found.results] == [True]
    assert str(found).splitlines()[0].startswith("result y differs: 2 at [1, 2], SNR 12 dB")
    assert "1 of 1 result compared" in str(found)


def test_equal_results_of_models_without_a_layer_in_common_agree():
    found = irops.compare(one_layer("Multiply", 2), [X], b=one_layer("Divide", 0.5))
    assert found.ok
    assert str(found).splitlines()[0] == "the result agrees"


def one_op(name, inputs, shape, **attributes):
    """A model y = op(x, further inputs)."""
    graph = irops.Graph(f"{name} alone")
    x = graph.parameter("x", "f32", shape)
    graph.result(graph.add(name, x, *inputs, name="y", **attributes), name="r")
    return graph.model()


def test_results_without_elements_agree_on_nothing():
    models = [one_op("Multiply", [factor], ["?", 3]) for factor in (2, 3)]
    empty = np.zeros((0, 3), np.float32)
    for b in (models[1], "reference"):
        found = irops.compare(models[0], [empty], b=b)
        assert not found.ok
        assert found.coverage.results == 0
        assert found.coverage.results_left_out == {"no values": 1}
        assert "result r was not compared: it has no elements" in str(found)
    several = irops.compare(models[0], [{"x": empty}, {"x": X}], b=models[0])
    assert several.ok, several
    assert not irops.compare(models[0], [{"x": empty}, {"x": X}], b=models[1]).ok


@pytest.mark.parametrize("op", ["Log", "Exp"])
def test_results_that_are_nan_or_infinite_alone_agree_on_nothing(op):
    x = {"Log": -1 - np.abs(X), "Exp": 200 + np.abs(X)}[op]
    models = []
    for factor in (2, 3):
        graph = irops.Graph("not finite")
        graph.result(
            graph.add("Multiply", graph.add(op, graph.parameter("x", "f32", [2, 3])), factor), name="r"
        )
        models.append(graph.model())
    found = irops.compare(models[0], [x], b=models[1])
    assert not found.ok
    assert "none of its elements is finite, on either side" in str(found)


def test_a_result_without_elements_beside_others_is_a_remark():
    graph = irops.Graph("boxes and scores")
    x = graph.parameter("x", "f32", [2, 3])
    graph.result(graph.add("NonZero", graph.add("Greater", x, 1e6)), name="boxes")
    graph.result(graph.add("Tanh", x), name="scores")
    found = irops.compare(graph.model(), [X], b="reference")
    assert found.ok
    assert "result boxes is equal, as it has no elements" in str(found)


def test_a_result_that_only_the_other_model_has_is_not_compared():
    graph = irops.Graph("one more")
    x = graph.parameter("x", "f32", [2, 3])
    graph.result(graph.add("Multiply", x, 2, name="y"), name="r")
    graph.result(graph.add("Tanh", x), name="more")
    one, two = one_op("Multiply", [2], [2, 3]), graph.model()
    for a, b in ((one, two), (two, one)):
        found = irops.compare(a, [X], b=b)
        assert (found.ok, found.first, found.coverage.results, found.coverage.all_results) == (
            False,
            None,
            1,
            2,
        )
        assert "result more was not compared: " in str(found)


def test_parts_of_another_model_are_not_compiled():
    with pytest.raises(ValueError, match="compiles no parts of the model; compare in mode propagated"):
        irops.compare(one_layer("Multiply", 2), [X], b=one_layer("Divide", 0.4), mode="cuts")


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
def test_a_model_that_cannot_be_computed_accuses_no_layer(mode):
    other = one_layer("Multiply", 2)
    unknown = replace(other, graph=copy.deepcopy(other.graph))
    unknown.layer("Multiply by a number").type = "Frobnicate"
    found = irops.compare(one_layer("Multiply", 2), [X], b=unknown, mode=mode)
    assert not found.ok
    assert found.first is None
    assert str(found).startswith("result y was not computed: refused: ")


def gelu(factor, is_composed):
    """Three blocks of Gelu and MatMul; the factor of the second, 0.5 in a Gelu. is_composed: of other ops"""
    graph = irops.Graph("blocks")
    value = graph.parameter("x", "f32", [2, 8])
    weights = np.random.default_rng(1).normal(size=(3, 8, 8)).astype(np.float32)
    for block in range(3):
        if is_composed:
            inner = graph.add("Divide", value, 1.41421354, name=f"divided {block}")
            inner = graph.add("Add", graph.add("Erf", inner, name=f"erf {block}"), 1.0, name=f"sum {block}")
            value = graph.add("Multiply", value, inner, name=f"product {block}")
            value = graph.add("Multiply", value, factor if block == 1 else 0.5, name=f"half {block}")
        else:
            value = graph.add("Gelu-7", value, name=f"gelu {block}")
        value = graph.add("MatMul", value, weights[block], name=f"{'ab'[is_composed]}/matmul {block}")
    graph.result(value, name="y")
    return graph.model()


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
@pytest.mark.parametrize("is_composed", [False, True])
def test_a_difference_between_an_op_and_its_parts_is_named_at_their_last_one(is_composed, mode):
    x = np.random.default_rng(2).normal(size=(2, 8)).astype(np.float32)
    models = gelu(0.525, is_composed), gelu(0.525, not is_composed)
    found = irops.compare(models[0], [x], b=models[1], mode=mode)
    assert found.first is not None
    assert found.first.name == ("half 1" if is_composed else "gelu 1")
    sides = ["Divide, Erf, Add, Multiply, Multiply", "Gelu"]
    assert found.first.cause == f"computed by {sides[not is_composed]} → by {sides[is_composed]}"
    assert found.first.metrics is not None
    assert 25 < found.first.metrics.snr < 27
    assert irops.compare(gelu(0.5, is_composed), [x], b=gelu(0.5, not is_composed), mode=mode).ok


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_answer_begins_with_whether_the_results_agree(count):
    graph = irops.Graph("some results")
    x = graph.parameter("x", "f32", [2, 3])
    for number in range(count):
        graph.result(graph.add("Tanh", x, name=f"layer {number}"), name=f"y{number}")
    text = str(irops.compare(graph.model(), [X], b="reference"))
    first = {1: "the result agrees", 2: "both results agree", 3: "all 3 results agree"}[count]
    assert text.splitlines()[0] == first


def test_results_are_matched_by_position_where_every_layer_has_another_name():
    found = irops.compare(two_results(), [X], b=two_results(1.01, "b/", ("p", "q")))
    assert [result.names for result in found.results] == [("left", "p"), ("right", "q")]
    assert [result.matched_by for result in found.results] == ["position", "position"]
    assert [result.is_fault for result in found.results] == [False, True]
    assert "result right (q in B, by position) differs" in str(found)


def test_results_are_matched_by_name_before_position():
    swapped = two_results(names=("right", "left"))
    found = irops.compare(two_results(), [X], b=swapped)
    assert [(result.name, result.matched_by) for result in found.results] == [
        ("left", "tensor name"),
        ("right", "tensor name"),
    ]
    assert all(result.is_fault for result in found.results)


def test_a_device_that_is_wrong_only_when_it_compiles_the_whole_is_not_ok():
    for mode in ("isolated", "propagated"):
        found = irops.compare(two_results(), [X], b=Fused(), mode=mode)
        lines = str(found).splitlines()
        assert not found.ok
        assert found.first is None
        assert lines[0].startswith("result left differs: 0.1 at ")
        assert "no single layer is wrong, but the results differ" in lines
        assert any("--mode cuts" in line for line in lines)


def test_nothing_in_common_is_nothing_compared():
    stored = {"another name": X}
    found = irops.compare(two_results(), [X], b=stored)
    assert not found.ok
    assert found.coverage.is_nothing
    assert str(found).splitlines()[0] == "nothing was compared"
    assert found.coverage.left_out == {"not in B": 4}
    assert found.coverage.results_left_out == {"not in B": 2}
    suite = ElementTree.fromstring(junit(found))
    assert int(suite.attrib["failures"]) == 3  # the coverage, and both results
    assert "nothing was compared" in page(found, ModelAnalysis(two_results()))
    assert "nothing was compared" in found._repr_html_()


def test_a_result_that_was_not_compared_is_not_ok():
    right = irops.run(two_results(), [X], keep="all")
    found = irops.compare(two_results(), [X], b={"first": right["first"], "left": right["left"]})
    assert found.first is None
    assert not found.ok
    lines = str(found).splitlines()
    assert lines[0] == "1 of 2 results agrees"
    assert lines[1] == "  result right was not compared: stored values has no value of it"
    failed = [
        case.attrib["name"]
        for case in ElementTree.fromstring(junit(found))
        if case.find("failure") is not None
    ]
    assert failed == ["right"]


def test_a_backend_that_declines_every_layer_compares_nothing():
    for mode in ("isolated", "propagated"):
        found = irops.compare(two_results(), [X], b="numpy", mode=mode)
        assert not found.ok
        assert found.coverage.is_nothing
        assert found.coverage.left_out == {"declined": 4}


def test_json_holds_results_and_coverage():
    found = json.loads(json.dumps(irops.compare(two_results(), [X], b=two_results(1.01)).to_json()))
    assert found["ok"] is False
    assert [result["verdict"] for result in found["results"]] == ["equal", "wrong"]
    assert found["coverage"]["results"] == found["coverage"]["all_results"] == 2
    assert found["coverage"]["layers"] == 4


def test_a_layer_in_a_state_is_left_out_by_reason():
    graph = irops.Graph("constants")
    x = graph.parameter("x", "f32", [2, 3])
    weights = graph.add(
        "Convert", graph.constant(np.float16([2, 3, 4])), destination_type="f32", name="weights"
    )
    graph.result(graph.add("Multiply", x, weights, name="product"), name="y")
    right = irops.run(graph.model(), [X], keep="all")
    found = irops.compare(graph.model(), [X], b={"product": right["product"]})
    assert found.ok
    assert found.coverage.left_out == {"constants alone": 1}
    assert str(found.coverage) == "1 of 2 layers (1 constants alone), 1 of 1 result"


# ---- values, not declarations


def test_equal_values_of_other_integer_types_and_shapes_are_a_note():
    def made(kind, shape):
        graph = irops.Graph("sizes")
        x = graph.parameter("x", "f32", [2, 3])
        sizes = graph.add("ShapeOf", x, output_type=kind, name="shape")
        size = graph.add("Gather", sizes, np.full(shape, 1, np.int64), np.int64(0), name="size")
        graph.result(graph.add("Convert", size, destination_type=kind, name="copy"), name="n")
        graph.result(graph.add("Exp", x, name="e"), name="y")
        return graph.model()

    found = irops.compare(made("i64", []), [X], b=made("i32", [1]))
    assert found.ok
    assert {str(layer.verdict) for layer in found.layers} == {"equal"}
    notes = {layer.name: layer.note for layer in found.layers}
    assert notes["size"] == "i32, not i64; shape [1], not []"
    assert notes["e"] == ""
    assert "  result n is equal, as i32, not i64; shape [1], not []" in str(found).splitlines()


def test_a_difference_that_nothing_inherits_is_not_the_first_wrong_layer():
    """Both models add up in another order, and agree behind it; the fault is planted behind that."""

    def made(axes, scale=1.0):
        graph = irops.Graph("transposed")
        x = graph.parameter("x", "f32", [2, 3])
        turned = graph.add("Transpose", x, np.int64(axes), name="turned")
        total = graph.add("ReduceSum", turned, np.int64([0, 1]), name="total")
        graph.result(graph.add("Multiply", total, np.float32(scale), name="scaled"), name="y")
        return graph.model()

    found = irops.compare(made([0, 1]), [X], b=made([1, 0]))
    assert found.ok
    assert [layer.name for layer in found.layers if layer.is_fault] == []
    found = irops.compare(made([0, 1]), [X], b=made([1, 0], 1.02))
    assert found.first.name == "scaled"


def test_a_fault_stays_the_first_where_what_uses_it_only_hides_it():
    """Behind the wrong layer the difference is smaller than 32 times rounding, and then grows again."""
    found = irops.compare(two_results(), [X], b=two_results(1.01))
    assert found.first.name == "second"


def test_layers_that_were_not_compared_before_the_first_wrong_one_are_named():
    graph = irops.Graph("chain")
    value = graph.parameter("x", "f32", [2, 3])
    for op, name in (("Tanh", "a"), ("Sin", "b"), ("Exp", "c"), ("Cos", "d")):
        value = graph.add(op, value, name=name)
    graph.result(value, name="y")
    stored = dict(irops.run(graph.model(), [X], keep="all"))
    del stored["b"], stored["c"]
    stored["d"] = stored["y"] = stored["d"] + np.float32(1)
    found = irops.compare(graph.model(), [X], b=stored)
    assert found.first.name == "d"
    assert found.between == ("b", "c")
    assert "  2 layers that B does not have (b, c) lie before it: the difference may begin there" in str(
        found
    )


# ---- tolerances and sets of inputs


def test_given_tolerances_take_the_place_of_what_rounding_explains():
    model, other = two_results(), two_results(1.01)
    assert not irops.compare(model, [X], b=other, rtol=1e-3).ok
    assert irops.compare(model, [X], b=other, rtol=0.05, atol=0.05).ok
    named = irops.compare(model, [X], b=other, rtol={"second": 0.02}, atol={"right": 0.1, "fourth": 0.1})
    assert named.ok
    inexact = Planted("Exp-1", 0, lambda array: array * np.float32(1.01), of=1)
    isolated = irops.compare(model, [X], b=inexact, rtol=0.02)
    assert isolated.mode == "isolated"
    assert isolated.ok
    with pytest.raises(ValueError, match="which no layer, tensor or result has; did you mean 'second'"):
        irops.compare(model, [X], b=other, rtol={"secnd": 1.0})
    with pytest.raises(ValueError, match="rtol is -1, must be 0 or greater"):
        irops.compare(model, [X], b=other, rtol=-1)


def test_several_sets_of_inputs_give_the_worst_of_each_layer_and_how_often():
    sets = [{"x": np.zeros((2, 3), np.float32)}, {"x": X}, {"x": -X}]
    found = irops.compare(two_results(), sets, b=two_results(1.01))
    assert found.sets == 3
    assert found.first.name == "second"
    assert found.first.wrong_in == 2
    assert [result.wrong_in for result in found.results] == [0, 2]
    assert "(for 2 of 3 sets of inputs)" in str(found).splitlines()[0]


# ---- random values


def noisy(*, seed=0, missing=False):
    """Random numbers, scaled, then an Exp; without the Exp where it is missing."""
    graph = irops.Graph("noise")
    x = graph.parameter("x", "f32", [2, 3])
    limits = np.int64([2, 3]), np.float32(0), np.float32(1)
    seeds = {"op_seed": seed, "global_seed": seed}
    noise = graph.add("RandomUniform", *limits, output_type="f32", name="noise", **seeds)
    total = graph.add("Add", x, noise, name="total")
    graph.result(total if missing else graph.add("Exp", total, name="after"), name="y")
    return graph.model()


@pytest.mark.parametrize("mode", ["isolated", "propagated", "cuts"])
@pytest.mark.parametrize("seed", [0, 7])
def test_what_follows_random_values_is_judged(mode, seed):
    model = noisy(seed=seed)
    right = irops.compare(model, [X], b=Layerwise(Reference()), mode=mode)
    assert right.ok
    wrong = irops.compare(model, [X], b=Planted("Exp-1", 0, sign, of=1), mode=mode)
    assert not wrong.ok
    assert wrong.first.name == "after"
    assert [result.is_fault for result in wrong.results] == [True]


def test_random_values_that_were_stored_are_given_to_the_reference():
    model = noisy()
    stored = dict(irops.run(model, [X], keep="all"))
    assert irops.compare(model, [X], b=stored).ok
    stored["after"] = stored["y"] = stored["after"] * np.float32(1.01)
    assert irops.compare(model, [X], b=stored).first.name == "after"


def test_random_values_that_are_not_known_are_not_judged():
    model = noisy()
    stored = dict(irops.run(model, [X], keep="all"))
    found = irops.compare(model, [X], b={name: stored[name] for name in ("after", "y")})
    assert not found.ok
    assert found.coverage.is_nothing
    assert found.coverage.results_left_out == {"random": 1}


def drawn(*, seed=0, high=1.0, size=3, sign=1, names="{}", unit=False):
    """Random numbers, of which some steps follow, and a second Result without them."""
    graph = irops.Graph("drawn")
    x = graph.parameter("x", "f32", [2, 3])
    limits = np.int64([2, size]), np.float32(0), np.float32(high)
    seeds = {"op_seed": seed, "global_seed": seed}
    noise = graph.add("RandomUniform", *limits, output_type="f32", name=names.format("noise"), **seeds)
    total = graph.add("Add", x, noise, name=names.format("total"))
    if unit:
        total = graph.add("Multiply", total, np.float32(1), name=names.format("same"))
    after = graph.add("Exp", graph.add("Multiply", total, np.float32(sign), name=names.format("sign")))
    graph.result(after, name="y")
    graph.result(graph.add("Sin", x, name=names.format("wave")), name="z")
    return graph.model()


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
@pytest.mark.parametrize("names", ["{}", "other_{}"])
@pytest.mark.parametrize("seeds", [(0, 0), (7, 0), (0, 7), (7, 7)])
def test_what_follows_random_values_of_another_model_is_judged(mode, names, seeds):
    a, b = ({"seed": seed} for seed in seeds)
    right = irops.compare(drawn(**a), [X], b=drawn(**b, names=names, unit=True), mode=mode)
    assert right.ok
    assert all(result.is_compared for result in right.results)
    wrong = irops.compare(drawn(**a), [X], b=drawn(**b, names=names, sign=-1), mode=mode)
    assert [result.is_fault for result in wrong.results] == [True, False]
    assert wrong.first.name == "sign"
    if seeds != (7, 7):
        assert "both sides get the same values of 1 random layer: noise" in wrong.notes


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
@pytest.mark.parametrize("names", ["{}", "other_{}"])
def test_random_values_of_another_range_are_not_taken_for_the_same(mode, names):
    found = irops.compare(drawn(), [X], b=drawn(high=2.0, names=names), mode=mode)
    assert not found.ok
    assert (found.first.name, found.first.cause) == ("noise", "constant maxval 1 → 2")
    assert [result.left_out for result in found.results] == ["random", None]


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_random_values_that_only_the_other_model_draws_accuse_nobody(mode):
    graph = irops.Graph("plain")
    x = graph.parameter("x", "f32", [2, 3])
    graph.result(graph.add("Exp", graph.add("Add", x, np.float32(0.5), name="total")), name="y")
    graph.result(graph.add("Sin", x, name="wave"), name="z")
    found = irops.compare(graph.model(), [X], b=drawn(), mode=mode)
    assert not found.ok
    assert [result.left_out for result in found.results] == ["random", None]
    assert found.first is None


def test_coverage_says_which_layers_are_random():
    found = irops.compare(noisy(), [X], b=Layerwise(Reference()), mode="propagated")
    assert found.coverage.left_out == {"random": 1}
    assert "both sides get the same values of 1 random layer: noise" in found.notes


def repeated(
    *, outer="Loop", op="RandomUniform", seed=0, gain=1.5, high=1.0, within=True, after="Exp", names="{}"
):
    """Rows to which a body adds random numbers, then scales and bounds them; behind it, one more layer."""
    graph = irops.Graph("repeated")
    x = graph.parameter("x", "f32", [2, 3])
    body = irops.Graph("body")
    rows = 2 if outer == "If" else 1
    total = body.parameter("part", "f32", [rows, 3])
    if within:
        seeds = {"op_seed": seed, "global_seed": seed}
        limits = np.int64([rows, 3]), np.float32(0), np.float32(high)
        noise = body.add(op, *limits, output_type="f32", name=names.format("noise"), **seeds)
        total = body.add("Add", total, noise, name=names.format("total"))
    scaled = body.add("Multiply", total, np.float32(gain), name=names.format("scaled"))
    body.result(body.add("Tanh", scaled, name=names.format("bounded")), "made")
    name = names.format("outer")
    if outer == "If":
        made = graph.If(graph.ops.Less(np.float32(0), np.float32(1)), body, body, {"part": x}, name=name)[0]
    else:
        kind = graph.Loop if outer == "Loop" else graph.TensorIterator
        more = {"trip_count": np.int64(2)} if outer == "Loop" else {}
        parts = {"part": graph.sliced(x, axis=0)}
        made = kind(body, parts, [graph.stacked("made", axis=0)], name=name, **more)[0]
    graph.result(graph.add(after, made, name=names.format("after")), name="y")
    graph.result(graph.add("Sin", x, name=names.format("wave")), name="z")
    return graph.model()


BODIES = ("Loop", "TensorIterator", "If")


@pytest.mark.parametrize("outer", BODIES)
@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_layers_beside_a_random_one_in_a_body_are_judged_in_a_backend(mode, outer):
    model, calls = repeated(outer=outer), 1 if outer == "If" else 2
    right = irops.compare(model, [X], b=Layerwise(Reference()), mode=mode)
    assert right.ok
    assert all(result.is_compared for result in right.results)
    drawn = "2 random layers in bodies: outer/noise, outer/noise"  # one in each branch
    drawn = drawn if outer == "If" else "1 random layer in bodies: outer/noise"
    assert f"both sides get the same seeds for {drawn}" in right.notes
    wrong = irops.compare(model, [X], b=Planted("Multiply-1", 0, sign, of=calls), mode=mode)
    assert not wrong.ok
    assert wrong.first.name == ("scaled" if mode == "isolated" else "outer")
    assert [result.is_fault for result in wrong.results] == [True, False]


@pytest.mark.parametrize("outer", BODIES)
@pytest.mark.parametrize("mode", ["isolated", "propagated"])
@pytest.mark.parametrize("names", ["{}", "other_{}"])
@pytest.mark.parametrize("seeds", [(0, 0), (7, 0), (7, 7)])
def test_what_follows_random_values_in_a_body_is_judged_in_another_model(seeds, names, mode, outer):
    a = repeated(outer=outer, seed=seeds[0])
    right = irops.compare(a, [X], b=repeated(outer=outer, seed=seeds[1], names=names), mode=mode)
    assert right.ok
    assert all(result.is_compared for result in right.results)
    behind = irops.compare(
        a, [X], b=repeated(outer=outer, seed=seeds[1], names=names, after="Abs"), mode=mode
    )
    assert (behind.first.name, behind.first.cause) == ("after", "op Exp-1 → Abs-1")
    inside = repeated(outer=outer, seed=seeds[1], names=names, gain=-1.5)
    found = irops.compare(a, [X], b=inside, mode=mode)
    assert [result.is_fault for result in found.results] == [True, False]
    assert found.first.name == "outer"
    assert found.first.cause.startswith("in ")


@pytest.mark.parametrize("outer", BODIES)
@pytest.mark.parametrize("mode", ["isolated", "propagated"])
@pytest.mark.parametrize("other", [{"within": False}, {"high": 2.0}])
def test_random_values_in_the_body_of_one_model_alone_or_of_another_range_are_no_agreement(
    other, mode, outer
):
    """Random values of another range come of the same seed, and differ; those of one model alone are not
    compared."""
    found = irops.compare(repeated(outer=outer), [X], b=repeated(outer=outer, **other), mode=mode)
    assert not found.ok
    first, second = found.results
    assert first.is_fault or first.left_out == "random"
    assert not second.is_fault
    assert found.first is not None
    assert found.first.name == "outer"


def test_stored_values_of_a_layer_with_a_random_body_are_given_to_the_reference():
    model = repeated()
    stored = dict(irops.run(model, [X], keep="all"))
    found = irops.compare(model, [X], b=stored)
    assert found.ok
    assert found.coverage.left_out == {"random": 1}
    stored["after"] = stored["y"] = stored["y"] * np.float32(1.01)
    assert irops.compare(model, [X], b=stored).first.name == "after"


# ---- backends that crash


class Crashing:
    """A backend that ends its process at an op: by a wrong read of memory, or by its own will."""

    name = "crashing"

    def __init__(self, how):
        self.how = how

    def kernel(self, op):
        kernel = op.functions.kernel
        if op.id != "Exp-1":
            return kernel

        def crash(*_inputs, **_attributes):
            if self.how == "segfault":
                ctypes.string_at(0)
            os._exit(7)

        return crash


@pytest.mark.parametrize(
    ("how", "mode", "message"),
    [
        ("segfault", "isolated", "the process ended by SIGSEGV"),
        slow(("exit", "propagated", "the process ended with exit code 7")),
    ],
)
def test_a_backend_object_that_crashes_is_a_finding_and_the_caller_lives_on(how, mode, message):
    found = irops.compare(two_results(), [X], b=Crashing(how), mode=mode)
    assert found.first.name == "third"
    assert str(found.first.verdict) == "failed"
    assert message in found.first.reason
    assert all(str(result.verdict) == "failed" for result in found.results)


def test_a_backend_object_that_crashes_is_reduced_and_the_caller_lives_on():
    small = irops.reduce(two_results(), [X], differs=("reference", Crashing("exit")), tries=8)
    assert "third" in [layer.name for layer in small.model.layers]
    assert small.layers < small.of


class Inexact(Source):
    """A device that computes each layer as the reference does, but for an error relative to each element."""

    computes_layers = is_whole = True
    name = "inexact"

    def __init__(self, by):
        self._by, self._inner = np.float32(1 + by), Layerwise(Reference())

    def walk(self, context):
        return self._inner.walk(context)

    def compute(self, calls):
        values = irops.run(calls[0].model, [X], keep="all")
        found = [values[call.node.layer.name] for call in calls]
        return [(array * self._by if array.dtype == np.float32 else array,) for array in found]

    def results(self, context):
        return self._inner.results(context)


@pytest.mark.parametrize(("by", "agrees"), [(1e-6, True), (1e-2, False)])
def test_an_if_has_the_bound_of_its_bodies(by, agrees):
    """Rounding in the body is rounding of the If, whose own category of ops rounds nothing."""
    graph = irops.Graph("chosen")
    x = graph.parameter("x", "f32", [2, 3])
    body = irops.Graph("branch")
    weight = np.random.default_rng(4).standard_normal((3, 3)).astype(np.float32)
    product = body.add("MatMul", body.parameter("part", "f32", [2, 3]), weight, name="product")
    body.result(body.add("Exp", product, name="grown"), "made")
    positive = graph.ops.Less(np.float32(0), graph.ops.ReduceMax(graph.ops.Abs(x), [0, 1], keep_dims=False))
    graph.result(graph.If(positive, body, body, {"part": x}, name="chosen")[0], name="y")
    found = irops.compare(graph.model(), [X], b=Inexact(by), mode="isolated")
    assert {layer.name: layer.is_fault for layer in found.layers}["chosen"] is not agrees


def test_an_object_that_cannot_be_sent_runs_in_a_fork():
    """A class within a function, with a lambda, is no pickle."""

    class Local:
        name = "local"
        unsendable = staticmethod(lambda: None)

        def kernel(self, op):
            kernel = op.functions.kernel
            return (lambda *inputs, **_: os._exit(3)) if op.id == "Sin-1" else kernel

    found = irops.compare(two_results(), [X], b=Local())
    assert [layer.name for layer in found.layers if layer.is_fault] == ["fourth"]
    assert "exit code 3" in found.first.reason


def test_a_wrong_layer_makes_results_differ_that_jumps_would_explain():
    """Half of the elements lie so near to the middle of two levels that 16 times rounding makes them jump."""
    random = np.random.default_rng(4)
    levels = 2 / 255 * random.integers(70, 120, (4, 64)) * random.choice([-1, 1], (4, 64))
    x = (levels * (1 + random.choice([-2e-6, 2e-6], levels.shape))).astype(np.float32)

    def quantised(factor):
        graph = irops.Graph("quantised")
        scaled = graph.ops.Multiply(graph.parameter("x", "f32", [4, 64]), np.float32(factor), name="scaled")
        low, high = np.float32(-255 / 255), np.float32(255 / 255)
        rounded = graph.ops.FakeQuantize(scaled, low, high, low, high, levels=256, name="levels")
        weights = np.random.default_rng(5).standard_normal((64, 8)).astype(np.float32)
        graph.result(graph.ops.MatMul(rounded, weights, name="product"), name="y")
        return graph.model()

    right, wrong = quantised(1), quantised(1.003)
    found = irops.compare(right, [x], b=wrong)
    assert (found.first.name, found.first.cause) == ("scaled", "constant b 1 → 1.003")
    assert [result.is_fault for result in found.results] == [True]
    assert irops.compare(right, [x], b=quantised(1)).ok


def test_what_was_chosen_for_generated_inputs_is_a_field_of_its_own():
    graph = irops.Graph("open")
    graph.result(graph.ops.Tanh(graph.parameter("x", "f32[N,3]"), name="tanh"), name="y")
    model = graph.model()
    found = irops.compare(model, {}, b="reference", repeat=2).to_json()
    assert [chosen["seed"] for chosen in found["inputs"]] == [0, 1]
    assert found["inputs"][0]["inputs"][0]["name"] == "x"
    assert found["inputs"][0]["inputs"][0]["shape"][1] == 3
    assert irops.compare(model, [np.zeros((2, 3), np.float32)], b="reference").to_json()["inputs"] == []
