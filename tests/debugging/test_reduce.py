"""Models are reduced to the layers that a fault needs, by a search for few items that fail among many."""

import ast
import os
import re
from dataclasses import replace

import numpy as np
import pytest
from commands import python_process
from stored import check_stored
from tables import array_of, model_of_texts, table

import irops
from irops.debugging.compare.comparison import narrowed, without_each
from irops.debugging.reduce.attempts import InvalidQuestion
from irops.debugging.reduce.case import computes, lower_numbers
from irops.debugging.reduce.reduction import STOPPED_BY_USER, NoFault, reduce
from irops.diagnostics.printable import abridged
from irops.ir.model import Layer, LayerKind
from irops.values.element import element_type, element_type_of

RNG = np.random.default_rng(0)


def types(model):
    return sorted(layer.type for layer in model.layers)


def has(*wanted):
    """An oracle: whether a model has layers of these types, bodies included."""

    def shows(model, inputs):
        results = irops.run(model, inputs)
        return bool(results) and set(wanted) <= {layer.type for _, layer in model.walk()}

    return shows


def network():
    """Two towers that are joined; one has a convolution and an activation."""
    graph = irops.Graph("towers")
    image = graph.parameter("image", "f32[N,3,16,16]")
    weights = RNG.standard_normal((8, 3, 3, 3), np.float32)
    ones = {"strides": (1, 1), "dilations": (1, 1)}
    left = graph.ops.Convolution(image, weights, pads_begin=(1, 1), pads_end=(1, 1), **ones, name="stem")
    for _ in range(6):
        left = graph.ops.ReLU(left + RNG.standard_normal((1, 8, 1, 1), np.float32))
    left = graph.ops.Elu(left, alpha=0.5, name="elu")
    right = graph.parameter("state", "f32[N,8]")
    for _ in range(6):
        right = graph.ops.Tanh(right * np.float32(0.5))
    pooled = graph.ops.ReduceMean(left, [2, 3], name="pooled")
    graph.result(graph.ops.Concat(pooled, right, axis=1, name="joined"), "both")
    graph.result(graph.ops.Sigmoid(right), "other")
    inputs = {
        "image": RNG.standard_normal((2, 3, 16, 16), np.float32),
        "state": RNG.standard_normal((2, 8), np.float32),
    }
    return graph.model(), inputs


def test_one_layer_remains_with_the_smallest_input():
    model, inputs = network()
    small = irops.reduce(model, inputs, has("Elu"))
    assert types(small.model) == ["Elu", "Parameter", "Result"]
    assert (small.layers, small.of) == (1, 29)
    (array,) = small.inputs.values()
    assert array.tolist() == [[[[0.0]]]]
    assert small.model.layer("elu").data["alpha"] in ("0", "1")
    assert str(small) == f"1 of 29 layers after {small.tries} tries"
    assert repr(small) == f"<Reduction: {small}>"
    assert not irops.check(small.model).errors


def test_values_that_feed_a_part_are_those_of_a_run():
    model, inputs = network()
    whole = irops.run(model, inputs, keep=["elu"])["elu"]

    def shows(part, arrays):
        results = irops.run(part, arrays)
        return "ReduceMean" in types(part) and np.array_equal(
            next(iter(results.values())), whole.mean((2, 3))
        )

    small = irops.reduce(model, inputs, lambda m, i: shows(m, i) or "joined" in str(m.layers))
    assert small.layers == 1
    if "ReduceMean" in types(small.model):
        assert any(np.array_equal(array, whole) for array in small.inputs.values())


def test_the_reason_of_an_oracle_stays_the_same():
    model, inputs = network()

    def reason(part, arrays):
        irops.run(part, arrays)
        present = types(part)
        if "Elu" in present and "Concat" in present:
            return "both"
        return "elu alone" if "Elu" in present else None

    small = irops.reduce(model, inputs, reason)
    assert small.reason == "both"
    assert {"Elu", "Concat"} <= set(types(small.model))


def test_an_input_without_a_port_is_kept():
    graph = irops.Graph("t")
    graph.result(graph.ops.Abs(graph.parameter("x", "f32[?]")), "y")
    model = graph.model()
    model.graph.layers.append(Layer(9, "lone", "Parameter", "opset1", {"shape": "?", "element_type": "f32"}))
    small = irops.reduce(model, [np.ones(2, np.float32)] * 2, lambda part, _: len(part.inputs) == 2)
    assert [layer.name for layer in small.model.inputs] == ["x", "lone"]


