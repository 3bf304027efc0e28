"""irops.why: expressions, sources, and the steps back to inputs, constants and attributes."""

import json

import numpy as np
import pytest
from bodies import IF, Net, gives, iterating, takes

import irops
from irops.cli.main import main
from irops.debugging.origins.symbolic import Kind
from irops.diagnostics.diagnostic import DiagnosticError

WINDOW = {"strides": "2,2", "dilations": "1,1", "pads_begin": "1,1", "pads_end": "1,1"}


@pytest.fixture
def convolved(net):
    return net(
        "image: f32[?,3,224,?]",
        "conv: Convolution image filters strides=2,2 dilations=1,1 pads_begin=1,1 pads_end=1,1",
        "relu: ReLU conv; tanh: Tanh relu; last: Sigmoid tanh; y: Result last",
        filters=np.zeros((8, 3, 3, 3), np.float32),
    )


def test_a_size_is_an_expression_of_the_sizes_of_inputs(convolved):
    answer = irops.why(convolved, "last", axis=2)
    assert str(answer.expression) == "(K + 1)//2"
    assert answer.expression.evaluate({"K": 224}) == 112
    assert answer.value == "112"
    source = answer.sources["K"]
    assert (source.layer, source.axis, source.kind, str(source.declared)) == ("image", 2, Kind.INPUT, "224")
    assert answer.is_static


def test_the_steps_lead_back_to_the_input_and_name_what_decides(convolved):
    steps = irops.why(convolved, "last", axis=2).steps
    assert [step.layer for step in steps] == ["last", "tanh", "relu", "conv", "image"]
    conv = steps[3]
    expected = [("data", "axis 2", "K", False), ("filters", "axis 2", "3", True)]
    assert [(r.input, r.subject, r.answer, r.constant) for r in conv.reasons] == expected
    assert dict(conv.attributes) == WINDOW
    assert all(step.location.line is not None for step in steps)


def test_layers_that_pass_a_size_on_are_one_sentence(convolved):
    lines = str(irops.why(convolved, "last", axis=2)).splitlines()
    assert lines[0] == "axis 2 of last (Sigmoid-1) is (K + 1)//2; declared: 112"
    assert "passed on by 3 layers from axis 2 of data of relu (ReLU-1, line" in lines[3]
    assert lines[-1].endswith('an input that declares shape="?,3,224,?"')


def test_a_layer_that_passes_a_size_on_says_from_which_input(convolved):
    lines = str(irops.why(convolved, "relu", axis=2)).splitlines()
    assert lines[3].endswith(": axis 2 is (K + 1)//2, as axis 2 of data")


def test_a_dynamic_size_names_the_axes_that_would_have_to_be_fixed(convolved):
    answer = irops.why(convolved, "last", axis=3)
    assert not answer.is_static
    assert "  it is static if the model fixes axis 3 of image" in str(answer).splitlines()


def test_without_an_axis_the_shape_is_explained(convolved):
    answer = irops.why(convolved, "relu")
    assert answer.formula == "[N,8,(K + 1)//2,(L + 1)//2]"
    assert answer.expression is None
    assert [str(one) for one in answer.expressions] == ["N", "8", "(K + 1)//2", "(L + 1)//2"]


def test_a_result_is_what_feeds_it(convolved):
    assert irops.why(convolved, "y", axis=0).layer == "last"


def test_an_element_type_leads_to_the_input_that_declares_it(convolved):
    answer = irops.why(convolved, "last", element_type=True)
    assert answer.value == answer.formula == "f32"
    assert 'declares element_type="f32"' in str(answer)


def test_names_of_the_caller_are_used(convolved):
    answer = irops.why(convolved, "last", axis=0, inputs={"image": "batch,3,32,width"})
    assert str(answer.expression) == "batch"
    assert irops.why(convolved, "last", axis=3, inputs={"image": "N,3,32,width"}).formula == "(width + 1)//2"


def test_a_value_is_followed_element_by_element(net):
    model = net("x: f32[?,4,5]", "shape: ShapeOf-opset3 x output_type=i64", "y: Result shape")
    assert irops.why(model, "shape", value=True).formula == "[N,M,K]"
    element = irops.why(model, "shape", value=2)
    assert (element.subject, str(element.expression), element.value) == ("element 2", "K", "5")
    assert [step.layer for step in element.steps] == ["shape", "x"]


