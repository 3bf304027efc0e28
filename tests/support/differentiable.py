"""Cases of every op that states gradients: one op, its inputs (floats in f64), its attributes."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tables import table

RNG = np.random.default_rng(7)


def reals(*shape: int) -> np.ndarray:
    """Numbers away from 0, where some functions have kinks and poles, and from each other."""
    sizes = RNG.permutation(np.linspace(0.3, 1.9, int(np.prod(shape)))).reshape(shape)
    return np.asarray(sizes * RNG.choice([-1, 1], shape))


@dataclass(frozen=True)
class OpCase:
    """linear: whether the outputs are linear in all inputs of floats together."""

    name: str
    op: str
    inputs: tuple[np.ndarray, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    outputs: int = 1
    linear: bool = False

    def __str__(self) -> str:
        return f"{self.op}: {self.name}"

    def layers(self, kind: str = "f64"):
        """A model of the one layer, for the fixture net; floats are of a kind."""
        names = [f"i{k}" for k in range(len(self.inputs))]
        for name, array in zip(names, self.inputs):
            element = (
                kind
                if array.dtype == np.float64
                else {"int64": "i64", "bool": "boolean", "float32": "f32"}[str(array.dtype)]
            )
            yield name, "Parameter", {"element_type": element, "shape": ",".join(map(str, array.shape))}, []
        dialect, _, name = self.op.rpartition(":")
        type_, _, number = name.partition("-")
        yield (
            "op",
            f"{type_}-{f'{dialect}:' if dialect else 'opset'}{number}",
            {k: str(v) for k, v in self.attributes.items()},
            names,
        )
        for k in range(self.outputs):
            yield f"y{k}", "Result", {}, [("op", k)]


def array_of(text: Any) -> np.ndarray:
    """An input in the table: "reals 2,3", "positive 2,3", or integers or booleans as they are."""
    if not isinstance(text, str):
        return np.array(text, None if text else np.int64)
    kind, _, shape = text.partition(" ")
    numbers = reals(*(int(size) for size in shape.split(",") if size))
    return np.abs(numbers) if kind == "positive" else numbers


def cases(dialect: str) -> list[OpCase]:
    """The rows of differentiable.toml."""
    return [
        OpCase(name, op, tuple(map(array_of, inputs)), attributes, outputs, linear)
        for op, name, inputs, attributes, outputs, linear in table(__file__, dialect)
    ]


CASES, IN_ONNX = cases("openvino"), cases("onnx")
