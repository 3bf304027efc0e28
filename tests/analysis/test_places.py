"""Where a broken constraint is reported."""

from __future__ import annotations

import irops

NET = """<?xml version="1.0"?>
<net name="m" version="11">
<layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="1" name="clamp" type="Clamp" version="opset1">
<data min="7" max="6"/>
<input><port id="0" precision="FP32"><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="y" type="Result" version="opset1"><input><port id="0" precision="FP32">
<dim>2</dim></port></input></layer>
</layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges>
</net>
"""


def first_error(folder, text):
    """The first error of the file, and the text of the line from its place on."""
    (folder / "m.xml").write_text(text)
    (folder / "m.bin").write_bytes(b"")
    error = irops.check(folder / "m.xml").errors[0]
    return error, text.splitlines()[error.location.line - 1][error.location.column - 1 :]


def test_a_constraint_about_an_attribute_is_reported_at_the_attribute(tmp_path):
    error, there = first_error(tmp_path, NET)
    assert (error.constraint, there) == ("Clamp-1:C1", 'min="7" max="6"/>')


def test_a_finding_of_inference_without_an_attribute_is_at_the_layer(tmp_path):
    error, there = first_error(tmp_path, NET.replace('<data min="7" max="6"/>', '<data min="7"/>'))
    assert error.rule.name == "missing-attribute"
    assert there.startswith('<layer id="1"')


def test_more_elements_than_64_bits_count_are_reported_at_the_shape_that_asks_for_them(tmp_path):
    text = NET.replace('min="7"', 'min="5"').replace('shape="2"', f'shape="{2**62},4"')
    error, there = first_error(tmp_path, text)
    assert error.rule.name == "overflowing-shape"
    assert there.startswith("shape=")
