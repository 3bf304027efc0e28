"""Models with bodies for tests, written as calls: each gives the handle of a tensor, the whole becomes a
Model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irops.ir.model import Model
from irops.ir.read import loads
from irops.values.element import element_type_of

Tensor = tuple[int, int]
"""A layer's id and the label of its output port."""
LOOP, ITERATOR, IF = ("Loop", "opset5"), ("TensorIterator", "opset1"), ("If", "opset8")


@dataclass
class Net:
    """One graph; a body is a Net of its own, and shares the weights."""

    weights: bytearray = field(default_factory=bytearray)
    layers: list[str] = field(default_factory=list)
    edges: list[str] = field(default_factory=list)

    def body(self) -> Net:
        return Net(self.weights)

    def parameter(self, name: str, kind: str, shape: str) -> Tensor:
        return self.op("Parameter", name=name, element_type=kind, shape=shape)

    def const(self, value: Any, dtype: Any = np.float32) -> Tensor:
        array = np.array(value, dtype)
        offset = len(self.weights)
        self.weights.extend(array.tobytes())
        kind, shape = str(element_type_of(array)), ",".join(map(str, array.shape))
        return self.op("Const", element_type=kind, shape=shape, offset=offset, size=array.nbytes)

    def result(self, value: Tensor, name: str | None = None) -> int:
        return self.op("Result", value, name=name, outputs=0)[0]

    def op(
        self,
        type: str,
        *inputs: Tensor | None,
        version: str = "opset1",
        name: str | None = None,
        outputs: int = 1,
        inside: str = "",
        **data: Any,
    ) -> Tensor:
        number = len(self.layers)
        ins = "".join(f'<port id="{k}"/>' for k in range(len(inputs)))
        outs = "".join(f'<port id="{len(inputs) + k}" precision="UNSPECIFIED"/>' for k in range(outputs))
        attributes = "".join(f' {k}="{v}"' for k, v in data.items())
        self.layers.append(
            f'<layer id="{number}" name="{name or f"{type}_{number}"}" type="{type}"'
            f' version="{version}"><data{attributes}/>'
            f"{inside}<input>{ins}</input><output>{outs}</output></layer>"
        )
        self.edges += [
            f'<edge from-layer="{a}" from-port="{p}" to-layer="{number}" to-port="{k}"/>'
            for k, source in enumerate(inputs)
            if source is not None
            for a, p in [source]
        ]
        return number, len(inputs)

    def apply(
        self,
        op: tuple[str, str],
        *inputs: Tensor,
        outputs: int = 1,
        name: str | None = None,
        **bodies: tuple[Net, str],
    ) -> list[Tensor]:
        """An op with bodies. bodies: by name, with the entries of its port map and its back edges."""
        inside = ""
        for body, (net, entries) in bodies.items():
            maps, _, back = entries.partition("<edge")
            prefix = body.removesuffix("body")
            inside += f"<{prefix}port_map>{maps}</{prefix}port_map>" + (
                f"<back_edges><edge{back}</back_edges>" if back else ""
            )
            inside += f"<{body}>{net.text()}</{body}>"
        number, first = self.op(op[0], *inputs, version=op[1], outputs=outputs, inside=inside, name=name)
        return [(number, first + k) for k in range(outputs)]

    def text(self) -> str:
        return f"<layers>{''.join(self.layers)}</layers><edges>{''.join(self.edges)}</edges>"

    def xml(self) -> str:
        """Each element on a line of its own."""
        return f'<net name="net" version="11">{self.text()}</net>'.replace("><", ">\n<")

    def model(self) -> Model:
        return loads(self.xml().encode(), bytes(self.weights))[0]


def takes(port: int, parameter: Tensor, **more: Any) -> str:
    """An input of a port map: the layer's input and the body's Parameter."""
    return _entry("input", port, parameter[0], more)


def gives(port: int, result: int, **more: Any) -> str:
    """An output of a port map: the layer's output, as numbered in the file, and the body's Result."""
    return _entry("output", port, result, more)


def counts(parameter: Tensor) -> str:
    return takes(-1, parameter, purpose="current_iteration")


def decides(result: int) -> str:
    return gives(-1, result, purpose="execution_condition")


def feeds(result: int, parameter: Tensor) -> str:
    """A back edge; the last of the entries."""
    return f'<edge from-layer="{result}" to-layer="{parameter[0]}"/>'


def _entry(side: str, port: int, layer: int, more: dict[str, Any]) -> str:
    attributes = "".join(f' {k}="{v}"' for k, v in more.items())
    return f'<{side} external_port_id="{port}" internal_layer_id="{layer}"{attributes}/>'


def iterating(
    x: str,
    part: str = "?",
    *,
    kind: str = "f32",
    cut: Mapping[str, int] | None = None,
    join: Mapping[str, int] | None = None,
    name: str | None = None,
    work: Callable[[Net, Tensor], Tensor] = lambda _, part: part,
) -> Net:
    """A TensorIterator that joins, as y, what work makes of each part of x along axis 0. x, part: shapes;
    cut, join: further attributes of the entries of its port map
    """
    net = Net()
    body = net.body()
    given = body.parameter("part", kind, part)
    maps = takes(0, given, axis=0, **(cut or {}))
    maps += gives(1, body.result(work(body, given)), axis=0, **(join or {}))
    net.result(net.apply(ITERATOR, net.parameter("x", kind, x), name=name, body=(body, maps))[0], "y")
    return net
