"""A whole network, that of examples/train_encoder, from Graiphic's toolkit to both dialects, and from each to
the other.
"""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

import irops
from irops.editing.graiphic import export

pytestmark = pytest.mark.slow("real runtimes")

FILE = Path(__file__).parents[2] / "examples" / "train_encoder" / "network.py"
GIVEN = [np.array([[1, 0, 1, 1], [0, 1, 2, 2], [1, 1, 1, 2]]), np.array([4, 2, 3])]


@pytest.fixture(scope="module")
def encoder():
    spec = spec_from_file_location("network", FILE)
    network = module_from_spec(spec)
    spec.loader.exec_module(network)
    return network.encoder(network.first_weights(1), 4, 0.5)


def test_a_bidirectional_encoder_runs_everywhere_as_on_irops(encoder, runtimes, tmp_path):
    want = irops.run(encoder, GIVEN)["logits"]
    for name, other, to in (("g.onnx", "o.xml", "openvino"), ("g.xml", "o.onnx", "onnx")):
        export(encoder, tmp_path / name)
        irops.write(irops.translate(irops.read(tmp_path / name), to), tmp_path / other)
    for name in ("g.onnx", "g.xml", "o.onnx", "o.xml"):
        assert irops.check(tmp_path / name).diagnostics == ()
        np.testing.assert_array_equal(
            irops.run(tmp_path / name, GIVEN, backends=("reference",))["logits"], want
        )
        for runtime in ("openvino", "onnxruntime") if name.endswith(".onnx") else ("openvino",):
            np.testing.assert_allclose(
                runtimes.run(runtime, tmp_path / name, GIVEN)[0],
                want,
                rtol=1e-5,
                atol=1e-6,
                err_msg=f"{runtime}, {name}",
            )


def test_what_of_it_trains_finds_its_way_through_a_file_of_onnx(encoder, tmp_path):
    from irops.editing.graiphic import of_onnx

    export(encoder, tmp_path / "g.onnx")
    dy = {"logits": np.ones((3, 4, 2), np.float32)}
    weights = ["forward_W", "backward_W", "embeddings"]
    mine, theirs = (
        irops.vjp(model, dict(zip(("bits", "lengths"), GIVEN)), dy, wrt=weights)
        for model in (encoder, of_onnx(irops.read(tmp_path / "g.onnx")))
    )
    for name in weights:
        np.testing.assert_array_equal(mine[name], theirs[name])
