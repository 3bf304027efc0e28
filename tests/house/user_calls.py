"""Calls as users write them: test_user_calls.py runs each line, and mypy reads it. A line that ends with "# wrong" must be an
error to both; every other one must work and pass.
"""

# ruff: noqa
from pathlib import Path

import ml_dtypes
import numpy as np
import torch

import irops

FOLDER = Path("examples")
image = np.ones((2, 1, 12, 12), np.float32)
kernel = np.ones((4, 1, 3, 3), np.float32)

g = irops.Graph("net", opset=13)
a = g.parameter("a", "f32[N,1,12,12]")
b = g.parameter("b", "float32", (2, 3))
c = g.parameter("c", "FP32", "2,3")
d = g.parameter("d", np.float32, (2, 3))
e = g.parameter("e", np.dtype("int64"), (2,))
f = g.parameter("f", ml_dtypes.bfloat16, (2, 3))
h = g.parameter("h", torch.float32, (2, 3))
i = g.parameter("i", irops.f16, [2, 3])
g.parameter("j", 32, (2, 3))  # wrong
g.parameter("k", None, (2, 3))  # wrong
g.parameter("l", "f32", 2.5)  # wrong
g.constant([1, 2], "two", element_type=np.int32)
g.constant([1, 2], element_type="int32")
g.constant([1, 2], element_type=irops.u8)
g.constant([1, 2], elementtype="int32")  # wrong
conv = g.ops.Convolution(a, kernel, strides=[1, 1], dilations=[1, 1], pads_begin=[1, 1], pads_end=[1, 1])
g.ops.Convolution(a, kernel)  # wrong
g.ops.Convolution(a, kernel, stride=[1, 1])  # wrong
relu = g.ops.Relu(conv, name="relu_1")
g.ops.ReLU(relu)
g.ops.Rleu(relu)  # wrong
g.ops.Softmax(relu, axis=1)
g.ops.SoftMax(relu, axis="one")  # wrong
g.ops.Add(b, torch.ones(2, 3))
g.ops.Convert(b, destination_type=np.float16)
g.ops.Convert(b, destination_type="FP16")
g.ops.Convert(b, destination_type=16)  # wrong
g.ops.Concat(b, c, axis=0)
g.ops.Clamp(b, min=0, max=6)
g.ops.Clamp(b, low=0, high=6)  # wrong
values, indices = g.ops.TopK(b, 2, axis=1, mode="max", sort="value")
g.ops.TopK(b, 2, axis=1, mode="most", sort="value")  # wrong
g.add("Tanh", b)
g.add("hard_sigmoid", b, 0.2, 0.5)
g.result(relu, "out")
g.result("relu_1", "out2")  # wrong
assert [node.name for node in g.find("Relu")] == ["relu_1", "ReLU_0"]
assert g.find("relu", name="relu_*") == (g["relu_1"],)
assert len(g.nodes) == len(g) and g.inputs[0] is a and g.outputs == g.results
g.find(type=3)  # wrong
g.replace(g["relu_1"], "Elu", alpha=1.0)
g.replace("relu_1", "Elu", alpha=1.0)  # wrong
built = irops.Graph("net2")
built.result(built.ops.Relu(built.parameter("x", np.float32, (2, 3))), "y")
built.outputs.append(b)  # wrong
model = irops.read(FOLDER / "digit_classifier" / "model.xml")
irops.read(7.5)  # wrong
assert model["softmax"].type == "SoftMax" and len(model) == 18 and "softmax" in model
assert model.inputs[0].name == "image" and model.results[0].name == "probabilities"
model.outputs  # wrong
facts = irops.infer(model, inputs={"image": "1..8,1,12,12"})
assert str(facts["Reshape_5630"]) == str(facts["Reshape_5630", 0]) == "f32[1..8,144]"
assert facts["probabilities"].shape.rank == 2
facts["softmax"].dtypes  # wrong
results = irops.run(model, image)
assert list(results) == ["probabilities"] and results[0] is results["probabilities"]
irops.run(model, {"image": torch.from_numpy(image)})[0]
irops.run(model, [image], keep="all")
irops.run(model, image, backend="reference")  # wrong
y = irops.call("Relu", image)
y = irops.call("reverse_sequence", np.ones((2, 3)), np.array([1, 2]))
irops.call(image, "Relu")  # wrong
irops.tagged(np.zeros(3, np.uint8), "nf4")
irops.tagged(np.zeros(3, np.uint8))  # wrong
irops.Graph(FOLDER / "digit_classifier" / "model.xml").find("MaxPool-14")
report = irops.check(model)
assert report.ok and report.errors == ()
report.error  # wrong
irops.definition("ReverseSequence").id.upper()
irops.definition("ReverseSequence").ident  # wrong