def looping():
    """A running total of rows, each transformed by some layers."""
    body = irops.Graph("body")
    row, total = body.parameter("row", "f32[1,4]"), body.parameter("total", "f32[1,4]")
    x = body.ops.Sigmoid(body.ops.Tanh(row * np.float32(2)))
    body.result(total + body.ops.Elu(x, alpha=1.0), "next")
    loop = irops.Graph("running_total")
    rows = loop.parameter("rows", "f32[N,4]")
    start = loop.ops.ReLU(np.zeros((1, 4), np.float32))
    _, every = loop.TensorIterator(
        body,
        {"row": loop.sliced(loop.ops.Abs(rows), axis=0), "total": loop.carried(start, "next")},
        ["next", loop.stacked("next", axis=0)],
    )
    loop.result(loop.ops.Sin(every), "totals")
    return loop.model(), {"rows": RNG.standard_normal((3, 4), np.float32)}


def test_other_errors_of_the_whole_model_need_not_stay():
    model, _ = network()
    model.layer("joined").data["axis"] = "7"
    model.layer("stem").data["strides"] = "0,1"
    small = irops.reduce(model, rule="IR315")
    assert {finding.code for finding in irops.check(small.model)} == {"IR315"}
    assert "Convolution" in types(small.model)


def test_a_fault_that_does_not_show_is_reported():
    model, inputs = network()
    with pytest.raises(NoFault, match="the oracle returns a false value"):
        reduce(model, inputs, lambda model, inputs: False)


ONE_OF = "give one of oracle, differs, crashes, rule, command"
BEGINNING = "a reduction can preserve rules whose codes begin with IR2, IR3, IR4"


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({}, f"what to preserve is nothing; {ONE_OF}"),
        ({"rule": "IR401", "command": ["true"]}, f"what to preserve is rule, command; {ONE_OF}"),
        ({"rule": "IR4O1"}, "unknown rule 'IR4O1'; did you mean IR401?"),
        ({"rule": "zzzzzz"}, "unknown rule 'zzzzzz'"),
        ({"rule": "IR501"}, f"IR501 is not a rule about the layers of a model; {BEGINNING}"),
        ({"differs": ["reference"]}, "1 sources differ, must be 2"),
        (
            {"crashes": {"y": RNG}},
            "stored values gives the values of one model; a reduction runs smaller ones",
        ),
    ],
)
def test_what_to_preserve_is_one_thing(question, message):
    model, inputs = network()
    with pytest.raises(InvalidQuestion) as caught:
        reduce(model, inputs, **question)
    assert str(caught.value) == message


def test_an_interruption_keeps_the_best():
    model, inputs = network()
    shows, asked = has("Elu"), []

    def interrupted(part, arrays):
        asked.append(part)
        if len(asked) == 6:
            raise KeyboardInterrupt
        return bool(shows(part, arrays))

    small = irops.reduce(model, inputs, interrupted)
    assert small.stopped == STOPPED_BY_USER
    assert small.layers < small.of
    assert "Elu" in types(small.model)


@pytest.mark.parametrize("most", [{"tries": 0}, {"seconds": 0}])
def test_the_whole_model_is_judged_whatever_the_limits(most):
    model, inputs = network()
    found = irops.reduce(model, inputs, has("Elu"), **most)
    assert (found.layers, found.stopped is None) == (found.of, False)


def run_program(name, folder):
    """What a program in a folder prints."""
    # With instructions hidden, OpenVINO may still choose bf16, for which it then has no kernels.
    environment = {name: text for name, text in os.environ.items() if name != "ONEDNN_MAX_CPU_ISA"}
    done = python_process(name, cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_files_read_back_as_the_case(tmp_path):
    model, inputs = network()
    small = irops.reduce(model, inputs, has("Convolution"))
    assert small.write(tmp_path) == ("reduced.xml", "reduced.bin", "inputs.npz", "repro.py")
    again = irops.read(tmp_path / "reduced.xml")
    assert types(again) == types(small.model)
    with np.load(tmp_path / "inputs.npz") as arrays:
        expected = {name: array.tolist() for name, array in small.inputs.items()}
        assert {name: array.tolist() for name, array in arrays.items()} == expected


@pytest.mark.slow("starts a process")
def test_the_program_needs_the_runtime_alone(tmp_path):
    pytest.importorskip("openvino")
    model, inputs = network()
    irops.reduce(model, inputs, has("Convolution")).write(tmp_path)
    program = tmp_path / "repro.py"
    assert "irops" not in program.read_text().partition('"""\n')[2]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "pasted.py").write_text(program.read_text())
    assert "results:" in run_program("pasted.py", elsewhere)