def test_a_size_that_only_data_decide_names_the_op(net):
    model = net("x: f32[?,4]", "where: NonZero-opset3 x output_type=i64", "y: Result where")
    answer = irops.why(model, "where", axis=1)
    (source,) = answer.depends_on_data
    assert (source.layer, source.op, source.kind) == ("where", "NonZero-3", Kind.DATA)
    assert "only the data decide it" in str(answer)
    assert not answer.is_static


def test_an_axis_that_is_declared_as_1_decides_no_size_after_broadcasting(net):
    model = net("a: f32[?]; b: f32[1]; c: f32[?]; s: Add a b; both: Add s c; y: Result both")
    answer = irops.why(model, "both", axis=0)
    assert {source.layer for source in answer.sources.values()} == {"a", "c"}
    assert str(answer.expression) == f"broadcast({', '.join(answer.sources)})"
    (source,) = irops.why(model, "s", axis=0).sources.values()
    assert source.layer == "a"


def test_data_do_not_decide_what_an_op_gives_that_irops_does_not_define(tmp_path):
    graph = irops.Graph("m")
    strange = graph.ops.ReLU(graph.parameter("x", "f32[?,3]"), name="strange")
    graph.result(graph.ops.ReLU(strange, name="last"), "y")
    irops.write(graph, tmp_path / "m.xml")
    text = (tmp_path / "m.xml").read_text().replace('name="strange" type="ReLU"', 'name="strange" type="Odd"')
    (tmp_path / "m.xml").write_text(text)
    answer = irops.why(irops.read(tmp_path / "m.xml"), "last", axis=0)
    (source,) = answer.sources.values()
    assert (source.layer, source.kind) == ("strange", Kind.UNDEFINED)
    assert str(source).endswith("; irops does not define the op")
    assert answer.depends_on_data == ()


def test_a_size_from_the_values_of_an_input_leads_to_that_input(net):
    model = net(
        "x: f32[?,4]", "target: i64[2]", "turned: Reshape x target special_zero=false", "y: Result turned"
    )
    answer = irops.why(model, "turned", axis=0)
    assert [source.kind for source in answer.sources.values()] == [Kind.DATA]
    assert answer.steps[-1].layer == "target"
    assert answer.steps[-1].note == "an input: its values are known only when the model runs"


def test_a_size_that_floating_point_decides_has_a_formula_that_fits(net):
    how = "mode=nearest shape_calculation_mode=scales pads_begin=0 pads_end=0"
    layers = f"x: f32[1,3,?,?]; larger: Interpolate-opset11 x scales axes {how}; y: Result larger"
    answer = irops.why(net(layers, scales=np.float32([1.5, 1.5]), axes=np.array([2, 3])), "larger", axis=2)
    assert str(answer.expression) == "3*K//2"
    assert [(source.layer, source.kind) for source in answer.fitted] == [("larger", Kind.FITTED)]


@pytest.fixture
def branches():
    """An If whose bodies have a layer between their Parameter and their Result."""
    net = Net()
    condition, x = net.parameter("condition", "boolean", ""), net.parameter("x", "f32", "?,4")
    bodies = {}
    for name, op in (("then_body", "ReLU"), ("else_body", "Tanh")):
        body = net.body()
        inner = body.parameter("p", "f32", "?,4")
        result = body.result(body.op(op, inner, name=op), name="r")
        bodies[name] = (body, takes(1, inner) + gives(0, result))
    (chosen,) = net.apply(IF, condition, x, name="branch/if", **bodies)
    net.result(chosen, name="y")
    return net.model()


def test_a_size_is_followed_through_the_bodies_of_an_if(branches):
    steps = irops.why(branches, "branch/if", axis=0).steps
    assert [step.layer for step in steps] == ["branch/if", "ReLU", "p", "x", "Tanh", "p"]
    assert steps[0].note == "as the Result r of its then_body and r of its else_body"
    assert steps[1].path == ("branch/if", "then_body")
    assert steps[2].note == "as input 1 of branch/if, by the port map"


def test_a_layer_of_a_body_is_explained(branches, tmp_path, capsys):
    answer = irops.why(branches, "Tanh", axis=0, path=("branch/if", "else_body"))
    assert [step.layer for step in answer.steps] == ["Tanh", "p", "x"]
    assert str(answer.expression) == "N"
    path = tmp_path / "model.xml"
    irops.write(branches, path)
    assert main(["why", str(path), "Tanh", "--axis", "0", "--path", "branch/if/else_body"]) == 0
    assert "axis 0 of Tanh (Tanh-1) is N" in capsys.readouterr().out
    assert main(["why", str(path), "Tanh", "--path", "branch/of"]) == 2


