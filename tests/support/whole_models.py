"""Small models of what single ops do not show: bodies, state, constants, inputs, results, elements of models.

OpenVINO reads, compiles and runs each of them as it stands.
"""

import struct
from collections.abc import Iterable

WEIGHTS = struct.pack("<4f4q4i2s2x", 1, 2, 3, 4, 1, 0, 2, 3, 2, 0, 1, 2, b"ab")
"""Four f32 at 0, four i64 at 16, two strings (a, b) of 14 bytes at 48, and the booleans of a 1 at 16."""

F, I64, BOOL = "FP32", "I64", "BOOL"


def port(number: int, precision: str, dims: str = "", names: str = "") -> str:
    label = f' names="{names}"' if names else ""
    sizes = "".join(f"<dim>{dim}</dim>" for dim in dims.split(",") if dim)
    return f'<port id="{number}" precision="{precision}"{label}>{sizes}</port>'


def layer(
    number: int, name: str, kind: str, data: str = "", ins: str = "", outs: str = "", inner: str = ""
) -> str:
    kind, _, version = kind.partition("-")
    inside = f"<data {data}/>" if data else ""
    inside += f"<input>{ins}</input>" if ins else ""
    inside += f"<output>{outs}</output>" if outs else ""
    opening = f'<layer id="{number}" name="{name}" type="{kind}" version="{version or "opset1"}">'
    return f"{opening}{inside}{inner}</layer>\n"


def parameter(number: int, name: str, shape: str = "2,2", kind: str = "f32", precision: str = F) -> str:
    dims = shape.replace("?", "-1")
    return layer(
        number, name, "Parameter", f'shape="{shape}" element_type="{kind}"', outs=port(0, precision, dims)
    )


def const(number: int, kind: str, shape: str, offset: int, size: int, precision: str) -> str:
    data = f'element_type="{kind}" shape="{shape}" offset="{offset}" size="{size}"'
    return layer(number, f"const{number}", "Const", data, outs=port(0, precision, shape))


def relu(number: int, dims: str = "2,2") -> str:
    return layer(number, f"relu{number}", "ReLU", ins=port(0, F, dims), outs=port(1, F, dims))


def add(number: int, a: str = "2,2", b: str = "2,2") -> str:
    ports = port(0, F, a) + port(1, F, b)
    return layer(number, f"add{number}", "Add", 'auto_broadcast="numpy"', ports, port(2, F, a))


def result(number: int, name: str, dims: str = "2,2", precision: str = F) -> str:
    return layer(number, name, "Result", ins=port(0, precision, dims))


def graph(layers: Iterable[str], *edges: tuple[int, int, int, int]) -> str:
    wires = "".join(
        f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>\n' for a, b, c, d in edges
    )
    return f"<layers>\n{''.join(layers)}</layers>\n<edges>\n{wires}</edges>\n"


def net(inside: str, rest: str = "", version: int = 11) -> str:
    return f'<?xml version="1.0"?>\n<net name="m" version="{version}">\n{inside}{rest}</net>\n'


def _plain(version: int = 11, rest: str = "", first: str | None = None) -> str:
    layers = [first or parameter(0, "x"), relu(1), result(2, "y")]
    return net(graph(layers, (0, 0, 1, 0), (1, 1, 2, 0)), rest, version)


def _with_info() -> str:
    """rt_info of a layer, of ports and of the model."""
    info = (
        '<rt_info><attribute name="layout" version="0" layout="[N,C]"/>'
        '<attribute name="old_api_map_element_type" version="0" value="f16"/></rt_info>'
    )
    first = parameter(0, "x").replace("<output>", f"{info}<output>")
    rest = (
        '<rt_info><MO_version value="1"/><conversion_parameters><is_python_object value="False"/>'
        '</conversion_parameters><model_info><labels value="a b"/></model_info></rt_info>\n'
    )
    fused = '<rt_info><attribute name="fused_names" version="0" value="relu1"/></rt_info>'
    return _plain(rest=rest, first=first).replace(
        'type="ReLU" version="opset1">', f'type="ReLU" version="opset1">{fused}'
    )


