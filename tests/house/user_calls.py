"""Sixty calls of a user, twenty of them wrong: type checkers find these, and no other."""

import numpy as np
import torch

import irops

x = np.zeros((2, 3), np.float32)
model = irops.read("model.xml")
graph = irops.Graph("name", opset=13)
image = graph.parameter("image", "f32[N,3,32,32]")
mask = graph.parameter("mask", np.float32, (2, None))
ids = graph.parameter("ids", torch.int64, "1..8,?")
scale = graph.constant([1.0, 2.0], element_type="FP16")
weights = graph.constant(torch.ones(8, 3, 3, 3), "weights")
pads = {"pads_begin": (1, 1), "pads_end": (1, 1)}
stem = graph.ops.Convolution(
    image, weights, strides=[2, 2], dilations=(1, 1), pads_begin=(1, 1), pads_end=(1, 1)
)
active = graph.ops.Relu(stem + np.float32(1), name="relu_9")
halves = graph.ops.Split(active, 1, num_splits=2)
soft = graph.ops.SoftMax(graph.ops.Reshape(active, [0, -1], special_zero=True), axis=1)
moved = graph.ops.Add(active, torch.ones(1))
cast = graph.ops.Convert(ids, destination_type=torch.float16)
joined = graph.ops.Concat(halves[0], halves[1], axis=1)
result = graph.result(soft, "prob")
node = graph["relu_9"]
pruned: int = graph.prune()
graph.rename(node, "act")
found = graph.find("conv2d", name="block_*")
shapes = [value.shape for value in graph.outputs]
graph.reshape({"image": "N,3,64,64"})
graph.set_attributes(node, max=4)
graph.insert_after(node, "Tanh", name="squashed")
same = graph.replace(node, "Clamp", min=0, max=6)
fed = [value.node for value in node.inputs if value is not None]
graph.remove(node)
facts = irops.infer(model, {"image": (1, 3, 32, 32)})
rank: int | None = facts["relu_9"].shape.rank
second = facts["split", 1].element_type.bits
results = irops.run(model, x)
peak = results["prob"].max() + results[0].min()
turned = irops.call("ReverseSequence", x, [3, 2], batch_axis=0, seq_axis=1)
size: int = len(model) + len(model.inputs) + len(model["relu_9"].outputs)
names = [layer.name for layer in model if layer.name in model]
gradients = irops.vjp(model, {"x": x}, torch.ones(2, 3), wrt="x")["x"]
differences: bool = irops.diff("a.xml", graph).same
wrong = irops.compare(model, {"x": torch.ones(2, 3)}, b="model:b.xml").first
irops.draw(graph, around="relu_9").write("model.svg")

graph.parameter("image", 3.5)  # wrong
graph.parameter(image, "f32[2]")  # wrong
graph.constant([1], element_type=32)  # wrong
graph.ops.Rellu(stem)  # wrong
graph.ops.ReLU(stem, stem)  # wrong
graph.ops.ReLU(stem, inplace=True)  # wrong
graph.ops.Convolution(image, weights)  # wrong
graph.ops.Convolution(image, strides=(1, 1), dilations=(1, 1), pads_begin=(0, 0), pads_end=(0, 0))  # wrong
graph.ops.SoftMax(soft, dim=1)  # wrong
graph.ops.SoftMax(soft, axis="last")  # wrong
graph.ops.Add(active, moved, auto_broadcast="torch")  # wrong
graph.ops.Split(active, 1)  # wrong
graph.ops.TopK(soft, 5, axis=1, mode="largest", sort="value")  # wrong
graph.result("prob")  # wrong
graph.insert_after("relu_9", "Tanh")  # wrong
graph.rename("relu_9", "act")  # wrong
graph.outptus  # wrong  # noqa: B018
facts["relu_9"].shpae  # wrong  # noqa: B018
irops.run(model, x, backend="numba")  # wrong
irops.check(model, target=2023.0)  # wrong
