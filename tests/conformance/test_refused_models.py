"""irops check beside OpenVINO on models that several changes make, or that are made by hand: state, results,
inputs, constants and strings.
"""

import struct
from collections.abc import Iterable

import pytest
from agreement import disagreement, findings
from libraries import needs
from whole_models import MODELS, WEIGHTS

pytestmark = needs("openvino")
F, I64, ANY = "FP32", "I64", "UNSPECIFIED"


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


def result(number: int, name: str, dims: str = "2,2", precision: str = F) -> str:
    return layer(number, name, "Result", ins=port(0, precision, dims))


def graph(layers: Iterable[str], *edges: tuple[int, int, int, int]) -> str:
    wires = "".join(
        f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>\n' for a, b, c, d in edges
    )
    return f"<layers>\n{''.join(layers)}</layers>\n<edges>\n{wires}</edges>\n"


def net(inside: str, rest: str = "", version: int = 11) -> str:
    return f'<?xml version="1.0"?>\n<net name="m" version="{version}">\n{inside}{rest}</net>\n'


def state(
    read="",
    reads="opset6",
    assigns="opset6",
    init=True,
    name="v",
    value="2,2",
    kind=("f32", F),
    dependent=False,
):
    """A variable that is read, and to which the input of the model is assigned, or what is read of it."""
    read = read or ' variable_type="f32" variable_shape="2,2"'
    data = f'variable_id="v"{read if reads == "opset6" else ""}'
    assigned = (port(number, kind[1], value) for number in (0, 1))
    layers = [
        parameter(0, "x", value, *kind),
        const(1, "f32", "2,2", 0, 16, F),
        layer(2, "read", f"ReadValue-{reads}", data, port(0, F, "2,2") if init else "", port(1, F, "2,2")),
        relu(3),
        layer(4, "assign", f"Assign-{assigns}", f'variable_id="{name}"', *assigned),
        result(5, "y"),
    ]
    edges = [(1, 0, 2, 0)] if init else []
    return net(graph(layers, *edges, (2, 1, 3, 0), (3, 1, 5, 0), (2, 1, 4, 0) if dependent else (0, 0, 4, 0)))


def state_and(more, *edges):
    text = state()
    text = text.replace("</layers>", f"{more}</layers>")
    wires = "".join(
        f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>' for a, b, c, d in edges
    )
    return text.replace("</edges>", f"{wires}</edges>")


def reading(more):
    return layer(
        6, "read2", "ReadValue-opset6", f'variable_id="v" {more}', port(0, F, "2,2"), port(1, F, "2,2")
    )


STATES = {
    "as it is": state(),
    "unranked": state(' variable_type="f32" variable_shape="..."', init=False),
    "untyped": state(' variable_type="dynamic" variable_shape="2,2"', init=False),
    "without initial value": state(init=False),
    "another name": state(name="w"),
    "another type": state(kind=("i32", "I32")),
    "another size": state(value="3,2"),
    "another rank": state(value="2,2,1"),
    "opset3 to 6": state(reads="opset3"),
    "opset6 to 3": state(assigns="opset3"),
    "opset3": state(reads="opset3", assigns="opset3"),
    "opset3 of what is read": state(reads="opset3", assigns="opset3", dependent=True),
    "opset4 of what opset5 reads": state(reads="opset5", assigns="opset4", dependent=True),
    "opset3 of what opset6 reads": state(assigns="opset3", dependent=True),
    "opset3 without initial value": state(reads="opset3", init=False),
    "assigned value used": state_and(result(6, "z"), (4, 1, 6, 0)),
    "two types": state_and(
        reading('variable_type="i32" variable_shape="2,2"') + result(7, "z"), (1, 0, 6, 0), (6, 1, 7, 0)
    ),
}


def results(*layers, edges):
    return net(graph([parameter(0, "x"), *layers], *edges))


def named(first, second):
    texts = [
        result(number, name).replace('version="opset1"', f'version="opset1" output_names="{names}"')
        for number, name, names in ((1, "y", first), (2, "z", second))
    ]
    return results(*texts, edges=((0, 0, 1, 0), (0, 0, 2, 0)))


