"""ONNX models whose functions, names or nodes are made to exhaust or to confuse a reader."""

import re
from functools import partial

import numpy as np
import pytest
from bytecodes import bytecodes
from entry_points import call as call_command
from libraries import Late, needs
from onnx_protos import FLOAT, proto_of

import irops
from irops.dialects.onnx.read import loads

pytestmark = needs("onnx")
helper = Late("onnx.helper")

COMMANDS = {
    "check": irops.check,
    "read": irops.read,
    "infer": irops.infer,
    "run": lambda path: irops.run(path, {"x": np.ones(2, np.float32)}, backends="reference"),
    "translate": lambda path: irops.translate(path, to="openvino"),
}


def model(nodes, functions=[], output="y"):  # noqa: B006
    """A model of nodes, with one input x of type f32[2] and one output."""
    ends = {"x": (FLOAT, [2])}, {output: (FLOAT, [2])}
    return proto_of(nodes, *ends, domains={"f": 1}, functions=functions)


def imports():
    return [helper.make_opsetid("", 17), helper.make_opsetid("f", 1)]


def function(name, *calls):
    """A function that calls others, one after the other."""
    names = ["a", *(f"t{k}" for k in range(len(calls) - 1)), "b"]
    nodes = [
        helper.make_node(call, [before], [after], domain="f" if call[0] == "F" else "")
        for call, before, after in zip(calls, names, names[1:])
    ]
    return helper.make_function("f", name, ["a"], ["b"], nodes, imports())


def call(name):
    return helper.make_node(name, ["x"], ["y"], domain="f")


def outcome(command, path):
    """The text of the findings of a command, whether it returns them or raises them."""
    try:
        return str(COMMANDS[command](path))
    except irops.DiagnosticError as error:
        return "\n".join(map(str, error.diagnostics))


def saved(content, folder):
    path = folder / "m.onnx"
    path.write_bytes(content if isinstance(content, bytes) else content.SerializeToString())
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_functions_that_expand_to_a_billion_nodes_exceed_the_limit(command, tmp_path):
    functions = [function(f"F{k}", f"F{k + 1}", f"F{k + 1}") for k in range(30)] + [function("F30", "Relu")]
    output = outcome(command, saved(model([call("F0")], functions), tmp_path))
    assert "IR122 the functions expand to 1,073,741,824 nodes; the limit is 1,000,000 (layers)" in output


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("calls", [{"F0": ["F0"]}, {"F0": ["Relu", "F1"], "F1": ["F2"], "F2": ["F0"]}])
def test_recursive_functions_are_refused(command, calls, tmp_path):
    functions = [function(name, *called) for name, called in calls.items()]
    path = saved(model([call("F0")], functions), tmp_path)
    assert "IR902 the function 'f:F0' calls itself" in outcome(command, path)


def test_functions_that_nothing_calls_do_not_matter(tmp_path):
    path = saved(model([helper.make_node("Relu", ["x"], ["y"])], [function("F0", "F0")]), tmp_path)
    assert irops.check(path).ok


def test_large_functions_that_are_called_often_exceed_the_limit(tmp_path):
    large = helper.make_function(
        "f", "F0", ["a"], ["b"], [helper.make_node("Relu", ["a"], ["b"], doc_string="d" * 100_000)], imports()
    )
    nodes = [helper.make_node("F0", [f"t{k}" if k else "x"], [f"t{k + 1}"], domain="f") for k in range(3000)]
    path = saved(model(nodes, [large], "t3000"), tmp_path)
    (finding,) = irops.check(path)
    assert re.fullmatch(r"the functions expand to 30\d,\d{3},\d{3} bytes; the limit is .*", finding.message)


