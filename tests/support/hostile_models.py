"""Texts of models that are large in one respect, to see what they cost, or hostile in one."""

from collections.abc import Callable, Iterable, Sequence

EDGE = '<edge from-layer="{}" from-port="{}" to-layer="{}" to-port="{}"/>'
RUNTIME_ATTRIBUTE = '<attribute name="a" version="0"/>'
Edge = tuple[int, int, int, int]


def layer(
    number: int | str,
    name: str,
    kind: str,
    data: str = "",
    inputs: Iterable[int | str] = (),
    outputs: Iterable[int | str] = (),
    more: str = "",
    version: str = "opset1",
) -> str:
    sides = (("input", inputs), ("output", outputs))
    ports = "".join(
        f"<{side}>{''.join(map(_port, labels))}</{side}>" for side, labels in sides if tuple(labels)
    )
    return f'<layer id="{number}" name="{name}" type="{kind}" version="{version}">{data}{ports}{more}</layer>'


def _port(label: int | str) -> str:
    return f'<port id="{label}" precision="FP32"><dim>2</dim></port>'


def parameter(number: int = 0, name: str = "x") -> str:
    return layer(number, name, "Parameter", '<data shape="2" element_type="f32"/>', (), (0,))


def result(number: int = 1, name: str = "y") -> str:
    return layer(number, name, "Result", "", (0,))


def relu(number: int, name: str | None = None, data: str = "", more: str = "") -> str:
    return layer(number, f"n{number}" if name is None else name, "ReLU", data, (0,), (1,), more)


def net(layers: Sequence[str], edges: Sequence[Edge], more: str = "") -> str:
    connected = "".join(EDGE.format(*edge) for edge in edges)
    return (
        f'<?xml version="1.0"?>\n<net name="g" version="11"><layers>{"".join(layers)}</layers>'
        f"<edges>{connected}</edges>{more}</net>"
    )


def chain(size: int, of: Callable[[int], str] = relu, more: str = "") -> str:
    """Layers that feed one another."""
    edges = [(0, 0, 1, 0), *((k, 1, k + 1, 0) for k in range(1, size + 1))]
    return net([parameter(), *map(of, range(1, size + 1)), result(size + 1)], edges, more)


def concat(ports: Sequence[int | str], edges: Sequence[Edge], output: int) -> str:
    """A Concat with these input ports."""
    middle = layer(1, "c", "Concat", '<data axis="0"/>', ports, (output,))
    return net([parameter(), middle, result(2)], [*edges, (1, output, 2, 0)])


def nested(depth: int) -> str:
    """TensorIterators within one another."""
    inner, edges = parameter() + result(), EDGE.format(0, 0, 1, 0)
    maps = (
        '<port_map><input external_port_id="0" internal_layer_id="0"/>'
        '<output external_port_id="1" internal_layer_id="1"/></port_map>'
    )
    for k in range(depth):
        body = f"{maps}<body><layers>{inner}</layers><edges>{edges}</edges></body>"
        inner = parameter() + layer(2, f"n{k}", "TensorIterator", "", (0,), (1,), body) + result()
        edges = EDGE.format(0, 0, 2, 0) + EDGE.format(2, 1, 1, 0)
    return f'<net name="g" version="11"><layers>{inner}</layers><edges>{edges}</edges></net>'


def siblings(size: int) -> str:
    """Layers with a body each."""
    body = nested(1).partition('<layer id="2"')[2].partition("</layer>" + result())[0]
    return chain(size, lambda k: f'<layer id="{k}"{body.replace("n0", f"n{k}", 1)}</layer>')


