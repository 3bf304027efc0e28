"""An op applied to inputs: their number, types, ranks and axes, the outputs, and the faults."""

import numpy as np
import pytest

from irops.analysis.invocation import (
    Invocation,
    OpFault,
    check_ranks,
    element_types,
    fault_of,
    named_inputs,
    positional,
    with_normal_axes,
)
from irops.diagnostics.diagnostic import Location
from irops.dialects.registry import Registry, default_registry
from irops.values.dim import MAX_DIM, Dim
from irops.values.element import BOOLEAN, DYNAMIC, F32, I64, STRING
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import LimitExceeded, Violation, violations_at

DEFINITION = """<layer type="Pair" version="extension" category="arithmetic">
  <summary>Two tensors.</summary><source>test</source>
  <data><attribute name="axis" type="axis" of="second">An axis of the second input.</attribute></data>
  <type name="T">f32 f64</type>
  <input><port id="0" name="first" type="T">A tensor.</port>
  <port id="1" name="second" type="T" rank="1..2">A tensor.</port>
  <port id="2" name="third" type="T" optional="yes">A tensor.</port></input>
  <output><port id="3" name="output" type="T">A tensor.</port></output>
  <constraint id="C1">it is not so</constraint>
</layer>"""
FUNCTIONS = """from irops.spec.binding import kernel, shape
@shape("Pair-extension")
def pair_shape(first, second, third, *, axis):
    return {result}
@kernel("Pair-extension")
def pair(first, second, third, *, axis):
    return second.sum(axis)
"""


def op(id):
    return default_registry().op(id)


def fact(kind, *dims):
    return Fact(kind, Shape(dims))


@pytest.fixture
def pair(tmp_path):
    """A function that gives the op Pair, whose shape function returns the result of an expression."""

    def made(result="first.shape"):
        (tmp_path / "Pair-extension.xml").write_text(DEFINITION)
        (tmp_path / "pair.py").write_text(FUNCTIONS.format(result=result))
        return Registry([tmp_path], plugins=False).op("Pair-extension")

    return made


def fault(function, *arguments):
    with pytest.raises(OpFault) as caught:
        function(*arguments)
    return caught.value.rule, caught.value.message


@pytest.mark.parametrize(
    ("id", "inputs", "named"),
    [
        ("Add-1", [1, 2], {"a": 1, "b": 2}),
        ("CumSum-3", [1], {"data": 1, "axis": None}),
        ("CumSum-3", [1, None], {"data": 1, "axis": None}),
        ("CumSum-3", [1, 2], {"data": 1, "axis": 2}),
        ("Concat-1", [1, 2, 3], {"inputs": (1, 2, 3)}),
        ("Concat-1", [1], {"inputs": (1,)}),
    ],
)
def test_inputs_are_named_as_in_the_definition(id, inputs, named):
    assert named_inputs(op(id), inputs) == named
    given = [*inputs, None] if len(inputs) == 1 and id == "CumSum-3" else inputs
    assert positional(op(id), named) == given


@pytest.mark.parametrize(
    ("id", "inputs", "message"),
    [
        ("Add-1", [], "Add-1 has 0 inputs, takes 2"),
        ("Add-1", [1], "Add-1 has 1 input, takes 2"),
        ("Add-1", [1, 2, 3], "Add-1 has 3 inputs, takes 2"),
        ("Add-1", [1, None], "Add-1 has no input b"),
        ("Add-1", [None, 1], "Add-1 has no input a"),
        ("CumSum-3", [], "CumSum-3 has 0 inputs, takes 1 to 2"),
        ("CumSum-3", [1, 2, 3], "CumSum-3 has 3 inputs, takes 1 to 2"),
        ("CumSum-3", [None, 2], "CumSum-3 has no input data"),
        ("Concat-1", [], "Concat-1 has 0 inputs, takes 1 or more"),
    ],
)
def test_too_many_and_too_few_inputs_are_reported(id, inputs, message):
    assert fault(named_inputs, op(id), inputs) == ("wrong-number-of-inputs", message)


def test_an_unknown_type_is_left_open_and_the_types_behind_it_are_not():
    unknown = fact(DYNAMIC, 2)
    assert element_types(op("Add-1"), [unknown, fact(F32, 2)])["T"] is F32
    assert "T" not in element_types(op("Add-1"), [unknown, unknown])
    rule, message = fault(element_types, op("Add-1"), [unknown, fact(STRING, 2)])
    assert rule == "unsupported-element-type"
    assert message.startswith("Add-1 does not accept string for input 'b'; ")
    assert fault(element_types, op("CumSum-3"), [None, fact(F32)])[0] == "unsupported-element-type"