def _with_meta() -> str:
    rest = (
        '<meta_data><MO_version value="1"/><cli_parameters><data_type value="float"/></cli_parameters>'
        "</meta_data>\n"
        '<quantization_parameters><config value="{}"/></quantization_parameters>\n'
    )
    return _plain(10, rest)


def _with_mean() -> str:
    first = parameter(0, "x", "1,2,2,1")
    dims = "1,2,2,1"
    layers = [first, relu(1, dims), result(2, "y", dims)]
    mean = (
        '<pre-process mean-precision="FP32" reference-layer-name="x">'
        '<channel id="0"><mean offset="0" size="8"/></channel>'
        '<channel id="1"><mean offset="8" size="8"/></channel></pre-process>\n'
    )
    return net(graph(layers, (0, 0, 1, 0), (1, 1, 2, 0)), mean, 10)


def _body(*layers: str, edges: tuple[tuple[int, int, int, int], ...], name: str = "body") -> str:
    return f"<{name}>\n{graph(layers, *edges)}</{name}>\n"


def _if() -> str:
    then = _body(
        parameter(0, "p"), relu(1), result(2, "r"), edges=((0, 0, 1, 0), (1, 1, 2, 0)), name="then_body"
    )
    other = _body(parameter(0, "q"), result(1, "s"), edges=((0, 0, 1, 0),), name="else_body")
    maps = "".join(
        f'<{branch}_port_map><input external_port_id="1" internal_layer_id="0"/>'
        f'<output external_port_id="0" internal_layer_id="{last}"/></{branch}_port_map>\n'
        for branch, last in (("then", 2), ("else", 1))
    )
    ports = port(0, BOOL) + port(1, F, "2,2")
    whole = layer(2, "if", "If-opset8", ins=ports, outs=port(2, F, "2,2"), inner=maps + then + other)
    layers = [parameter(0, "c", "", "boolean", BOOL), parameter(1, "x"), whole, result(3, "y")]
    return net(graph(layers, (0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0)))


def _iterator() -> str:
    body = _body(
        parameter(0, "part", "1,2"),
        parameter(1, "state", "1,2"),
        add(2, "1,2", "1,2"),
        result(3, "piece", "1,2"),
        edges=((0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0)),
    )
    maps = (
        '<port_map><input axis="0" external_port_id="0" internal_layer_id="0" start="0" end="-1" stride="1"'
        ' part_size="1"/>'
        '<input external_port_id="1" internal_layer_id="1"/>'
        '<output axis="0" external_port_id="2" internal_layer_id="3" start="0" end="-1" stride="1"'
        ' part_size="1"/>'
        '<output external_port_id="3" internal_layer_id="3"/></port_map>\n'
        '<back_edges><edge from-layer="3" to-layer="1"/></back_edges>\n'
    )
    ports = port(0, F, "2,2") + port(1, F, "1,2")
    outs = port(2, F, "2,2") + port(3, F, "1,2")
    whole = layer(2, "iterator", "TensorIterator", ins=ports, outs=outs, inner=maps + body)
    layers = [parameter(0, "x"), parameter(1, "h", "1,2"), whole, result(3, "y"), result(4, "z", "1,2")]
    return net(graph(layers, (0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0), (2, 3, 4, 0)))