def many_attributes(size: int, of: int) -> str:
    data = "<data {}/>".format(" ".join(f'a{k}="1"' for k in range(of)))
    return chain(max(size // of, 1), lambda k: relu(k, data=data))


GROWING: dict[str, Callable[[int], str]] = {
    "layers": chain,
    "unknown attributes, 50 of each layer": lambda n: many_attributes(n, 50),
    "unknown attributes, all of few layers": lambda n: many_attributes(n, 200),
    "duplicate names": lambda n: chain(n, lambda k: relu(k, "same")),
    "duplicate names of tensors": lambda n: chain(n).replace('id="1" prec', 'id="1" names="t" prec'),
    "duplicate ids": lambda n: net([parameter(), *[relu(1)] * n, result(2)], [(0, 0, 1, 0), (1, 1, 2, 0)]),
    "malformed ids": lambda n: chain(n).replace('<layer id="1', '<layer id="x1'),
    "malformed ids of which edges are far apart": lambda n: net(
        [relu(f"x{k}") for k in range(n)],
        [(2 * k + n, 1, 2 * k + n, 0) for k in range(n)],  # type: ignore[arg-type]
    ),
    "edges to one port": lambda n: net(
        [parameter(), relu(1), result(2)], [(0, 0, 1, 0)] * n + [(1, 1, 2, 0)]
    ),
    "ports with usual labels": lambda n: concat(range(n), [(0, 0, 1, k) for k in range(n)], n),
    "ports with unusual labels": lambda n: concat(
        range(n, 0, -1), [(0, 0, 1, k) for k in range(1, n + 1)], n + 1
    ),
    "edges to labels that do not exist": lambda n: concat(
        range(n), [(0, 0, 1, k + 2 * n) for k in range(n)], n
    ),
    "ports without edges": lambda n: concat(range(n), [], n),
    "ports with equal labels": lambda n: concat([0] * n, [(0, 0, 1, 0)] * n, n),
    "ports with malformed labels": lambda n: concat(["x"] * n + list(range(n)), [], n),
    "edges to layers that do not exist": lambda n: net(
        [parameter(), result()], [(0, 0, 1, 0), *((0, 0, k + 5, 0) for k in range(n))]
    ),
    "cycles": lambda n: net(
        [parameter(), result(), *map(relu, range(2, n + 2))],
        [(0, 0, 1, 0), *((k, 1, k, 0) for k in range(2, n + 2))],
    ),
    "one cycle": lambda n: net(
        [parameter(), result(), *map(relu, range(2, n + 2))],
        [(0, 0, 1, 0), *((k, 1, k + 1, 0) for k in range(2, n + 1)), (n + 1, 1, 2, 0)],
    ),
    "dead layers": lambda n: net(
        [parameter(), result(), *map(relu, range(2, n + 2))],
        [(0, 0, 1, 0), *((k, 1, k + 1, 0) for k in range(2, n + 1))],
    ),
    "stray texts": lambda n: f'<net name="g" version="11"><layers>{"&lt;a <x/>" * n}</layers></net>',
    "unknown elements": lambda n: chain(2, more="<foo/>" * n),
    "comments": lambda n: chain(2).replace("<layers>", "<layers>" + "<!--c-->" * n),
    "runtime attributes": lambda n: chain(
        1, lambda k: relu(k, more="<rt_info>" + RUNTIME_ATTRIBUTE * n + "</rt_info>")
    ),
    "sections of mean values": lambda n: chain(n, more='<pre-process reference-layer-name="z"/>' * n),
    "wrong shapes": lambda n: chain(n).replace(
        'id="1" precision="FP32"><dim>2', 'id="1" precision="FP32"><dim>3'
    ),
    "wrong types": lambda n: chain(n).replace('id="1" precision="FP32"', 'id="1" precision="I32"'),
    "misspelled types": lambda n: chain(n).replace('"ReLU"', '"ReLu"'),
    "attributes that are missing": lambda n: chain(n).replace('"ReLU"', '"Elu"'),
    "lines of one file in one line, not in ASCII": lambda n: chain(n, lambda k: relu(k, "é")).replace(
        "\n", " "
    ),
    "bodies": lambda n: siblings(n // 4),
    "nested bodies": lambda n: nested(n // 12),
}
"""Texts that grow in proportion to a number, each in one respect."""