def test_inputs_of_one_type_variable_have_one_type():
    expected = ("mismatched-element-types", "Add-1 takes a and b of one element type; got f32 and i64")
    assert fault(element_types, op("Add-1"), [fact(F32, 2), fact(I64, 2)]) == expected


@pytest.mark.parametrize(
    ("ranks", "message"),
    [
        ((None, 0), "Pair-extension takes second of rank 1 to 2; got rank 0, []"),
        ((5, 3), "Pair-extension takes second of rank 1 to 2; got rank 3, [1,1,1]"),
        ((5, 1), None),
        ((5, 2), None),
        ((None, None), None),
    ],
)
def test_ranks_are_within_those_of_the_definition(pair, ranks, message):
    facts = [Fact(F32, UNRANKED if rank is None else Shape([1] * rank)) for rank in ranks]
    if message is None:
        check_ranks(pair(), [*facts, None])
    else:
        assert fault(check_ranks, pair(), [None, facts[1]]) == ("unsupported-rank", message)
        assert fault(check_ranks, pair(), facts) == ("unsupported-rank", message)


def test_one_rank_and_any_rank_from_some_on_are_worded():
    assert "of rank 1; got rank 2" in fault(check_ranks, op("Reverse-1"), [None, fact(I64, 1, 1)])[1]
    assert "of rank 2 or more; got rank 1" in fault(check_ranks, op("ReverseSequence-1"), [fact(F32, 1)])[1]


@pytest.mark.parametrize(("axis", "normal"), [(0, 0), (1, 1), (-1, 1), (-2, 0), (2, None), (-3, None)])
def test_an_axis_counts_from_0_by_the_rank_of_its_own_input(pair, axis, normal):
    inputs = [fact(F32, 1, 1, 1, 1, 1), fact(F32, 2, 3), None]
    if normal is None:
        expected = ("axis-out-of-range", f"axis is {axis}, must be in [-2, 1]: second has rank 2")
        assert fault(with_normal_axes, pair(), inputs, {"axis": axis}) == expected
    else:
        assert with_normal_axes(pair(), inputs, {"axis": axis}) == {"axis": normal}
        arrays = [np.zeros((1,) * 5), np.zeros((2, 3)), None]
        assert with_normal_axes(pair(), arrays, {"axis": axis}) == {"axis": normal}


def test_an_axis_stays_as_it_is_where_the_rank_is_not_known(pair):
    for second in (None, Fact(F32)):
        assert with_normal_axes(pair(), [fact(F32, 1), second, None], {"axis": -1}) == {"axis": -1}
    assert with_normal_axes(pair(), [fact(F32, 1), fact(F32, 1), None], {"axis": None}) == {"axis": None}


def test_attributes_are_bound_from_texts_or_values():
    softmax = op("SoftMax-8")
    assert Invocation(softmax).attributes == Invocation.of_values(softmax, {}).attributes == {"axis": 1}
    assert Invocation(softmax, {"axis": "-1"}).attributes == {"axis": -1}
    assert Invocation.of_values(softmax, {"axis": -1}).attributes == {"axis": -1}
    good, bad = Invocation(softmax), Invocation(softmax, {"axis": "x"})
    assert (good.usable, good.faults, bad.usable, len(bad.faults)) == (True, (), False, 1)
    assert repr(good) == "<Invocation SoftMax-8(axis=1)>"
    replaced = bad.with_values({"axis": 0})
    assert (replaced.attributes, replaced.faults, replaced.usable) == ({"axis": 0}, bad.faults, False)
    assert bad.attributes != {"axis": 0}


def test_axes_are_normalized_by_the_inputs():
    invocation = Invocation.of_values(op("SoftMax-8"), {"axis": -1})
    assert invocation.normal_attributes([fact(F32, 2, 3)]) == {"axis": 1}
    assert invocation.keywords("kernel", [np.zeros((2, 3, 4))])["axis"] == 2