@pytest.mark.slow("starts processes")
@pytest.mark.parametrize("kind", ["bf16", "f16", "u4", "i8", "boolean"])
def test_the_program_passes_elements_of_all_types(net, tmp_path, kind):
    pytest.importorskip("openvino")
    model = net(f"x: {kind}[2,3]; wide: Convert x destination_type=f32; y: Result wide")
    ones = np.ones((2, 3), element_type(kind).dtype)
    small = irops.reduce(model, {"x": ones}, lambda _, inputs: inputs["x"].dtype == ones.dtype)
    small.write(tmp_path)
    run_program("repro.py", tmp_path)


@pytest.mark.parametrize("comment", ['"""\nbroken(\nMODEL = r"""', "\u202e"])
def test_no_text_of_the_model_is_code_in_the_program(tmp_path, comment):
    graph = irops.Graph("typed")
    graph.result(graph.ops.Convert(graph.parameter("x", "u4[2]"), destination_type="f32"), "y")
    model = replace(graph.model(), comments=(comment,))
    ones = np.ones(2, element_type("u4").dtype)
    small = irops.reduce(model, [ones], lambda part, inputs: bool(part.comments) and len(inputs["x"]) == 2)
    small.write(tmp_path)
    program = (tmp_path / "repro.py").read_text()
    assigned = next(node for node in ast.parse(program).body if isinstance(node, ast.Assign))
    assert ast.literal_eval(assigned.value) == (tmp_path / "reduced.xml").read_text()
    assert "\u202e" not in program


def test_large_values_stay_in_files(net, tmp_path):
    pytest.importorskip("openvino")
    model = net("x: f32[100,100]; e: Elu x alpha=1.0; y: Result e")
    inputs = {"x": RNG.standard_normal((100, 100), np.float32)}

    def large(part, arrays):
        return sum(array.size for array in arrays.values()) >= 10_000 and bool(has("Elu")(part, arrays))

    irops.reduce(model, inputs, large).write(tmp_path)
    text = (tmp_path / "repro.py").read_text()
    assert 'np.load(FOLDER / "inputs.npz")' in text
    run_program("repro.py", tmp_path)


def test_every_candidate_is_valid():
    model, inputs = network()
    judged = []

    def shows(part, arrays):
        judged.append((irops.check(part).errors, len(irops.run(part, arrays))))
        return bool(has("Elu")(part, arrays))

    irops.reduce(model, inputs, shows)
    assert len(judged) > 5
    assert all(not errors and results for errors, results in judged)


def test_what_is_reduced_is_left_as_it_was():
    model, inputs = network()
    before = str(irops.infer(model)), len(model.layers)
    irops.reduce(model, inputs, has("Elu"))
    assert (str(irops.infer(model)), len(model.layers)) == before


def test_an_onnx_model_stays_one(net, tmp_path):
    pytest.importorskip("onnx")
    turned = "turned: ReverseSequence b lengths batch_axis=0 seq_axis=1; c: Sigmoid turned; y: Result c"
    model = net("x: f32[4,3]; a: ReLU x; b: Tanh a", turned, lengths=np.array([1, 2, 3, 1]))
    irops.write(irops.translate(model, to="onnx"), tmp_path / "model.onnx")
    inputs = {"x.0": RNG.standard_normal((4, 3), np.float32)}
    small = irops.reduce(tmp_path / "model.onnx", inputs, has("Tanh"))
    assert small.layers == 1
    files = small.write(tmp_path / "small")
    assert files[0] == "reduced.onnx"
    assert "Tanh" in types(irops.read(tmp_path / "small" / "reduced.onnx"))
    program = (tmp_path / "small" / "repro.py").read_text()
    assert "import onnxruntime as ort" in program
    pytest.importorskip("onnxruntime")
    run_program("repro.py", tmp_path / "small")