PASSING = layer(1, "r", "Result", ins=port(0, F, "2,2"), outs=port(1, F, "2,2"))
BOTH = layer(1, "y", "Result", ins=port(0, F, "2,2") + port(1, F, "2,2"))
RESULTS = {
    "of a result": results(PASSING, result(2, "y"), edges=((0, 0, 1, 0), (1, 1, 2, 0))),
    "of two values": results(BOTH, edges=((0, 0, 1, 0), (0, 0, 1, 1))),
    "of nothing": results(result(1, "y"), layer(2, "z", "Result"), edges=((0, 0, 1, 0),)),
    "of one name": results(result(1, "y"), result(2, "y"), edges=((0, 0, 1, 0), (0, 0, 2, 0))),
    "of two names": named("a", "b"),
    "of one output name": named("a", "a"),
    "of a layer's name": named("x", "y"),
    "of no output name": named("", ""),
}

TYPES = "f16 bf16 f64 i4 i8 u1 u2 u3 u4 u6 u8 u64 nf4 f8e4m3 f4e2m1 f8e8m0 string boolean dynamic FP32 bool"
SHAPES = ("", "?", "...", "1..", "..5", "5..2", "1,,2", "[1,2]", "N", "2;2", "2,2,", "?..", "...,2", "(2,2)")


def source(kind="f32", shape="2,2"):
    first = layer(0, "x", "Parameter", f'shape="{shape}" element_type="{kind}"', outs=port(0, ANY))
    sizes = layer(1, "sizes", "ShapeOf-opset3", 'output_type="i64"', port(0, ANY), port(1, I64, "-1"))
    return net(graph([first, sizes, result(2, "y", "-1", I64)], (0, 0, 1, 0), (1, 1, 2, 0)))


INPUTS = {kind: source(kind) for kind in TYPES.split()} | {f"[{s}]": source(shape=s) for s in SHAPES}


def constant(kind, shape, offset, size):
    data = f'element_type="{kind}" shape="{shape}" offset="{offset}" size="{size}"'
    first = layer(0, "k", "Const", data, outs=port(0, ANY, shape))
    return net(graph([first, result(1, "y", shape, ANY)], (0, 0, 1, 0)))


END = len(WEIGHTS)
CONSTANTS = {
    str(case): constant(*case)
    for case in (
        *((kind, "3", 0, size) for kind, size in (("f16", 6), ("i4", 2), ("u1", 1), ("u3", 3), ("nf4", 2))),
        *((kind, "3", 0, size) for kind, size in (("f16", 5), ("i4", 1), ("f32", 11), ("boolean", 2))),
        ("f32", "2,2", END - 15, 16),
        ("f32", "2,2", -4, 16),
        ("f32", "2,2", 0, 0),
        ("f32", "2", 1, 8),
        ("f32", "?,2", 0, 16),
        ("f32", "0", END, 0),
        ("f32", "0", END + 1, 0),
        ("f32", "4611686018427387904,4", 0, 16),
        ("dynamic", "2", 0, 8),
    )
}


def table(count, bounds, text, shape="2", size=None):
    """A constant of strings: the model, and its weights."""
    weights = struct.pack(f"<{1 + len(bounds)}i", count, *bounds) + text
    return constant("string", shape, 0, len(weights) if size is None else size), weights


STRINGS = {
    "two": table(2, (0, 1, 2), b"ab"),
    "too many": table(3, (0, 1, 2), b"ab"),
    "descending": table(2, (0, 2, 1), b"ab"),
    "negative": table(2, (0, -1, 2), b"ab"),
    "beyond": table(2, (0, 1, 9), b"ab"),
    "cut off": table(2, (0, 1, 2), b"ab", size=4),
    "none": table(0, (0,), b"", "0"),
    "none, without bounds": table(0, (), b"", "0"),
    "none, in no bytes": table(0, (), b"", "0", 0),
    "a negative count": table(-1, (0, 0), b""),
    "a scalar": table(1, (0, 2), b"ab", ""),
}

