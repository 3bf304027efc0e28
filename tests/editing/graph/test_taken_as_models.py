"""Functions that accept a model accept a Graph, and use the model that it builds at the time of the call."""

import numpy as np
import pytest

import irops

X = np.float32([-1, 0, 2])
USES = {
    "check": lambda m, _: str(irops.check(m, select=["IR"])),
    "infer": lambda m, _: irops.infer(m)["twice"].shape,
    "run": lambda m, _: irops.run(m, X)["y"].tolist(),
    "vjp": lambda m, _: irops.vjp(m, [X], [X])["x"].tolist(),
    "compare": lambda m, _: [layer.verdict for layer in irops.compare(m, [X], "reference", m).layers],
    "why": lambda m, _: str(irops.why(m, "twice", axis=0)),
    "diff": lambda m, _: str(irops.diff(m, m)),
    "extract": lambda m, _: [layer.name for layer in irops.extract(m, outputs=["twice"]).layers],
    "convert": lambda m, _: [layer.type for layer in irops.convert(m, "2023.0").layers],
    "translate": lambda m, _: [layer.type for layer in irops.translate(m, "onnx").layers],
    "reduce": lambda m, _: len(irops.reduce(m, [X], lambda model, inputs: True).model.layers),
    "Graph": lambda m, _: irops.Graph(m).model().layers,
    "write": lambda m, folder: irops.write(m, folder / "m.xml") or (folder / "m.xml").read_text(),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_graph_is_taken_as_its_model(use, tmp_path):
    graph = irops.Graph("small")
    x = graph.parameter("x", "f32", "3")
    graph.result(graph.add("Multiply-1", x, np.float32([2]), name="twice"), "y")
    assert use(graph, tmp_path) == use(graph.model(), tmp_path)
    graph.insert_after(graph["twice"], "Tanh")
    assert use(graph, tmp_path) == use(graph.model(), tmp_path)


@pytest.mark.parametrize("function", [irops.run, irops.infer, irops.check, irops.compare, irops.Session])
@pytest.mark.parametrize("given", [42, None, b"model.xml", irops.Graph().model])
def test_what_is_no_model_is_called_so(function, given):
    with pytest.raises(TypeError, match=f"a model is {type(given).__name__}, must be a path, a URL"):
        function(given)