def test_elements_that_may_be_axes_or_sizes_are_lowered_one_by_one():
    assert [a.tolist() for a in lower_numbers(np.array([3, 0]))] == [[0, 0], [1, 0], [2, 0]]
    assert [a.tolist() for a in lower_numbers(np.array([2.0], np.float32))] == [[0.0], [1.0]]
    assert list(lower_numbers(np.array(["2"], object))) == []
    assert list(lower_numbers(np.ones((1, 2)))) == []


class Needs:
    """Fails if all needed items are there; counts how often it is asked."""

    def __init__(self, *needed):
        self.needed, self.tries = set(needed), 0

    def __call__(self, items):
        self.tries += 1
        return self.needed <= set(items)


def searched(size, fails):
    return list(without_each(narrowed(range(size), fails), fails))


@pytest.mark.parametrize("item", [0, 1, 499, 500, 501, 998, 999])
def test_one_item_of_a_thousand_takes_twice_the_logarithm_at_most(item):
    fails = Needs(item)
    assert searched(1000, fails) == [item]
    assert fails.tries <= 21


@pytest.mark.parametrize("pair", [(499, 500), (0, 999), (10, 11), (120, 130), (249, 251)])
def test_two_items_that_fail_only_together(pair):
    fails = Needs(*pair)
    assert searched(1000, fails) == list(pair)
    assert fails.tries <= 64


@pytest.mark.parametrize(
    ("size", "needed"), [(1000, [498, 499, 500, 501, 502]), (7, [*range(7)]), (1, [0]), (0, [])]
)
def test_all_items_that_are_needed_are_kept_also_at_the_border_of_halves(size, needed):
    assert searched(size, Needs(*needed)) == needed


def test_a_single_item_is_kept_without_a_try():
    fails = Needs()
    assert (searched(1, fails), fails.tries) == ([0], 0)


def test_items_that_hide_each_other_are_found_by_leaving_out():
    """The fault of 700 shows only without 100, unless 200 is there too."""

    def fails(items):
        return 700 in items and (100 not in items or 200 in items)

    assert searched(1000, fails) == [700]


def _logged(reduced, log):
    """An oracle: whether a model has all that the fault needs. log: gets a line for each candidate"""

    def shows(model, inputs):
        irops.run(model, inputs)
        layers = [layer for _, layer in model.walk() if layer.kind is not LayerKind.RESULT]
        large = any(array.size >= reduced.get("at_least", 0) for array in inputs.values())
        kinds = {element_type_of(array).name for array in inputs.values()}
        is_shown = set(reduced["needs"]) <= {layer.type for layer in layers} and large
        is_shown &= set(reduced.get("kinds", ())) <= kinds
        words = [
            f"{layer.type}({', '.join(layer.data.values())})" if computes(layer) else layer.type
            for layer in layers
        ]
        for name, array in inputs.items():
            numbers = abridged(str(array.astype(float).round(3).tolist()), 60)
            words.append(f"{name}: {element_type_of(array)}{[*array.shape]} {numbers}")
        log.append(f"{'shows' if is_shown else 'lacks'}: {'; '.join(words)}")
        return is_shown

    return shows


@pytest.mark.parametrize("reduced", table(__file__, "reduced"), ids=lambda reduced: reduced["about"])
def test_candidates_and_programs_are_as_stored(reduced, tmp_path):
    layers, constants, log = reduced.get("layers"), reduced.get("constants", {}), []
    model = model_of_texts(layers, constants) if layers else looping()[0]
    inputs = {name: array_of(*given) for name, given in reduced["inputs"].items()}
    question = reduced.get("question") or {"oracle": _logged(reduced, log)}
    if "differs" in question:
        question = {"differs": ("reference", model_of_texts(question["differs"], constants))}
    small = irops.reduce(model, inputs, **question, progress=lambda *state: log.append(f"{state}"))
    log.append(" ".join(small.write(tmp_path)))
    program = (tmp_path / "repro.py").read_text()
    without_packed = re.sub("^        '.*'$", "        …", program, flags=re.MULTILINE)
    check_stored(__file__, reduced["about"], "\n".join([*log, "", without_packed]))
