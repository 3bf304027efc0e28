"""How long the reference takes to evaluate networks: python tests/benchmarks/evaluating.py [--corpus FOLDER].

Two networks are made here, in ONNX form and as the IR that OpenVINO converts from it: a residual
    convolutional one and a transformer
encoder. They are timed in irops, in onnx.reference and in OpenVINO's CPU plug-in (f32). With --corpus, a
folder of cases with a model.xml and an inputs.npz each, five networks of it are timed in irops and the
plug-in. Least of several
runs; ratios in one run.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

NETWORKS = ("resnet", "deit", "distilbert", "llama", "torch_lstm")


def least(works: Mapping[str, Callable[[], Any]], times: int = 5) -> dict[str, float]:
    """The least of several timings of each, in seconds, taken in turns."""
    found = dict.fromkeys(works, float("inf"))
    for _ in range(times):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            found[name] = min(found[name], time.perf_counter() - start)
    return found


class Builder:
    """An ONNX graph, node by node; weights from one seed."""

    def __init__(self) -> None:
        from onnx import helper, numpy_helper

        self.helper, self.numpy_helper = helper, numpy_helper
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self.rng = np.random.default_rng(0)

    def weight(self, *shape: int) -> str:
        array = (self.rng.standard_normal(shape) / np.sqrt(max(np.prod(shape[1:]), 1))).astype(np.float32)
        return self.constant(array)

    def constant(self, array: np.ndarray) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(self.numpy_helper.from_array(array, name))
        return name

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def model(self, shape: tuple[int, ...], output: str) -> Any:
        from onnx import TensorProto

        info = self.helper.make_tensor_value_info
        graph = self.helper.make_graph(
            self.nodes,
            "g",
            [info("x", TensorProto.FLOAT, shape)],
            [info(output, TensorProto.FLOAT, None)],
            self.weights,
        )
        return self.helper.make_model(graph, opset_imports=[self.helper.make_opsetid("", 17)], ir_version=9)


def residual_network(blocks: int = 4, channels: int = 32) -> tuple[Any, np.ndarray]:
    b = Builder()
    x = b.node(
        "Relu",
        b.node("Conv", "x", b.weight(channels, 3, 7, 7), b.weight(channels), strides=[2, 2], pads=[3] * 4),
    )
    x = b.node(
        "Relu",
        b.node(
            "Conv", x, b.weight(channels, channels, 3, 3), b.weight(channels), strides=[2, 2], pads=[1] * 4
        ),
    )
    for _ in range(blocks):
        y = b.node(
            "Relu", b.node("Conv", x, b.weight(channels, channels, 3, 3), b.weight(channels), pads=[1] * 4)
        )
        y = b.node("Conv", y, b.weight(channels, channels, 3, 3), b.weight(channels), pads=[1] * 4)
        x = b.node("Relu", b.node("Add", x, y))
    x = b.node("ReduceMean", x, axes=[2, 3], keepdims=0)
    return b.model(
        (2, 3, 96, 96), b.node("Softmax", b.node("MatMul", x, b.weight(channels, 10)), axis=1)
    ), b.rng.random((2, 3, 96, 96), np.float32)


def transformer_encoder(
    layers: int = 3, steps: int = 96, width: int = 192, heads: int = 6
) -> tuple[Any, np.ndarray]:
    b = Builder()
    split, merged = b.constant(np.array([0, 0, heads, width // heads])), b.constant(np.array([0, 0, width]))
    scale = b.constant(np.float32((width // heads) ** -0.5))

    def head(x: str, perm: list[int]) -> str:
        return b.node(
            "Transpose", b.node("Reshape", b.node("MatMul", x, b.weight(width, width)), split), perm=perm
        )

    def norm(x: str) -> str:
        return b.node("LayerNormalization", x, b.weight(width), b.weight(width), axis=-1)

    def gelu(x: str) -> str:
        error = b.node("Erf", b.node("Div", x, b.constant(np.float32(2**0.5))))
        return b.node(
            "Mul",
            b.node("Mul", x, b.node("Add", error, b.constant(np.float32(1)))),
            b.constant(np.float32(0.5)),
        )

    x = "x"
    for _ in range(layers):
        n = norm(x)
        scores = b.node(
            "Softmax",
            b.node("Mul", b.node("MatMul", head(n, [0, 2, 1, 3]), head(n, [0, 2, 3, 1])), scale),
            axis=-1,
        )
        mixed = b.node(
            "Reshape",
            b.node("Transpose", b.node("MatMul", scores, head(n, [0, 2, 1, 3])), perm=[0, 2, 1, 3]),
            merged,
        )
        x = b.node("Add", x, b.node("MatMul", mixed, b.weight(width, width)))
        x = b.node(
            "Add",
            x,
            b.node(
                "MatMul",
                gelu(b.node("MatMul", norm(x), b.weight(width, 4 * width))),
                b.weight(4 * width, width),
            ),
        )
    return b.model((2, steps, width), b.node("Tanh", x)), b.rng.standard_normal((2, steps, width)).astype(
        np.float32
    )


def plugin(path: Path, inputs: list[np.ndarray]) -> tuple[Callable[[], Any], list[np.ndarray]]:
    """A model as OpenVINO runs it, and its results."""
    import openvino as ov

    compiled = ov.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    request.infer(inputs)
    results = [np.array(request.get_output_tensor(k).data) for k in range(len(compiled.outputs))]
    return lambda: request.infer(inputs), results


def made(name: str, build: Callable[[], tuple[Any, np.ndarray]], folder: Path) -> dict[str, float]:
    import openvino as ov
    from onnx.reference import ReferenceEvaluator

    import irops

    onnx_model, x = build()
    path, source = folder / f"{name}.xml", folder / f"{name}.onnx"
    source.write_bytes(onnx_model.SerializeToString())
    ov.serialize(ov.Core().read_model(source), str(path))  # convert_model starts processes that may never end
    session, reference = irops.Session(path), ReferenceEvaluator(onnx_model)
    ours, truth = session.run([x])[0], reference.run(None, {"x": x})[0]
    np.testing.assert_allclose(ours, truth, rtol=1e-3, atol=1e-4)
    return least(
        {
            "irops": lambda: session.run([x]),
            "onnx.reference": lambda: reference.run(None, {"x": x}),
            "openvino CPU": plugin(path, [x])[0],
        }
    )


def of_corpus(folder: Path) -> dict[str, float]:
    import irops

    io = json.loads((folder / "io.json").read_text())
    with np.load(folder / "inputs.npz") as stored:
        given = {
            i["node"]: stored[i["key"]].astype(bool) if i["element_type"] == "boolean" else stored[i["key"]]
            for i in io["inputs"]
        }
    session = irops.Session(folder / "model.xml")
    infer, results = plugin(folder / "model.xml", list(given.values()))
    for ours, truth in zip(session.run(given).values(), results):
        np.testing.assert_allclose(ours, truth, rtol=1e-2, atol=1e-3)
    return least({"irops": lambda: session.run(given), "openvino CPU": infer})


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, help="a folder of cases, unpacked")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    rows: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, build in (
            ("residual convolutions", residual_network),
            ("transformer encoder", transformer_encoder),
        ):
            rows[name] = made(name.replace(" ", "_"), build, Path(folder))
    for name in NETWORKS if args.corpus else ():
        rows[name] = of_corpus(args.corpus / name)
    print(f"{'':24}{'irops':>10}{'onnx.reference':>24}{'openvino CPU':>24}")
    for name, row in rows.items():
        peers = "".join(
            f"{row[p] * 1e3:12.2f} ms {row[p] / row['irops']:7.3f} x" if p in row else " " * 24
            for p in ("onnx.reference", "openvino CPU")
        )
        print(f"{name:24}{row['irops'] * 1e3:7.2f} ms{peers}")
    print("x: how many times as long as irops")
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
