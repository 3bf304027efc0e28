"""Reductions end what uses too much memory or time, and say so."""

import sys

import numpy as np
import pytest
from libraries import needs

import irops
from irops.debugging.reduce import case
from irops.debugging.reduce.reduction import NoFault, reduce
from tests.conftest import model_of

pytestmark = [
    pytest.mark.slow("processes that exceed bounds of memory and time"),
    pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux alone"),
]
BOUND = irops.Limits(process_bytes=192 << 20)
GREEDY = """
import sys
text = open(sys.argv[1]).read()
held = b"x" * (1 << 30) if 'type="Exp"' not in text else b""
sys.exit('type="Elu"' not in text)
"""
"""Fails where there is an Elu; uses a gigabyte where there is no Exp."""


def chain(*ops):
    layers = (f"l{k + 1}: {op} l{k}{' alpha=1.0' * (op == 'Elu')}" for k, op in enumerate(ops))
    return model_of("l0: f32[2,3]", *layers, f"y: Result l{len(ops)}")


def test_candidates_that_use_too_much_memory_are_not_judged(tmp_path):
    script = tmp_path / "greedy.py"
    script.write_text(GREEDY)
    words = [sys.executable, str(script)]
    model = chain("Exp", "Elu", "Abs")
    small = reduce(model, [np.ones((2, 3), np.float32)], command=words, limits=BOUND)
    assert {"Exp", "Elu"} <= {layer.type for layer in small.model.layers}
    assert small.layers == 2
    assert small.unjudged > 0
    assert small.note == "the command uses more than 201,326,592 bytes of memory (process_bytes)"


def test_a_whole_model_that_uses_too_much_memory_is_reported():
    words = [sys.executable, "-c", "held = b'x' * (1 << 30)"]
    with pytest.raises(NoFault, match="the command uses more than 201,326,592 bytes"):
        reduce(chain("Elu"), [np.ones((2, 3), np.float32)], command=words, limits=BOUND)


def test_large_weights_are_not_copied_for_a_command(net, tmp_path, monkeypatch):
    monkeypatch.setattr(case, "LINKED", 16)
    layers = "x: f32[2,8]; e: Exp x; product: MatMul e w; t: Tanh product; y: Result t"
    model = net(layers, w=np.random.default_rng(0).standard_normal((8, 8)).astype(np.float32))
    irops.write(model, tmp_path / "m.xml")
    before = (tmp_path / "m.bin").read_bytes()
    log = tmp_path / "log"
    script = f'readlink "${{0%.xml}}.bin" >> {log}; grep -q \'type="MatMul"\' "$0"'
    words = ["sh", "-c", script]
    small = reduce(tmp_path / "m.xml", [np.ones((2, 8), np.float32)], command=words)
    assert (small.layers, small.of) == (1, 3)
    assert set(log.read_text().split()) == {str(tmp_path / "m.bin")}
    assert (tmp_path / "m.bin").read_bytes() == before
    small.write(tmp_path / "small")
    assert not (tmp_path / "small" / "reduced.bin").is_symlink()


LARGE = irops.Limits(process_bytes=80 << 20)
"""Enough for OpenVINO, but not for the model large()."""


def large():
    """A model whose layer `large` has 200 MB of outputs."""
    layers = "x: f32[1,1024]; e: Exp x; large: Tile e n; m: ReduceMax large axes keep_dims=false; y: Result m"
    model = model_of(layers, n=np.array([50_000, 1]), axes=np.array([0, 1]))
    return model, {"x": np.ones((1, 1024), np.float32)}


@needs("openvino")
def test_a_layer_that_needs_too_much_memory_is_found_by_crashes_alone():
    model, inputs = large()
    small = reduce(model, inputs, crashes="openvino:CPU", limits=LARGE, tries=6)
    assert small.reason == "openvino:CPU oversized"
    found = [layer.type for layer in small.model.layers if layer.type in ("Exp", "Tile", "ReduceMax")]
    assert found == ["Tile"]
    with pytest.raises(NoFault, match=r"openvino:CPU: the process uses more than 83,886,080 bytes of memory"):
        reduce(model, inputs, differs=("reference", "openvino:CPU"), limits=LARGE)


@needs("openvino")
def test_a_runtime_that_uses_too_much_memory_is_a_finding_of_a_comparison():
    found = irops.compare(*large(), b="openvino:CPU", limits=LARGE)
    assert found.first.name == "large"
    expected = "oversized: the process uses more than 83,886,080 bytes of memory (process_bytes)"
    assert found.first.reason == expected