LOOP = MODELS["Loop"]
NUMBER = '<input external_port_id="-1" internal_layer_id="0" purpose="current_iteration"/>'
ITERATION = 'name="i" type="Parameter" version="opset1"><data shape=""'
LOOPS = {
    "port 0": LOOP.replace(NUMBER, NUMBER.replace('"-1"', '"0"')),
    "an axis": LOOP.replace(NUMBER, NUMBER.replace("<input", '<input axis="0"')),
    "shape ?": LOOP.replace(ITERATION, ITERATION.replace('shape=""', 'shape="?"')),
    "shape 2": LOOP.replace(ITERATION, ITERATION.replace('shape=""', 'shape="2"')),
    "unranked": LOOP.replace(ITERATION, ITERATION.replace('shape=""', 'shape="..."')),
    "another type": LOOP.replace(f'{ITERATION} element_type="i64"', f'{ITERATION} element_type="f32"'),
}
"""How the number of the iteration is declared."""


def info(text, where='version="opset1"><data shape'):
    layers = MODELS["plain"].replace(where, where.replace("><", f"><rt_info>{text}</rt_info><"), 1)
    assert layers != MODELS["plain"]
    return layers


def layout(text, at_port=False):
    entry = f'<attribute name="layout" version="0" layout="{text}"/>'
    return info(entry, 'precision="FP32"><dim>') if at_port else info(entry)


LAYOUTS = (
    "NC", "[N,N]", "N...C", "...N...", "N.C", "[?,C]", "[a b]", "[N,C", "a-b", "NnC", "_C", "**SCALAR**",
)  # fmt: skip
INFOS = {
    **{text: layout(text) for text in LAYOUTS},
    **{f"{text} at a port": layout(text, at_port=True) for text in ("NC", "N", "NCHW", "N...", "**SCALAR**")},
    **{
        f"{name}={value}": info(f'<attribute name="{name}" version="0" value="{value}"/>')
        for name, value in (
            ("old_api_map_element_type", "f16"),
            ("old_api_map_element_type", "FP16"),
            ("old_api_map_order", "0,1"),
            ("old_api_map_order", "a"),
            ("nms_selected_indices", ""),
            ("fused_names", ""),
            ("unknown", ""),
        )
    },
}


def mean(channels, shape="1,2,2,1", kind=("f32", F), name="x"):
    layers = [parameter(0, "x", shape, *kind), result(1, "y", shape.replace("?", "-1"), kind[1])]
    inner = "".join(f'<channel id="{number}"><mean {text}/></channel>' for number, text in channels)
    rest = f'<pre-process mean-precision="FP32" reference-layer-name="{name}">{inner}</pre-process>\n'
    return net(graph(layers, (0, 0, 1, 0)), rest, 10)


ONE, TWO = ((0, 'value="1"'), (1, 'value="2"')), ((0, 'offset="0" size="8"'), (1, 'offset="8" size="8"'))
MEANS = {
    "numbers": mean(ONE),
    "images": mean(TWO),
    "too few": mean(ONE[:1]),
    "mixed": mean((ONE[0], TWO[1])),
    "no number": mean(((0, 'value="abc"'), ONE[1])),
    "of rank 2": mean(ONE, "1,2"),
    "of rank 3": mean(ONE, "1,2,2"),
    "of rank 1": mean(ONE, "2"),
    "of an unknown size": mean(ONE, "?,2,2,1"),
    "of another type": mean(TWO, kind=("f16", "FP16")),
    "of another channel": mean((ONE[0], (7, 'offset="8" size="8"'))),
    "of nothing": mean((ONE[0], ONE[0], ONE[0])),
    "of no input": mean(ONE, name="q"),
    "of an input with spaces": mean(ONE, name=" x "),
}
TABLES = {
    "state": STATES, "results": RESULTS, "inputs": INPUTS, "constants": CONSTANTS, "strings": STRINGS,
    "loops": LOOPS, "rt_info": INFOS, "mean values": MEANS,
}  # fmt: skip


@pytest.mark.slow("OpenVINO reads many models")
@pytest.mark.parametrize("name", TABLES)
def test_irops_and_openvino_agree(openvino, name, tmp_path):
    found = []
    for case, model in TABLES[name].items():
        xml, weights = model if isinstance(model, tuple) else (model, WEIGHTS)
        reason = disagreement(openvino.verdict(xml, weights), findings(tmp_path, xml, weights))
        if reason:
            found.append(f"{case}: {reason}")
    assert not found, "\n".join(found)
