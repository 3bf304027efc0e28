"""One run of inference: its budgets, what it reports and where, what it keeps where a layer is at fault, and
how its result is read.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bodies import ITERATOR, Net, gives, takes
from tables import table

import irops
from irops.analysis.inference import Inference
from irops.analysis.invocation import Invocation, OpFault
from irops.analysis.model_analysis import analyse, infer
from irops.analysis.structure import declared_variables
from irops.dialects.registry import default_registry
from irops.files.limits import Limits
from irops.values.element import I64
from irops.values.fact import Fact
from irops.values.shape import Shape
from tests.conftest import net_text


@pytest.fixture
def broadcast(net):
    """A shape that an Add of two constants computes."""
    layers = "x: f32[1]; sum: Add a b; wide: Broadcast-opset3 x sum mode=numpy; y: Result wide"
    return net(layers, a=np.array([1, 2]), b=np.array([3, 4]))


def codes(inferred):
    return [d.code for d in inferred.diagnostics]


@pytest.mark.parametrize(("limit", "shape", "found"), [(48, "[4,6]", []), (47, "[?,?]", ["IR410"])])
def test_each_run_may_compute_as_many_bytes_as_the_limit_says(broadcast, limit, shape, found):
    analysis = analyse(broadcast, limits=Limits(folded_bytes=limit))
    for inputs in ({"x": "1"}, {"x": "?"}, None):
        inferred = infer(analysis, inputs)
        assert (str(inferred["wide", 0].shape), codes(inferred)) == (shape, found)


def test_the_limit_on_bytes_is_named_with_what_it_kept_from_being_computed(broadcast):
    (found,) = infer(broadcast, limits=Limits(folded_bytes=8)).diagnostics
    assert found.message == ("values that shapes depend on were not computed; the limit is 8 (folded_bytes)")
    assert "folded_bytes=N" in found.notes[0]
    assert found.location.layer_name is None
    assert irops.check(broadcast, limits=Limits(folded_bytes=8)).errors[0].name == "folding-limit"


@pytest.mark.parametrize(("limit", "known"), [(2, True), (1, False)])
def test_the_limit_on_elements_is_exact_for_computed_values(broadcast, limit, known):
    inferred = infer(broadcast, limits=Limits(folded_elements=limit))
    assert (inferred["sum", 0].value is not None) is known
    assert inferred["a", 0].value.tolist() == [1, 2]
    assert inferred.diagnostics == ()


@pytest.mark.parametrize(("size", "known"), [(16, True), (17, False)])
def test_the_value_of_a_constant_is_known_up_to_16_times_the_limit(net, size, known):
    model = net("y: Result c", c=np.arange(size))
    assert (infer(model, limits=Limits(folded_elements=1))["c", 0].value is not None) is known


def test_weights_that_are_missing_are_reported_where_a_shape_needs_them(net):
    layers = "c: Const i64[1] offset=0 size=8; x: f32[1]; wide: Broadcast-opset3 x c mode=numpy"
    inferred = infer(net(layers, "y: Result wide", weights=bytes(4)))
    assert str(inferred["wide", 0]) == "f32[?]"
    assert [d.location.layer_name for d in inferred.diagnostics] == ["c"]


def test_a_kernel_that_fails_while_folding_is_a_finding_at_the_layer(broadcast):
    def fail(*inputs, **keywords):
        raise ZeroDivisionError("no")

    op = default_registry().op("Add-1")
    analysis = analyse(broadcast)
    broken = Invocation(replace(op, functions=replace(op.functions, kernel=fail)))
    analysis.root.find("sum").invocation = broken
    inferred = infer(analysis)
    (found,) = inferred.diagnostics
    assert (found.name, found.location.layer_name) == ("failed-kernel", "sum")
    assert found.message == "the kernel of Add-1 failed: ZeroDivisionError: no"
    assert 'layer 1 "sum": a i64[2], b i64[2]' in found.facts
    assert str(inferred["wide", 0]) == "f32[?,?]"


def growing():
    """A TensorIterator whose state grows in every iteration."""
    net = Net()
    body = net.body()
    p = body.parameter("p", "f32", "?")
    grown = body.result(body.op("Concat", p, p, axis=0))
    maps = takes(0, p) + gives(1, grown) + f'<edge from-layer="{grown}" to-layer="{p[0]}"/>'
    part = body.parameter("part", "f32", "1")
    maps = takes(1, part, axis=0) + maps
    x, parts = net.parameter("x", "f32", "2"), net.parameter("parts", "f32", "3")
    net.result(net.apply(ITERATOR, x, parts, name="loop", body=(body, maps))[0], "y")
    return net.model()


@pytest.mark.parametrize(("limit", "shape"), [(2, "[4..]"), (1, "[...]")])
def test_bodies_are_repeated_up_to_the_limit_in_every_run_anew(limit, shape):
    analysis = analyse(growing(), limits=Limits(repeats=limit))
    for _ in range(2):
        inference = Inference(analysis)
        inferred = inference.graph(analysis.root, {})
        assert (str(inferred["loop", 0].shape), inferred.diagnostics) == (shape, ())
        assert inference.repeats == 2


def test_one_layer_is_inferred_from_given_facts(broadcast):
    analysis = analyse(broadcast)
    node = analysis.root.find("sum")
    facts = Inference(analysis).layer(node, [Fact(I64, Shape([3, 1])), Fact(I64, Shape([4]))])
    assert [str(fact) for fact in facts.outputs] == ["i64[3,4]"]
    assert not facts.failed
    with pytest.raises(OpFault):
        Inference(analysis).layer(node, [Fact(I64, Shape([3])), Fact(I64, Shape([4]))])


def test_a_fault_of_a_layer_is_not_repeated_at_the_next(net):
    model = net("x: f32[2,3]; s: Softmax x axis=7; t: Softmax s axis=1; y: Result t")
    inferred = infer(model)
    assert [d.location.layer_name for d in inferred.errors] == ["s"]
    assert inferred.of("s").failed
    assert not inferred.of("t").failed
    assert inferred.has_errors
    assert not infer(model, {"x": "1,1,1,1,1,1,1,1"}).has_errors


def test_facts_are_found_by_name_or_id_and_output(broadcast):
    inferred = infer(broadcast)
    assert inferred["sum", 0] is inferred[1, 0] is inferred["sum"] is inferred[1]
    assert inferred.of("sum") is inferred.of(1)
    assert sorted(inferred) == [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0)]
    assert len(inferred) == 6
    assert repr(inferred) == "<Inferred 6 layers, 0 errors>"
    assert inferred.of("sum").attributes["auto_broadcast"] == "numpy"


def test_a_name_alone_is_that_of_a_tensor_or_of_a_layer_with_one_output(net):
    model = net("x: f32[6,2]; parts: Split x axis num_splits=2; y: Result parts:1", axis=np.array(0))
    with pytest.raises(KeyError, match=r"layer 'parts' has 2 outputs; inferred\['parts', 0\] is the first"):
        infer(model)["parts"]
    encoded = infer(Path(__file__).parents[2] / "examples" / "bidirectional_encoder" / "model.xml")
    named = [f for f in encoded.layers.values() for port in f.layer.outputs if "encoded" in port.names]
    assert [facts.layer.name for facts in named] != ["encoded"]
    assert encoded["encoded"] is named[0].outputs[0]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (("sum", 1), "layer 'sum' has no output 1; it has 1"),
        (("sum", -1), "layer 'sum' has no output -1; it has 1"),
        (("smu", 0), "there is no layer or tensor 'smu'; did you mean 'sum'?"),
        ((9, 0), "there is no layer or tensor 9"),
        ("smu", "there is no layer or tensor 'smu'; did you mean 'sum'?"),
        (("sum", 0, 0), "('sum', 0, 0) is no layer and output: inferred[layer name or id, output index]"),
    ],
)
def test_a_key_that_finds_nothing_is_reported(broadcast, key, message):
    with pytest.raises(KeyError) as caught:
        infer(broadcast)[key]
    assert caught.value.args == (message,)


def test_other_shapes_for_inputs_replace_what_they_declare(broadcast):
    inferred = infer(broadcast, {"x": "?"})
    assert str(inferred["x", 0]) == "f32[?]"
    assert inferred["x", 0].shape[0].symbol is not None
    with pytest.raises(irops.DiagnosticError, match="no input 'z'"):
        infer(broadcast, {"z": "1"})


def test_layers_on_a_cycle_and_behind_it_are_unknown(net):
    inferred = infer(net("x: f32[2]; a: Add x b; b: Abs a; y: Result b"))
    assert [inferred.of(name).failed for name in ("x", "a", "b", "y")] == [False, True, True, True]
    assert str(inferred["a", 0]) == "dynamic[...]"


def test_the_first_declaration_of_a_variable_counts_and_malformed_ones_do_not(net):
    model = net(
        "x: Parameter shape=2 element_type=f32 variable_id=p",
        "wrong: ReadValue-opset6 variable_id=v variable_type=f31 variable_shape=2",
        "first: ReadValue-opset6 variable_id=v variable_type=f16 variable_shape=2,?",
        "second: ReadValue-opset6 variable_id=v variable_type=f32 variable_shape=3",
        "other: READVALUE-opset6 variable_id=w; nameless: ReadValue-opset6",
    )
    declared = {name: str(fact) for name, fact in declared_variables(model).items()}
    assert declared == {"v": "f16[2,?]", "w": "dynamic[...]"}


def test_an_assigned_value_is_compared_with_the_declaration_of_its_variable(net):
    read = "r: ReadValue-opset6 variable_id=v variable_type=f32 variable_shape=2"
    model = net("x: f32[3]; a: Assign-opset6 x variable_id=v", read, "y: Result r")
    assert [(d.code, d.location.layer_name) for d in infer(model).errors] == [("IR401", "a")]


def test_a_fault_of_an_attribute_lies_at_the_layer_where_the_file_has_no_data(net):
    model = net("x: f32[1,4,2,2]; d: DepthToSpace x mode=blocks_first block_size=0; y: Result d")
    (found,) = infer(model).errors
    with_data = found.location.column
    model.layers[1].data_at = -1
    (found,) = infer(model).errors
    assert (found.constraint, found.location.line) == ("DepthToSpace-1:C2", 3)
    assert found.location.column < with_data


@pytest.mark.parametrize(
    ("shape", "limits", "fault", "place"),
    [
        ("2", "min=7 max=6", "Clamp-1:C1", 'min="7" max="6"/>'),  # of an attribute
        ("2", "min=7", "missing-attribute", '<layer id="1"'),  # of an attribute that is not there
        (f"{2**62},4", "min=5 max=6", "overflowing-shape", "shape="),  # more elements than 64 bits count
    ],
)
def test_the_first_error_is_at_its_attribute_or_its_layer(shape, limits, fault, place):
    text = net_text(f"x: f32[{shape}]; clamp: Clamp x {limits}; y: Result clamp")
    error = irops.check("m.xml", text=text.encode()).errors[0]
    assert fault in (error.constraint, error.rule.name)
    assert text.splitlines()[error.location.line - 1][error.location.column - 1 :].startswith(place)


UNEQUAL = "x: f32[?,144]; y: f32[?,?]; sum: Add x y; z: Result sum"


def test_facts_show_the_names_of_sizes(net):
    inferred = irops.infer(net(UNEQUAL), {"x": "N,144", "y": "N,7"})
    (error,) = inferred.errors
    assert error.facts.startswith('layer 2 "sum": a f32[N,144], b f32[N,7]')


def test_a_size_without_a_name_stays_a_question_mark(net):
    (error,) = irops.infer(net(UNEQUAL), {"y": "?,7"}).errors
    assert error.facts.startswith('layer 2 "sum": a f32[?,144], b f32[?,7]')


def test_facts_of_a_graph_in_the_making_show_the_names_of_sizes():
    graph = irops.Graph()
    x, y = graph.parameter("x", "f32[batch,144]"), graph.parameter("y", "f32[batch,7]")
    with pytest.raises(irops.DiagnosticError) as caught:
        graph.ops.Add(x, y)
    assert "a f32[batch,144], b f32[batch,7]" in caught.value.diagnostics[0].facts


@pytest.mark.parametrize(("layers", "fact", "codes"), table(__file__, "what_a_fault_leaves_of_the_output"))
def test_what_a_fault_leaves_of_the_output(net, layers, fact, codes):
    last = layers.rpartition("; ")[2].partition(":")[0]
    facts = irops.infer(net(layers, f"y: Result {last}", one=np.array([1]), seven=np.array([7])))
    assert (str(facts["op", 0]), [finding.code for finding in facts.diagnostics]) == (fact, codes)


@pytest.mark.parametrize(
    ("kind", "version", "code"),
    table(__file__, "declared_outputs_of_an_op_without_definition_hold_behind_it"),
)
def test_declared_outputs_of_an_op_without_definition_hold_behind_it(net, kind, version, code):
    model = net(f"x: u8[?,4]; op: {kind}-{version} x; next: ReLU op; y: Result next")
    (given,), (made,) = model.layer("op").inputs, model.layer("op").outputs
    given.dims, made.dims, made.precision = (-1, 4), (-1, 6), "U8"
    facts = irops.infer(model)
    assert str(facts["next", 0]) == "u8[?,6]"
    assert [finding.code for finding in facts.diagnostics] == [code]
    for given, shape in (("1,4", "u8[?,6]"), ("1,5", "u8[...]")):  # as declared, and not
        assert str(irops.infer(model, {"x": given})["next", 0]) == shape