def test_the_axis_along_which_iterations_concatenate_is_decided_by_the_layer():
    whole = {"start": 0, "end": -1, "stride": 1, "part_size": 1}
    more = {"cut": whole, "join": whole, "name": "each", "work": lambda body, part: body.op("ReLU", part)}
    model = iterating("?,4", "1,4", **more).model()
    along = irops.why(model, "each", axis=0)
    assert (along.formula, [step.layer for step in along.steps]) == ("N", ["each", "x"])
    across = irops.why(model, "each", axis=1)
    assert [step.layer for step in across.steps][:3] == ["each", "ReLU_1", "part"]
    cut = irops.why(model, "part", axis=0, path=("each", "body"))
    assert cut.steps[0].note == "the port map cuts parts of size 1 along this axis"


@pytest.mark.parametrize(
    ("layer", "options", "error", "message"),
    [
        ("lsat", {}, KeyError, "did you mean 'last'"),
        ("last", {"output": 1}, IndexError, "has no output 1; it has 1 output"),
        ("last", {"axis": 4}, IndexError, "has no axis 4: its shape is"),
        ("last", {"path": ("loop", "body")}, KeyError, "there is no layer 'loop'"),
        ("last", {"inputs": {"imag": "1"}}, DiagnosticError, "did you mean 'image'"),
    ],
)
def test_what_does_not_exist_is_an_error_with_a_suggestion(convolved, layer, options, error, message):
    with pytest.raises(error, match=message):
        irops.why(convolved, layer, **options)


def test_the_answer_has_a_short_repr(convolved):
    expected = "<Why axis 2 of last (Sigmoid-1) is (K + 1)//2; declared: 112>"
    assert repr(irops.why(convolved, "last", axis=2)) == expected


def test_the_command_prints_the_same_as_json(convolved, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    path = tmp_path / "model.xml"
    irops.write(convolved, path)
    assert main(["why", str(path), "last", "--axis", "2", "--output-format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["version"], answer["formula"], answer["declared"]) == (1, "(K + 1)//2", "112")
    assert answer["sources"][0]["layer"] == "image"
    assert [step["layer"] for step in answer["steps"]][-1] == "image"
    assert main(["why", str(path), "last", "--axis", "2"]) == 0
    assert capsys.readouterr().out.rstrip() == str(irops.why(str(path), "last", axis=2))


def test_check_explains_a_violated_constraint_and_why_reports_it(net, tmp_path, capsys):
    model = net("a: f32[2,3]", "b: f32[2,4]", "turned: ReLU b", "sum: Add a turned", "y: Result sum")
    path = tmp_path / "model.xml"
    irops.write(model, path)
    assert main(["check", str(path), "--why", "-q"]) == 1
    out = capsys.readouterr().out
    assert "note: it is violated because of axis 1 of a (3, a), axis 1 of b (4, turned)" in out
    assert '): axis 1 is 4; an input that declares shape="2,4"' in out
    assert main(["check", str(path), "-q"]) == 1
    assert "it is violated because" not in capsys.readouterr().out
    assert main(["why", str(path), "turned"]) == 1
    assert "IR401" in capsys.readouterr().err


OF_DATA = "its rank is known only when the model runs"
SHAPED = "x: f32[2,3]; pattern: i64[?]; shaped: Reshape x pattern special_zero=false"
PICKED = "x: f32[2,3,4]; indices: i64[5,?]; picked: GatherND-opset8 x indices"


@pytest.mark.parametrize(
    ("layers", "origin", "words"),
    [
        ("x: f32[...]", "x", 'an input that declares shape="..."'),
        (SHAPED, "shaped", f"from axis 0 of shape (K); {OF_DATA}"),
        (PICKED, "picked", OF_DATA),
    ],
)
@pytest.mark.parametrize(("layer", "asked"), [("soft", {}), ("soft", {"axis": 1}), ("sizes", {"axis": 0})])
def test_an_unknown_rank_is_followed_to_where_it_begins(net, layers, origin, words, layer, asked):
    more = f"add: Add {origin} ones; soft: SoftMax-opset8 add axis=1; sizes: ShapeOf-opset3 add"
    model = net(layers, more, "y: Result soft; z: Result sizes", ones=np.ones(3, np.float32))
    answer = irops.why(model, layer, **asked)
    (step,) = (step for step in answer.steps if step.layer == origin)
    assert words in str(step)
    assert "only the data decide it" not in str(answer)
    assert "add" in {step.layer for step in answer.steps}
