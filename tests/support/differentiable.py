"""Cases of every op that states gradients: one op, its inputs (floats in f64), its attributes."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

RNG = np.random.default_rng(7)


def reals(*shape: int) -> np.ndarray:
    """Numbers away from 0, where some functions have kinks and poles, and from each other."""
    sizes = RNG.permutation(np.linspace(0.3, 1.9, int(np.prod(shape)))).reshape(shape)
    return np.asarray(sizes * RNG.choice([-1, 1], shape))


def ints(*numbers: int | list[int]) -> np.ndarray:
    return np.array(numbers, np.int64)


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


def case(name: str, op: str, /, *inputs: np.ndarray, outputs: int = 1, linear: bool = False, **attributes):
    """A row of the tables below."""
    return OpCase(name, op, inputs, attributes, outputs, linear)


def laid_from(axis: int) -> dict[str, Any]:
    return {"auto_broadcast": "pdpd", "auto_broadcast.auto_broadcast_axis": axis}


linear = partial(case, linear=True)
ELEMENTWISE = [
    ("alike", (2, 3), (2, 3), {}),
    ("b repeated", (2, 3, 4), (3, 1), {}),
    ("a repeated", (1, 4), (2, 3, 4), {}),
    ("both repeated", (2, 1, 4), (3, 1), {}),
    ("a scalar", (), (2, 2), {}),
    ("no elements", (2, 0), (1,), {}),
    ("laid onto the first axes", (2, 3, 4), (2, 3), laid_from(0)),
    ("laid onto the middle, with a 1", (2, 3, 4), (3, 1), laid_from(1)),
    ("not repeated at all", (2, 3), (2, 3), {"auto_broadcast": "none"}),
]
MATRICES = [
    ("two matrices", (2, 3), (3, 4), 0, 0),
    ("a transposed", (3, 2), (3, 4), 1, 0),
    ("b transposed", (2, 3), (4, 3), 0, 1),
    ("both transposed", (3, 2), (4, 3), 1, 1),
    ("two vectors", (3,), (3,), 0, 0),
    ("two vectors, flags without meaning", (3,), (3,), 1, 1),
    ("a vector and matrices", (3,), (2, 3, 4), 0, 0),
    ("a vector and matrices, transposed", (3,), (2, 4, 3), 1, 1),
    ("matrices and a vector", (2, 4, 3), (3,), 0, 1),
    ("matrices, transposed, and a vector", (2, 3, 4), (3,), 1, 0),
    ("many rows, one matrix", (2, 5, 3), (3, 4), 0, 0),
    ("many rows, transposed, one matrix, transposed", (2, 3, 5), (4, 3), 1, 1),
    ("one matrix, many columns", (2, 3), (5, 3, 4), 0, 0),
    ("both repeated", (2, 1, 2, 3), (4, 3, 2), 0, 0),
    ("none inside", (2, 0), (0, 3), 0, 0),
]
CASES = [
    linear("batch first", "ReverseSequence-1", reals(3, 4), ints(1, 4, 0), batch_axis=0, seq_axis=1),
    linear("time first", "ReverseSequence-1", reals(4, 2, 3), ints(3, 2), batch_axis=1, seq_axis=0),
    linear("from the end", "ReverseSequence-1", reals(2, 3, 4), ints(3, 4, 1), batch_axis=-2, seq_axis=-1),
    linear("by number", "Reverse-1", reals(2, 3, 4), ints(0, -1), mode="index"),
    linear("by flag", "Reverse-1", reals(2, 3), np.array([False, True]), mode="mask"),
    *(
        (linear if op in ("Add", "Subtract") else case)(name, f"{op}-1", reals(*a), reals(*b), **more)
        for op in ("Add", "Subtract", "Multiply", "Divide")
        for name, a, b, more in ELEMENTWISE
    ),
    *(
        case(name, "MatMul-1", reals(*a), reals(*b), transpose_a=bool(flip_a), transpose_b=bool(flip_b))
        for name, a, b, flip_a, flip_b in MATRICES
    ),
    linear("with -1", "Reshape-1", reals(2, 3, 4), ints(4, -1), special_zero=False),
    linear("with 0", "Reshape-1", reals(2, 3, 4), ints(0, 12), special_zero=True),
    linear("as it is", "Identity-16", reals(2, 3)),
    linear("an order", "Transpose-1", reals(2, 3, 4), ints(2, 0, 1)),
    linear("no order", "Transpose-1", reals(2, 3, 4), ints()),
    linear("three", "Concat-1", reals(2, 1), reals(2, 3), reals(2, 0), axis=-1),
    linear("one", "Concat-1", reals(2, 3), axis=0),
    linear("in two", "Split-1", reals(2, 4), np.array(-1), outputs=2, num_splits=2),
    linear("in unequal parts", "VariadicSplit-1", reals(6, 2), ints(0), ints(1, -1, 3), outputs=3),
    linear("rows, one twice", "Gather-8", reals(4, 3), ints([1, 0], [1, -1]), np.array(0), batch_dims=0),
    linear("in batches", "Gather-8", reals(2, 5, 2), ints([4, 4, 0], [1, -5, 2]), np.array(1), batch_dims=1),
    linear("some of nowhere", "Gather-8", reals(3), np.array([0, 7, 2, -4]), np.array(0), batch_dims=0),
    linear("both ways", "Slice-8", reals(5, 6), ints(1, -1), ints(4, 0), ints(2, -2), ints(0, 1)),
    linear("the first axis", "Slice-8", reals(5, 2), ints(-2), ints(99), ints(1)),
    linear("an axis", "Squeeze-1", reals(2, 1, 3), ints(1)),
    linear("every 1", "Squeeze-1", reals(1, 2, 1)),
    linear("two axes", "Unsqueeze-1", reals(2, 3), ints(0, -1)),
    linear("aligned from the last", "Broadcast-3", reals(3, 1), ints(2, 3, 4), mode="numpy"),
    linear("both ways", "Broadcast-3", reals(2, 1, 4), ints(3, 1), mode="bidirectional"),
    linear("axes named", "Broadcast-3", reals(2, 1), ints(3, 2, 4), ints(1, 2), mode="explicit"),
    *(case("numbers", op, reals(2, 3)) for op in ("ReLU-1", "Sigmoid-1", "Tanh-1", "Exp-1")),
    case("positive numbers", "Log-1", np.abs(reals(2, 3))),
    case("the last axis", "SoftMax-8", reals(2, 3), axis=-1),
    case("a middle axis", "SoftMax-8", reals(2, 3, 2), axis=1),
    *(
        linear(f"{name}, {'kept' if keep else 'gone'}", op, reals(2, 3, 4), axes, keep_dims=keep)
        for op in ("ReduceSum-1", "ReduceMean-1")
        for keep in (True, False)
        for name, axes in (("one axis", np.array(1)), ("two axes", ints(0, -1)), ("no axis", ints()))
    ),
    linear("of nothing", "ReduceMean-1", reals(2, 0), ints(1), keep_dims=False),
    linear("to f32", "Convert-1", reals(2, 3), destination_type="f32"),
]
IN_ONNX = [
    linear("time first", "onnx:ReverseSequence-10", reals(4, 2, 3), ints(3, 2)),
    linear("batch first", "onnx:ReverseSequence-10", reals(2, 4), ints(3, 2), batch_axis=0, time_axis=1),
    linear("both repeated", "onnx:Add-14", reals(2, 1, 4), reals(3, 1)),
    case("a repeated", "onnx:Mul-14", reals(4), reals(3, 4)),
    case("matrices and a vector", "onnx:MatMul-13", reals(2, 4, 3), reals(3)),
    *(case("numbers", op, reals(2, 3)) for op in ("onnx:Relu-14", "onnx:Sigmoid-13", "onnx:Tanh-13")),
    linear("the same", "onnx:Identity-16", reals(2, 3)),
    linear("two", "onnx:Concat-13", reals(2, 1), reals(2, 3), axis=-1),
    linear("a column twice", "onnx:Gather-13", reals(4, 3), np.array([2, 0, 2]), axis=1),
    linear("an order", "onnx:Transpose-21", reals(2, 3, 4), perm="2,0,1"),
    linear("no order", "onnx:Transpose-13", reals(2, 3, 4)),
    linear("with 0", "onnx:Reshape-14", reals(2, 3, 4), ints(0, -1)),
    linear("axes in a tensor", "onnx:Squeeze-13", reals(2, 1, 3), ints(1)),
    linear("axes in an attribute", "onnx:Squeeze-1", reals(2, 1, 3), axes="1"),
    linear("axes in a tensor", "onnx:Unsqueeze-13", reals(2, 3), ints(0, -1)),
    linear("axes in an attribute", "onnx:Unsqueeze-11", reals(2, 3), axes="0,3"),
    linear("both ways", "onnx:Slice-13", reals(5, 6), ints(1, -1), ints(4, 0), ints(0, 1), ints(2, -2)),
    linear("no steps", "onnx:Slice-10", reals(5, 6), ints(1), ints(4)),
    linear("in attributes", "onnx:Slice-1", reals(5, 6), starts="1,-2", ends="3,9", axes="1,0"),
    linear("to f64", "onnx:Cast-13", reals(2, 3), to="f64"),
]
