"""A model whose loop goes round a million times."""

from pathlib import Path

ENDLESS = """<net name="endless" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="1" name="times" type="Const" version="opset1">
<data element_type="i64" shape="" offset="0" size="8"/>
<output><port id="0" precision="I64"/></output></layer>
<layer id="2" name="go" type="Const" version="opset1">
<data element_type="boolean" shape="" offset="8" size="1"/>
<output><port id="0" precision="BOOL"/></output></layer>
<layer id="3" name="loop" type="Loop" version="opset5">
<port_map><input external_port_id="2" internal_layer_id="0"/>
<output external_port_id="3" internal_layer_id="2"/>
<output external_port_id="-1" internal_layer_id="4" purpose="execution_condition"/></port_map>
<back_edges><edge from-layer="2" to-layer="0"/></back_edges>
<input><port id="0"/><port id="1"/><port id="2"><dim>2</dim></port></input>
<output><port id="3" precision="FP32"><dim>2</dim></port></output>
<body><layers>
<layer id="0" name="p" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="1" name="abs" type="Abs" version="opset1"><input><port id="0"><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="r" type="Result" version="opset1"><input><port id="0"><dim>2</dim></port></input></layer>
<layer id="3" name="on" type="Const" version="opset1">
<data element_type="boolean" shape="" offset="8" size="1"/>
<output><port id="0" precision="BOOL"/></output></layer>
<layer id="4" name="c" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
<edge from-layer="3" from-port="0" to-layer="4" to-port="0"/></edges></body></layer>
<layer id="4" name="y" type="Result" version="opset1"><input><port id="0"><dim>2</dim></port></input></layer>
</layers><edges><edge from-layer="1" from-port="0" to-layer="3" to-port="0"/>
<edge from-layer="2" from-port="0" to-layer="3" to-port="1"/>
<edge from-layer="0" from-port="0" to-layer="3" to-port="2"/>
<edge from-layer="3" from-port="3" to-layer="4" to-port="0"/></edges></net>"""


def write_endless(path: Path) -> None:
    """Write the model, with its weights beside it."""
    path.write_text(ENDLESS)
    path.with_suffix(".bin").write_bytes((10**6).to_bytes(8, "little") + b"\x01")
