"""irops convert: to other releases and opsets, and between OpenVINO and ONNX."""

import shutil
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from libraries import needs
from runtimes import Runtimes

import irops as library


@pytest.fixture
def newer(net, tmp_path):
    """A model with an Identity, two SoftMax and an attention."""
    attention = "attention: ScaledDotProductAttention-opset13 i i i causal=false"
    softened = "a: SoftMax-opset8 attention axis=1; b: SoftMax-opset8 a axis=2; y: Result b"
    library.write(net("x: f32[1,4,8]; i: Identity-opset16 x", attention, softened), tmp_path / "newer.xml")
    return tmp_path / "newer.xml"


def test_the_command_prints_what_was_converted_and_what_rounds(irops, newer, tmp_path):
    old = tmp_path / "old.xml"
    result = irops("convert", newer, "--target", "2023.0", "-o", old)
    assert (result.status, result.err) == (0, "")
    first, *changes, note = result.out.splitlines()
    assert first == f"{old}: converted 2 of 6 layers for OpenVINO 2023.0"
    assert changes == [
        "  1 Identity-16 -> removed",
        "  1 ScaledDotProductAttention-13 -> Multiply-1, MatMul-1, SoftMax-8",
    ]
    assert note.startswith("note: ScaledDotProductAttention-13: the weights are divided by their sum")
    assert library.check(old, target="2023.0").ok


def test_a_model_that_the_target_reads_is_written_as_it_is(irops, newer, tmp_path):
    same = tmp_path / "same.xml"
    result = irops("convert", newer, "--target", "2026.4", "-o", same)
    assert result == (0, f"{same}: no layer had to be converted for OpenVINO 2026.4\n", "")
    assert same.read_bytes() == newer.read_bytes()


def test_opsets_upgrades_and_ir_versions(irops, newer, tmp_path):
    seven, new = tmp_path / "seven.xml", tmp_path / "new.xml"
    assert "2 SoftMax-8 -> SoftMax-1" not in irops("convert", newer, "--target", "opset:8", "-o", seven).out
    assert irops("convert", newer, "--target", "opset:7", "-o", seven, "-q") == (0, "", "")
    result = irops("convert", seven, "--target", "newest", "-o", new)
    assert "3 SoftMax-1 -> SoftMax-8" in result.out
    assert irops("convert", seven, "--target", "newest", "--no-upgrade", "-o", new).out.count("\n") == 1
    assert irops("convert", seven, "--target", "2023.0", "--ir-version", "10", "-o", new).status == 0
    assert 'version="10"' in new.read_text()
    ten = irops("convert", seven, "--ir-version", "10", "-o", new)
    assert ten == (0, f"{new}: no layer had to be converted for IR version 10\n", "")
    assert new.read_text() == seven.read_text().replace('version="11"', 'version="10"', 1)
    assert "3 SoftMax-1 -> SoftMax-8" in irops("convert", seven, "--upgrade", "-o", new).out
    with pytest.raises(ValueError, match="nothing to convert to"):
        library.convert(library.read(seven))


def test_layers_without_an_older_form_are_reported_and_no_file_is_written(irops, net, tmp_path):
    model = net("x: f32[2,2]; inverse: Inverse-opset14 x adjoint=false; y: Result inverse")
    library.write(model, tmp_path / "m.xml")
    result = irops("convert", tmp_path / "m.xml", "--target", "2023.0", "-o", tmp_path / "old.xml")
    assert (result.status, result.out) == (1, "")
    assert 'error IR947 layer 1 "inverse" (Inverse) is Inverse of opset14' in result.err
    assert not (tmp_path / "old.xml").exists()


