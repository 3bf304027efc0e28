"""Other integer types and further axes of size 1 are a note where the values are equal, and no excuse."""

import json
from xml.etree import ElementTree

import ml_dtypes
import numpy as np
import pytest

import irops
from irops.analysis.model_analysis import ModelAnalysis
from irops.debugging.compare.report import junit, page, report_text
from irops.debugging.sources.parse import source_of_text
from irops.debugging.sources.source import Source
from irops.testing import assert_same
from irops.values.shape import Shape
from irops.verdicts.judge import in_form_of
from irops.verdicts.question import Verdict


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ((), (1,), True),
        *(((3,), other, True) for other in ((1, 3), (3, 1))),
        ((2, 3), (2, 1, 3), True),
        ((1,), (1, 1, 1), True),
        ((1, 3), (1, 3, 1), True),
        ((0,), (1, 0), True),
        ((3, 1), (1, 3), False),
        ((6,), (2, 3), False),
        ((2, 3), (3, 2), False),
        ((0,), (0, 0), False),
        ((2,), (3,), False),
        ((2, 1, 3), (1, 2, 3), False),
    ],
)
def test_axes_of_size_1_may_be_added_anywhere_and_other_shapes_are_no_note(one, other, alike):
    for shape, given in ((one, other), (other, one)):
        formed, note = in_form_of(np.zeros(shape), np.zeros(given))
        assert (None if formed is None else formed.shape) == (shape if alike else None)
        assert not alike or note == f"has shape {Shape(given)}, not {Shape(shape)}"


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, np.int64, ml_dtypes.int4])
def test_integers_of_all_types_are_taken_as_numbers(dtype):
    formed, note = in_form_of(np.array([1, 7], np.int64), np.array([1, 7], dtype))
    assert (formed.dtype, formed.tolist()) == (np.int64, [1, 7])
    assert bool(note) is (dtype is not np.int64)
    formed, _ = in_form_of(np.array([1, 7], dtype), np.array([1, 7], np.int64))
    assert (formed.dtype, formed.astype(int).tolist()) == (dtype, [1, 7])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.int64([-1]), np.uint64([2**64 - 1])),
        (np.int8([44]), np.int64([300])),
        (np.uint8([255]), np.int8([-1])),
        (np.int64([1]), np.float32([1])),
        (np.array([True]), np.uint8([1])),
        (np.float32([1]), np.float64([1])),
    ],
)
def test_other_numbers_and_kinds_are_no_note(one, other):
    formed, note = in_form_of(one, other)
    assert formed is None
    assert note.startswith("has element type ")


def rows(*, kind="i64", axes=False, wrong=False):
    """Indices that are counted, gathered from a table and used, as two converters say it."""
    dtype = {"i64": np.int64, "i32": np.int32}[kind]
    graph = irops.Graph("rows")
    x = graph.parameter("x", "f32[5]")
    table = graph.add("Convert", x, destination_type=kind, name="table")
    at = graph.constant(np.array([2] if axes else 2, np.int64), name="at")
    picked = graph.add("Gather", table, at, np.int64(0), name="picked")
    first = graph.add("Add", picked, np.array(2 if wrong else 1, dtype), name="first")
    graph.result(graph.add("Exp", graph.add("Gather", x, first, np.int64(0), name="part"), name="exp"), "y")
    return graph.model()


X = {"x": np.float32([4, 2, 0, 1, 3])}


def compared(mode, other):
    if mode == "propagated":
        return irops.compare(rows(), X, b=other)
    return irops.compare(rows(), X, b=Converted(other), mode=mode)


class Converted(Source):
    """A whole runtime that says the layers as another model has them."""

    name, is_whole, computes_layers = "converted", True, True

    def __init__(self, model):
        self.analysis = ModelAnalysis(model)
        self.values = dict(irops.run(model, X, keep="all"))
        self.reference = source_of_text("reference")

    def walk(self, context):
        return iter(())

    def results(self, context):
        names = [layer.name for layer in context.model.layers if layer.type == "Result"]
        return {name: self.values[name] for name in names if name in self.values}

    def compute(self, calls):
        return [[self.values[call.node.layer.name]] for call in calls]


@pytest.mark.parametrize("mode", ["isolated", "propagated", "cuts"])
@pytest.mark.parametrize("change", [{"kind": "i32"}, {"axes": True}, {"kind": "i32", "axes": True}])
def test_equal_values_are_no_fault_in_any_mode(mode, change):
    found = compared(mode, rows(**change))
    assert found.ok, str(found)
    if mode != "cuts":
        (picked,) = (layer for layer in found.layers if layer.name == "picked")
        assert picked.verdict is Verdict.EQUAL
        assert ("has element type i32" in picked.reason) is ("kind" in change)
        assert ("has shape [1]" in picked.reason) is ("axes" in change)


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_other_values_are_wrong_all_the_same(mode):
    found = compared(mode, rows(kind="i32", axes=True, wrong=True))
    assert (found.first.name, found.first.verdict) == ("first", Verdict.WRONG)
    assert found.first.reason.startswith("1 of 1 elements differ; has element type i32, ")


def test_reports_show_the_note():
    found = compared("propagated", rows(kind="i32", axes=True))
    note = "has element type i32, not i64; has shape [1], not []"
    lines = report_text(found).splitlines()
    assert lines[0] == "1 of 1 result agrees"
    assert any(line.startswith("no layer of ") for line in lines)
    assert [line.split()[0] for line in lines if note in line] == ["picked", "first"]
    assert note in json.dumps(found.to_json())
    assert note in found._repr_html_()
    assert note in page(found, ModelAnalysis(rows()))
    suite = ElementTree.fromstring(junit(found))
    assert suite.attrib["failures"] == "0"
    noted = [case.attrib["name"] for case in suite if case.findtext("system-out") == note]
    assert noted == ["picked", "first"]


def test_expected_values_of_other_types():
    graph = irops.Graph("counted")
    x = graph.parameter("x", "f32[5]")
    graph.result(graph.add("Convert", x, destination_type="i64"), "y")
    for expected in (np.arange(5), np.arange(5, dtype=np.int32), np.arange(5, dtype=np.uint8)[np.newaxis]):
        assert_same(graph.model(), {"x": np.arange(5, dtype=np.float32)}, {"y": expected})
    for wrong in (np.arange(5).reshape(5, 1)[::-1], np.arange(5, dtype=np.float64), np.arange(6)):
        with pytest.raises(AssertionError, match="y wrong"):
            assert_same(graph.model(), {"x": np.arange(5, dtype=np.float32)}, {"y": wrong})
