"""Pictures of ops that move elements show what the example computes; no op that computes has one."""

from xml.etree import ElementTree

import numpy as np
import pytest
from invoking import loaded

from irops.dialects.registry import default_registry
from irops.document.views import MAX_ELEMENTS, movement, picture

OPS = loaded(default_registry().ids())
MOVING = {op.id: movement(op) for op in OPS if movement(op) is not None}


def test_the_ops_that_move_elements_have_a_picture():
    assert MOVING.keys() >= {
        "Reverse-1", "ReverseSequence-1", "Transpose-1", "Concat-1", "Split-1", "Pad-12", "Roll-7",
        "DepthToSpace-1", "Gather-8", "Tile-1", "Slice-8",
    }  # fmt: skip


def test_an_op_that_computes_has_none():
    assert not MOVING.keys() & {"Add-1", "ReLU-1", "TopK-11", "Convert-1", "Sqrt-1", "Unique-10"}


def test_the_sources_of_reverse_sequence_are_those_of_its_formula():
    found = MOVING["ReverseSequence-1"]
    assert [source.tolist() for source in found.sources] == [[[1, 0, 2], [5, 4, 3]]]


def test_new_elements_have_no_source():
    assert [source.tolist() for source in MOVING["Pad-12"].sources] == [
        [[-1, 0, 1, -1, -1], [-1, 2, 3, -1, -1], [-1, -1, -1, -1, -1]]
    ]


@pytest.mark.parametrize("op", MOVING)
def test_a_picture_has_a_cell_for_each_element_and_a_line_for_each_source(op):
    found = MOVING[op]
    root = ElementTree.fromstring(picture(found))
    tags = [element.tag.rpartition("}")[2] for element in root.iter()]
    sizes = [np.size(tensor.value) for tensor in (*found.inputs, *found.outputs)]
    assert tags.count("rect") == sum(sizes)
    assert tags.count("path") == sum(int((source >= 0).sum()) for source in found.sources)
    assert max(sum(np.size(t.value) for t in part) for part in (found.inputs, found.outputs)) <= MAX_ELEMENTS
    assert root.find("{http://www.w3.org/2000/svg}title").text