@needs("onnx")
def test_a_model_is_converted_to_onnx_and_back(irops, reversing, tmp_path):
    result = irops("convert", reversing, "--target", "onnx", "-o", tmp_path / "m.onnx")
    expected = (0, f"{tmp_path / 'm.onnx'}: converted 4 layers to 5 ONNX nodes, opset 18\n", "")
    assert (result.status, result.out, result.err) == expected
    assert irops("convert", tmp_path / "m.onnx", "--ir-version", "10", "-o", tmp_path / "m.xml").status == 0
    assert 'version="10"' in (tmp_path / "m.xml").read_text()
    back = irops("convert", tmp_path / "m.onnx", "--target", "openvino", "-o", tmp_path / "m.xml")
    assert (back.status, back.out) == (0, f"{tmp_path / 'm.xml'}: converted 5 layers to 5 OpenVINO layers\n")
    given = {"x": np.arange(6, dtype=np.float32).reshape(2, 3), "lengths": np.array([1, 3], np.int32)}
    want = library.run(reversing, given)["y"].tolist()
    assert [library.run(tmp_path / name, given)["y"].tolist() for name in ("m.onnx", "m.xml")] == [want, want]


@needs("openvino", "onnx")
def test_inputs_get_other_shapes_and_all_shapes_follow(irops, reversing, tmp_path):
    model = tmp_path / "m.xml"
    result = irops("convert", reversing, "--shape", "data:N,5", "--shape", "lengths:2..9", "-o", model)
    shapes = "  input x: f32[?,5]\n  input lengths: i32[2..9]\n"
    assert result == (0, f"{model}: wrote 4 OpenVINO layers\n{shapes}", "")
    with closing(Runtimes()) as runtimes:
        assert runtimes.run("shapes", model, ()) == [["f32[2..9,5]"]]
    onnx = tmp_path / "m.onnx"
    assert irops("convert", model, "-o", onnx).status == 0
    assert irops("convert", onnx, "--shape", "x:4,5", "-o", model).status == 0
    assert irops("convert", onnx, "--shape", "x:4,5", "-o", onnx).status == 2
    assert library.infer(model)["y"].spelled == "f32[4,5]"
    wrong = irops("convert", reversing, "--shape", "x:4", "-o", model)
    assert (wrong.status, f"{reversing}:" in wrong.err) == (1, True)


@needs("onnx")
def test_the_opset_of_onnx_is_used(irops, reversing, tmp_path):
    result = irops("convert", reversing, "--target", "onnx:22", "-o", tmp_path / "m.onnx", "--quiet")
    assert (result.status, result.out, result.err) == (0, "", "")
    assert library.read(tmp_path / "m.onnx").opsets == {"onnx": 22}


@needs("onnx")
def test_unrepresentable_layers_are_reported_and_no_file_is_written(irops, valid_model, tmp_path):
    result = irops("convert", valid_model, "--target", "onnx", "-o", tmp_path / "m.onnx")
    assert (result.status, result.out) == (1, "")
    assert "error IR921 layer" in result.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fault", ["does not exist", "is a pointer of Git LFS"])
def test_a_model_without_its_weights_is_converted_where_no_value_is_needed(irops, tmp_path, fault):
    source = Path(__file__).parents[2] / "examples/digit_classifier/model.xml"
    shutil.copy(source, tmp_path / "m.xml")
    if "pointer" in fault:
        (tmp_path / "m.bin").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    whole = ("extract", "--to", "probabilities")
    for words in (("convert", "--shape", "image:2,1,12,12"), ("convert", "--target", "2024.0"), whole):
        done = irops(words[0], tmp_path / "m.xml", *words[1:], "-o", tmp_path / "o.xml")
        assert done.status == 0
        assert f"m.bin {fault}" in done.err
        assert not (tmp_path / "o.bin").exists()
        shutil.copy(source.with_suffix(".bin"), tmp_path / "o.bin")
        assert irops("run", tmp_path / "o.xml", "--fill", "ones").status == 0
        (tmp_path / "o.bin").unlink()
        (tmp_path / "o.xml").unlink()
    (tmp_path / "o.bin").write_bytes(b"of another model")
    done = irops("convert", tmp_path / "m.xml", "--target", "2024.0", "-o", tmp_path / "o.xml")
    assert (done.status, (tmp_path / "o.xml").exists()) == (2, False)
    assert "o.bin is there" in done.err
    (tmp_path / "o.bin").unlink()
    done = irops("convert", tmp_path / "m.xml", "-o", tmp_path / "o.onnx")
    assert (done.status, sorted(path.name for path in tmp_path.glob("o*"))) == (1, [])
    assert done.err.count(": error IR") == 2  # that it has an error, and which
