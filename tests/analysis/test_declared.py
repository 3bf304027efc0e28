"""The outputs of ops that irops does not define are taken from the file."""

from __future__ import annotations

import irops
from irops.ir.read import loads

TEXT = """<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="?,2,3" element_type="u8"/>
<output><port id="0" precision="U8"><dim>-1</dim><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="1" name="picture" type="Planes" version="com.example:1"><input><port id="0"><dim>-1</dim>
<dim>2</dim><dim>3</dim></port></input>
<output><port id="1" precision="U8"><dim>-1</dim><dim>4</dim></port></output></layer>
<layer id="2" name="y" type="Result" version="opset1"><input><port id="0"><dim>-1</dim>
<dim>4</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>"""


def test_the_outputs_of_an_undefined_op_are_as_declared():
    model, _ = loads(TEXT.encode())
    assert str(irops.infer(model)["picture", 0]) == "u8[?,4]"
    assert [d.code for d in irops.check(model).diagnostics] == ["IR304"]


def test_other_inputs_than_declared_leave_its_shape_open():
    model, _ = loads(TEXT.encode())
    assert str(irops.infer(model, inputs={"x": "1,2,3"})["picture", 0]) == "u8[?,4]"
    assert str(irops.infer(model, inputs={"x": "1,4,3"})["picture", 0]) == "u8[...]"