def _loop() -> str:
    body = _body(
        parameter(0, "i", "", "i64", I64),
        parameter(1, "s", "1,2"),
        relu(2, "1,2"),
        result(3, "next", "1,2"),
        const(4, "boolean", "", 16, 1, BOOL),
        result(5, "go", "", BOOL),
        layer(6, "convert", "Convert", 'destination_type="f32"', port(0, I64), port(1, F)),
        add(7, "1,2", ""),
        edges=((1, 0, 2, 0), (2, 1, 7, 0), (0, 0, 6, 0), (6, 1, 7, 1), (7, 2, 3, 0), (4, 0, 5, 0)),
    )
    maps = (
        '<port_map><input external_port_id="-1" internal_layer_id="0" purpose="current_iteration"/>'
        '<input external_port_id="2" internal_layer_id="1"/>'
        '<output external_port_id="3" internal_layer_id="3"/>'
        '<output axis="0" external_port_id="4" internal_layer_id="3"/>'
        '<output external_port_id="-1" internal_layer_id="5" purpose="execution_condition"/></port_map>\n'
        '<back_edges><edge from-layer="3" to-layer="1"/></back_edges>\n'
    )
    ports = port(0, I64) + port(1, BOOL) + port(2, F, "1,2")
    outs = port(3, F, "1,2") + port(4, F, "3,2")
    whole = layer(3, "loop", "Loop-opset5", ins=ports, outs=outs, inner=maps + body)
    trips, always = const(0, "i64", "", 40, 8, I64), const(1, "boolean", "", 16, 1, BOOL)
    results = result(4, "y", "1,2"), result(5, "z", "3,2")
    layers = [trips, always, parameter(2, "x", "1,2"), whole, *results]
    return net(graph(layers, (0, 0, 3, 0), (1, 0, 3, 1), (2, 0, 3, 2), (3, 3, 4, 0), (3, 4, 5, 0)))


def _state(opset: str, more: str) -> str:
    data = f'variable_id="v"{more}'
    layers = [
        parameter(0, "x"),
        const(1, "f32", "2,2", 0, 16, F),
        layer(2, "read", f"ReadValue-{opset}", data, port(0, F, "2,2"), port(1, F, "2,2")),
        add(3),
        layer(4, "assign", f"Assign-{opset}", 'variable_id="v"', port(0, F, "2,2"), port(1, F, "2,2")),
        result(5, "y"),
    ]
    return net(graph(layers, (1, 0, 2, 0), (2, 1, 3, 0), (0, 0, 3, 1), (3, 2, 4, 0), (3, 2, 5, 0)))


def _constants() -> str:
    layers = [
        const(0, "f32", "2,2", 0, 16, F),
        parameter(1, "x"),
        add(2),
        result(3, "y"),
        const(4, "i64", "4", 16, 32, I64),
        result(5, "z", "4", I64),
    ]
    return net(graph(layers, (0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0), (4, 0, 5, 0)))


def _strings() -> str:
    outs = port(1, "I32", "2") + port(2, "I32", "2") + port(3, "U8", "-1")
    unpack = layer(1, "unpack", "StringTensorUnpack-opset15", ins=port(0, "STRING", "2"), outs=outs)
    layers = [
        const(0, "string", "2", 48, 18, "STRING"),
        unpack,
        result(2, "y", "2", "I32"),
        result(3, "z", "2", "I32"),
        result(4, "w", "-1", "U8"),
    ]
    return net(graph(layers, (0, 0, 1, 0), (1, 1, 2, 0), (1, 2, 3, 0), (1, 3, 4, 0)))


def _named_results() -> str:
    text = _plain().replace(
        '<layer id="2" name="y" type="Result" version="opset1">',
        '<layer id="2" name="y" type="Result" version="opset1" output_names="out">',
    )
    return text.replace('<port id="1" precision="FP32">', '<port id="1" precision="FP32" names="a,b">')


MODELS: dict[str, str] = {
    "plain": _plain(),
    "plain of version 10": _plain(10),
    "names": _named_results(),
    "rt_info": _with_info(),
    "meta_data": _with_meta(),
    "pre-process": _with_mean(),
    "If": _if(),
    "TensorIterator": _iterator(),
    "Loop": _loop(),
    "state": _state("opset6", ' variable_type="f32" variable_shape="2,2"'),
    "state of opset3": _state("opset3", ""),
    "constants": _constants(),
    "strings": _strings(),
}