def test_outputs_are_inferred_and_computed_always_as_a_tuple():
    add = Invocation(op("Add-1"))
    assert [str(f) for f in add.infer([fact(F32, 2, 1), fact(F32, 3)])] == ["f32[2,3]"]
    (sum_,) = add.compute([np.array([1, 2]), np.array([3, 4])])
    assert sum_.tolist() == [4, 6]
    (given,) = add.compute([np.array([1]), np.array([2])], kernel=lambda a, b: a - b, keywords={})
    assert given.tolist() == [-1]
    split = Invocation.of_values(op("Split-1"), {"num_splits": 2})
    assert [a.tolist() for a in split.compute([np.array([1, 2]), np.array(0)])] == [[1], [2]]


def test_gradients_are_a_tuple_of_one_for_each_input_of_the_port():
    add = Invocation(op("Add-1"))
    inputs = [fact(F32, 2), fact(F32, 1)]
    (of_b,) = add.gradient("b", [np.array([1, 2], np.float32)], {}, inputs)
    assert of_b.tolist() == [3]
    concat = Invocation.of_values(op("Concat-1"), {"axis": -1})
    both = concat.gradient("inputs", [np.array([1, 2, 3], np.float32)], {}, inputs)
    assert [part.tolist() for part in both] == [[1, 2], [3]]


def test_a_missing_body_is_a_fault():
    with pytest.raises(OpFault, match="Loop-5 has no body"):
        Invocation(op("Loop-5")).infer([fact(I64), fact(BOOLEAN)])


def infers(op_):
    return Invocation.of_values(op_, {"axis": 0}).infer([fact(F32, 2), fact(F32, 3)])


def test_what_a_shape_function_of_an_extension_gives_is_checked(pair):
    message = "the shape function of Pair-extension gives 0 shapes, must give 1"
    assert fault(infers, pair("()")) == ("failed-shape-function", message)


@pytest.mark.parametrize(("result", "found"), [("second.shape", "f32[3]"), ("first", "f32[2]")])
def test_a_shape_function_gives_shapes_or_facts(pair, result, found):
    assert [str(f) for f in infers(pair(result))] == [found]


@pytest.mark.parametrize(
    ("dims", "rule"),
    [
        ((MAX_DIM,), None),
        ((MAX_DIM // 2, 2), None),
        ((MAX_DIM, 2), "overflowing-shape"),
        ((Dim(2, MAX_DIM), Dim(MAX_DIM, MAX_DIM)), "overflowing-shape"),
        ((MAX_DIM, 2, 0), None),
        ((MAX_DIM + 1,), "overflowing-shape"),
        ((MAX_DIM + 1, 0), "overflowing-shape"),
    ],
)
def test_a_tensor_has_as_many_elements_as_64_bits_count(dims, rule):
    def inferred():
        return Invocation(op("Abs-1")).infer([fact(F32, *dims)])

    if rule is None:
        assert [f.shape for f in inferred()] == [Shape(dims)]
    else:
        assert fault(inferred)[0] == rule


def test_a_broken_requirement_is_a_fault_with_the_sentence_of_the_definition():
    with violations_at(5):
        violation = Violation("C1", "got 3")
    found = fault_of(op("Clamp-1"), violation)
    assert found.message.startswith("Clamp-1 requires: ")
    assert found.message.endswith("; got 3")
    assert (found.rule, found.constraint, found.at) == ("violated-constraint", "C1", 5)
    diagnostic = found.diagnostic(op("Clamp-1"), Location("m"), "facts")
    assert (diagnostic.constraint, diagnostic.facts) == ("Clamp-1:C1", "facts")
    assert not fault_of(op("Clamp-1"), Violation("C1")).message.endswith(";")


def test_a_requirement_that_there_is_not_is_a_fault_of_an_extension_and_an_error_of_irops(pair):
    found = fault_of(pair(), Violation("C9"))
    assert (found.rule, found.constraint) == ("undefined-constraint", None)
    assert "cites C9, must cite a requirement of its definition" in found.message
    assert fault_of(pair(), Violation("C1")).message == "Pair-extension requires: it is not so"
    with pytest.raises(KeyError, match="Clamp-1 has no constraint C9"):
        fault_of(op("Clamp-1"), Violation("C9"))


def test_limits_and_memory_are_faults_with_a_note_on_the_limit():
    found = fault_of(op("Abs-1"), LimitExceeded("memory-limit", "too large"))
    diagnostic = found.diagnostic(op("Abs-1"), Location("m"))
    assert (diagnostic.code, diagnostic.message, diagnostic.constraint) == ("IR605", "too large", None)
    assert "tensor_bytes" in diagnostic.notes[0]
    assert fault_of(op("Abs-1"), MemoryError()).rule == "out-of-memory"