def test_nodes_of_branches_count(tmp_path):
    branch = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["b"])], "g", [], [helper.make_tensor_value_info("b", FLOAT, [2])]
    )
    node = helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch)
    for nodes, count in (([node], 3), ([node, node], 2)):
        message = f"the model has {count} nodes; the limit is {count - 1}"
        with pytest.raises(irops.DiagnosticError, match=message):
            irops.read(saved(model(nodes), tmp_path), limits=irops.Limits(layers=count - 1))


@pytest.mark.slow("large files")
def test_long_chains_of_functions_are_refused(tmp_path):
    functions = [function(f"F{k}", f"F{k + 1}") for k in range(5000)] + [function("F5000", "Relu")]
    output = outcome("check", saved(model([call("F0")], functions), tmp_path))
    assert "IR902 functions call each other in a chain of more than 100" in output


def test_functions_that_call_each_other_are_inlined(tmp_path):
    functions = [function("F0", "F1", "F1"), function("F1", "Neg", "Relu")]
    path = saved(model([call("F0")], functions), tmp_path)
    assert irops.read(path).layers[1].type == "Neg"
    assert irops.check(path).ok


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("place", ["yyyy", "nnnn", "gggg", "Relu", "ffff", "iiii", "kkkk", "mmmm", "bbbb"])
def test_names_that_are_not_utf8_are_reported(command, place, tmp_path):
    made = model([helper.make_node("Relu", ["x"], ["yyyy"], name="nnnn")], output="yyyy")
    made.graph.name = "gggg"
    made.graph.node.append(helper.make_node("Op", ["iiii"], ["z"], domain="ffff", kkkk=1, name="mmmm"))
    body = helper.make_graph([helper.make_node("Op", ["x"], ["w"], name="bbbb")], "b", [], [])
    made.graph.node.append(helper.make_node("If", ["x"], ["v"], then_branch=body, else_branch=body))
    content = made.SerializeToString().replace(place.encode(), b"a\xff\xfeb")
    assert "IR902" in (output := outcome(command, path := saved(content, tmp_path)))
    assert "is not UTF-8" in output
    assert call_command("check", path)[0] == 1


@pytest.mark.parametrize("command", ["check", "run", "translate"])
@pytest.mark.parametrize("ends", [[("x", "y", "y")], [("x", "y", "z"), ("x", "z", "y")]])
def test_circles_of_nodes_are_reported(command, ends, tmp_path):
    path = saved(model([helper.make_node("Add", [a, b], [c]) for a, b, c in ends]), tmp_path)
    assert "IR207" in outcome(command, path)


def test_a_node_without_names_and_type_is_reported(tmp_path):
    path = saved(model([helper.make_node("", [], []), helper.make_node("Relu", ["x"], ["y"])]), tmp_path)
    assert not irops.check(path).ok


def equal_names(count):
    """Nodes of one name without outputs, so that each name needs a number."""
    return model([helper.make_node("Relu", ["x"], [], name="same") for _ in range(count)])


def equal_sizes(count):
    """Sizes whose names are equal but for a character that identifiers do not have."""
    made = model([helper.make_node("Relu", ["x"], ["y"])])
    for k in range(count):
        made.graph.value_info.append(helper.make_tensor_value_info(f"v{k}", 1, [chr(0x4E00 + k)]))
    return made


def functions_of_functions(count):
    functions = [function(f"F{k}", "Relu") for k in range(count)]
    nodes = [
        helper.make_node(f"F{k}", [f"t{k}" if k else "x"], [f"t{k + 1}"], domain="f") for k in range(count)
    ]
    return model(nodes, functions, f"t{count}")


@pytest.mark.slow("large files")
@pytest.mark.parametrize("make", [equal_names, equal_sizes, functions_of_functions])
def test_the_cost_of_reading_grows_as_the_file_does(make):
    loads(make(5).SerializeToString())
    small, large = (make(count).SerializeToString() for count in (150, 600))
    costs = [bytecodes(partial(loads, content)) for content in (small, large)]
    assert costs[1] < 1.35 * len(large) / len(small) * costs[0]
