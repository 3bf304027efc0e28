"""irops.why: expressions, sources, and the steps back to inputs, constants and attributes."""

import json

import numpy as np
import pytest
from bodies import IF, LOOP, Net, counts, decides, feeds, gives, iterating, takes
from stored import check_stored
from tables import model_of_texts, table

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


def test_without_an_axis_the_shape_is_explained(convolved):
    answer = irops.why(convolved, "relu")
    assert answer.formula == "[N,8,(K + 1)//2,(L + 1)//2]"
    assert answer.expression is None
    assert [str(one) for one in answer.expressions] == ["N", "8", "(K + 1)//2", "(L + 1)//2"]


def test_names_of_the_caller_are_used(convolved):
    answer = irops.why(convolved, "last", axis=0, inputs={"image": "batch,3,32,width"})
    assert str(answer.expression) == "batch"
    assert irops.why(convolved, "last", axis=3, inputs={"image": "N,3,32,width"}).formula == "(width + 1)//2"


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


def branching():
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


@pytest.mark.parametrize(
    ("layer", "options", "error", "message"),
    [
        ("lsat", {}, KeyError, "did you mean 'last'"),
        ("last", {"output": 1}, IndexError, "has no output 1; it has 1 output"),
        ("last", {"axis": 4}, IndexError, "has no axis 4: its shape is"),
        ("last", {"path": ("loop", "body")}, KeyError, "there is no layer or tensor 'loop'"),
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


def looped():
    """A Loop whose state passes through a body, which has another input that stays the same."""
    net = Net()
    trips, go = net.const(4, np.int64), net.const(True, bool)
    x, weight = net.parameter("x", "f32", "?,3"), net.parameter("weight", "f32", "?,3")
    body = net.body()
    count = body.parameter("count", "i64", "")
    state, same = body.parameter("state", "f32", "?,3"), body.parameter("same", "f32", "?,3")
    further = body.result(body.op("Add", state, same, name="sum"), name="further")
    shown = body.result(body.op("Concat", state, same, name="wide", axis=1), name="shown")
    goes_on = body.result(body.const(True, bool), name="goes_on")
    maps = counts(count) + takes(2, state) + takes(3, same)
    maps += decides(goes_on) + gives(4, further) + gives(5, shown, axis=0)
    maps += feeds(further, state)
    last, every = net.apply(LOOP, trips, go, x, weight, name="loop", outputs=2, body=(body, maps))
    net.result(last, name="y")
    net.result(every, name="z")
    return net.model()


WHOLE = {"start": 0, "end": -1, "stride": 1, "part_size": 1}
MODELS = {
    "an If": branching,
    "a TensorIterator over parts": lambda: iterating(
        "?,4", "1,4", cut=WHOLE, join=WHOLE, name="each", work=lambda body, part: body.op("ReLU", part)
    ).model(),
    "a Loop": looped,
}


@pytest.mark.parametrize("asked", table(__file__, "asked"), ids=lambda asked: asked["model"])
def test_answers_are_as_stored(asked, tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(tmp_path)
    name = asked["model"]
    model = MODELS[name]() if name in MODELS else model_of_texts(asked["layers"], asked.get("constants", {}))
    irops.write(model, "model.xml")
    lines = [f"why model.xml {question}" for question in asked["questions"]]
    text = ""
    for line in lines + ["check model.xml --why -q"] * asked.get("check", False):
        status = main(line.split())
        text += f"$ irops {line}  # {status}\n{capsys.readouterr().out}\n"
    check_stored(__file__, name, text)
