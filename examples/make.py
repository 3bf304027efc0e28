"""Makes the example models with OpenVINO's own Python API: python examples/make.py. The files it writes are
kept in the repository.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino as ov
from openvino import opset13 as op, opset14 as op14
from openvino.op import Parameter
from openvino.utils.node_factory import NodeFactory

HERE = Path(__file__).resolve().parent
WORDS = ("bidirectional", "reverse", "sequence", "a")
LETTERS = "_abcdefghijklmnopqrstuvwxyz"  # 0 is padding
EMBEDDED, HIDDEN = 6, 4


def constant(array: np.ndarray, name: str) -> ov.Node:
    node = op.constant(array)
    node.set_friendly_name(name)
    return node


def named(node: ov.Node, name: str) -> ov.Node:
    node.set_friendly_name(name)
    return node


def parameter(shape: str, kind: ov.Type, name: str) -> ov.Node:
    node = Parameter(kind, ov.PartialShape(shape))
    node.set_friendly_name(name)
    node.output(0).tensor.set_names({name})
    return node


def save(
    name: str,
    results: list[ov.Node],
    parameters: list[ov.Node],
    inputs: dict[str, np.ndarray],
    sinks: tuple[ov.Node, ...] = (),
) -> None:
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    model = ov.Model(results, list(sinks), parameters, name) if sinks else ov.Model(results, parameters, name)
    ov.serialize(model, str(folder / "model.xml"), str(folder / "model.bin"))
    np.savez(folder / "inputs.npz", **inputs)
    model.reshape(
        {key: array.shape for key, array in inputs.items()}
    )  # with shapes unknown, the plug-in ignores sequence_lengths
    compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    outputs = compiled.create_infer_request().infer(inputs)
    np.savez(folder / "expected.npz", **{port.get_any_name(): array for port, array in outputs.items()})


def result(node: ov.Output, name: str) -> ov.Node:
    node.get_tensor().set_names({name})
    return named(op.result(node), name)


def bidirectional_encoder() -> None:
    """Words, letter by letter, read by one LSTM forwards and by another backwards; ReverseSequence turns each
    word around in place.
    """
    rng = np.random.default_rng(1)

    def weights(*shape: int, name: str) -> ov.Node:
        return constant(rng.normal(0, 0.4, shape).astype(np.float32), name)

    letters, lengths = parameter("?,?", ov.Type.i64, "letters"), parameter("?", ov.Type.i64, "lengths")
    embedded = named(
        op.gather(weights(len(LETTERS), EMBEDDED, name="embeddings"), letters, op.constant(0)), "embedded"
    )
    batch = op.gather(op.shape_of(letters), op.constant([0]), op.constant(0))
    state = named(
        op.broadcast(op.constant(np.float32(0)), op.concat([batch, op.constant([1, HIDDEN])], 0)),
        "initial_state",
    )

    def encoder(data: ov.Node, name: str) -> ov.Output:
        lstm = op.lstm_sequence(
            data,
            state,
            state,
            lengths,
            weights(1, 4 * HIDDEN, EMBEDDED, name=f"{name}_W"),
            weights(1, 4 * HIDDEN, HIDDEN, name=f"{name}_R"),
            weights(1, 4 * HIDDEN, name=f"{name}_B"),
            HIDDEN,
            "FORWARD",
        )
        return op.squeeze(named(lstm, name).output(0), op.constant([1])).output(0)

    turned = named(op.reverse_sequence(embedded, lengths, 0, 1), "turn_around")
    back = named(op.reverse_sequence(encoder(turned, "backward_lstm"), lengths, 0, 1), "turn_back")
    encoded = op.concat([encoder(embedded, "forward_lstm"), back.output(0)], 2)
    array = np.zeros((len(WORDS), max(map(len, WORDS))), np.int64)
    for row, word in zip(array, WORDS):
        row[: len(word)] = [LETTERS.index(c) for c in word]
    save(
        "bidirectional_encoder",
        [result(named(encoded, "both_directions").output(0), "encoded")],
        [letters, lengths],
        {"letters": array, "lengths": np.array([len(w) for w in WORDS])},
    )


def digit_classifier() -> None:
    """A small convolutional network with a dynamic batch: the Reshape between its halves gets the batch from
    ShapeOf.
    """
    rng = np.random.default_rng(2)

    def weights(*shape: int, name: str) -> ov.Node:
        return constant(rng.normal(0, 0.3, shape).astype(np.float32), name)

    image = parameter("?,1,12,12", ov.Type.f32, "image")
    conv = op.convolution(image, weights(4, 1, 3, 3, name="filters"), [1, 1], [1, 1], [1, 1], [1, 1])
    active = op.relu(op.add(conv, weights(1, 4, 1, 1, name="bias")))
    pooled = op14.max_pool(active, [2, 2], [1, 1], [0, 0], [0, 0], [2, 2]).output(0)
    batch = op.gather(op.shape_of(image), op.constant([0]), op.constant(0))
    flat = op.reshape(pooled, op.concat([batch, op.constant([4 * 6 * 6])], 0), False)
    scores = op.matmul(flat, weights(4 * 6 * 6, 10, name="weights"), False, False)
    save(
        "digit_classifier",
        [result(named(op.softmax(scores, 1), "softmax").output(0), "probabilities")],
        [image],
        {"image": rng.random((3, 1, 12, 12), dtype=np.float32)},
    )


def turned_rows() -> None:
    """Reverse and ReverseSequence on axes that ONNX attributes cannot express, so that a conversion has to do
    something about.
    """
    x, lengths = parameter("?,8,5", ov.Type.f32, "x"), parameter("?", ov.Type.i32, "lengths")
    turned = named(op.reverse_sequence(x, lengths, 0, -1), "turned")
    axes = constant(np.array([1]), "axes")
    upside_down = named(
        NodeFactory("opset1").create("Reverse", [turned.output(0), axes.output(0)], {"mode": "index"}),
        "upside_down",
    )
    array = np.arange(2 * 8 * 5, dtype=np.float32).reshape(2, 8, 5)
    save(
        "turned_rows",
        [result(upside_down.output(0), "y")],
        [x, lengths],
        {"x": array, "lengths": np.array([5, 3], np.int32)},
    )


def running_total() -> None:
    """A model with a variable: each run adds its input to what came before."""
    x = parameter("3", ov.Type.f32, "x")
    zeros = constant(np.zeros(3, np.float32), "zeros")
    total = named(op.read_value(zeros, "total", ov.Type.f32, ov.PartialShape("3")), "total_so_far")
    added = named(op.add(total, x), "total")
    save(
        "running_total",
        [result(added.output(0), "sum")],
        [x],
        {"x": np.array([1, 2, 3], np.float32)},
        (op.assign(added, "total"),),
    )


if __name__ == "__main__":
    bidirectional_encoder()
    digit_classifier()
    turned_rows()
    running_total()
