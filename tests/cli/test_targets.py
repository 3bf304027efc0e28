"""No command writes over what it reads, over another kind of file, or over files that nobody named."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irops.ir.targets import MODEL, REPORT, TargetRefused, command_targets, local_target

Irops = Callable[..., Any]
EXAMPLE = Path(__file__).parents[2] / "examples" / "digit_classifier"
FILL = ("--fill", "ones")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with two models, inputs, a baseline, and links to some of them."""
    for name, source in (("m.xml", "model.xml"), ("m.bin", "model.bin"), ("in.npz", "inputs.npz")):
        shutil.copy(EXAMPLE / source, tmp_path / name)
    for name in ("xml", "bin"):
        shutil.copy(EXAMPLE / f"model.{name}", tmp_path / f"other.{name}")
    os.link(tmp_path / "m.bin", tmp_path / "hard.npz")
    (tmp_path / "soft.html").symlink_to("m.xml")
    (tmp_path / "dangling.html").symlink_to("nowhere.html")
    (tmp_path / "baseline.json").write_text('{"version": 1, "findings": {}}')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


REFUSED = {
    "results over the weights that are read": ("run", "m.xml", *FILL, "--save-outputs", "m.bin"),
    "results over a hard link to the weights": ("run", "m.xml", *FILL, "--save-outputs", "hard.npz"),
    "results over the inputs": ("run", "m.xml", "--load-inputs", "in.npz", "--save-outputs", "in.npz"),
    "results over another model": ("run", "m.xml", *FILL, "--save-outputs", "other.xml"),
    "results over other weights": ("run", "m.xml", *FILL, "--save-outputs", "other.bin"),
    "a profile over the model": ("run", "m.xml", *FILL, "--profile", "m.xml"),
    "a difference over a model": ("diff", "m.xml", "other.xml", "--output", "m.xml"),
    "a page over a link to a model": (
        *("diff", "m.xml", "other.xml", "--output-format", "html", "--output", "soft.html"),
    ),
    "a page over a dangling link": ("diff", "m.xml", "other.xml", "--output", "dangling.html"),
    "a comparison over the model": (
        *("compare", "m.xml", "--b", "reference", *FILL, "--output", "m.xml"),
        *("--output-format", "junit"),
    ),
    "a report over arrays": ("compare", "m.xml", "--b", "reference", *FILL, "--output", "in.npz"),
    "a baseline over the model": ("check", "m.xml", "--write-baseline", "m.xml"),
    "a baseline over another file": ("check", "m.xml", "--write-baseline", "package.json"),
    "a baseline over the weights": ("check", "m.xml", "--write-baseline", "m.bin"),
    "a picture over a link to the model": ("draw", "m.xml", "-o", "soft.html"),
    "a converted model over its source": ("convert", "m.xml", "--target", "2025.0", "-o", "m.xml"),
    "a part over its source": ("extract", "m.xml", "--around", "probabilities", "--hops", "1", "-o", "m.xml"),
    "weights that nobody named": ("convert", "m.xml", "--target", "2025.0", "-o", "firmware.xml"),
    "files in a folder of the user's": ("reduce", "m.xml", "--rule", "IR401", "-o", "."),
    "values in a folder of the user's": (
        *("compare", "m.xml", "--b", "reference", *FILL, "--save-values", "."),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_target_that_users_do_not_expect_is_refused_and_no_file_changes(
    irops: Irops, folder: Path, case: str
) -> None:
    (folder / "firmware.bin").write_bytes(b"not weights")
    (folder / "package.json").write_text('{"version": "1.0"}')
    (folder / "inputs.npz").write_bytes(b"mine")
    before = contents(folder)
    result = irops(*REFUSED[case])
    assert result.status == 2, result.err
    assert "Traceback" not in result.err
    assert "internal error" not in result.err
    assert result.err.strip()
    assert contents(folder) == before


def test_weights_that_nobody_named_are_replaced_if_the_user_says_so(irops: Irops, folder: Path) -> None:
    (folder / "firmware.bin").write_bytes(b"not weights")
    result = irops("convert", "m.xml", "--target", "2025.0", "-o", "firmware.xml", "--overwrite")
    assert result.status == 0, result.err
    assert irops("check", "firmware.xml").status == 0


ACCEPTED = {
    "results over earlier ones": ("run", "m.xml", *FILL, "--save-outputs", "out.npz"),
    "a report over an earlier one": ("compare", "m.xml", "--b", "reference", *FILL, "--output", "report.txt"),
    "a JUnit report": (
        *("compare", "m.xml", "--b", "reference", *FILL, "--output-format", "junit"),
        *("--output", "junit.xml"),
    ),
    "a baseline over an earlier one": ("check", "m.xml", "--write-baseline", "baseline.json"),
    "a converted model over an earlier one": ("convert", "m.xml", "--target", "2025.0", "-o", "other.xml"),
    "fixes": ("check", "m.xml", "--fix"),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_users_expect_is_written_twice(irops: Irops, folder: Path, case: str) -> None:
    for _ in range(2):
        result = irops(*ACCEPTED[case])
        assert result.status == 0, result.err


def test_files_are_noted_while_a_command_runs_and_no_longer(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_text("read")
    with command_targets():
        from irops.ir.regular import open_regular

        open_regular(str(path)).close()
        with pytest.raises(TargetRefused, match="is read by this command"):
            local_target(path, REPORT)
        assert local_target(path, REPORT, may_replace=[path]) == path.resolve()
    assert local_target(path, REPORT) == path.resolve()
    assert local_target(tmp_path / "m.xml", MODEL) == tmp_path.resolve() / "m.xml"


def test_a_model_may_be_written_over_the_file_it_was_read_from(folder: Path) -> None:
    import irops

    before = contents(folder)
    irops.write(irops.read("m.xml"), "m.xml")
    assert irops.diff(irops.read("m.xml"), irops.read("other.xml")).same
    assert set(contents(folder)) == set(before)
    np.testing.assert_equal(irops.check("m.xml").ok, True)


@pytest.mark.parametrize("special", ["/dev/zero", "."])
def test_a_baseline_that_is_no_file_is_refused(irops: Irops, folder: Path, special: str) -> None:
    result = irops("check", "m.xml", "--baseline", special)
    assert result.status == 2
    assert "it must be a file" in result.err


@pytest.mark.parametrize("command", ["extract", "convert"])
def test_a_model_is_not_written_to_a_path_of_weights(command: str, irops: Irops, folder: Path) -> None:
    before = contents(folder)
    options = {"extract": ("--to", "probabilities"), "convert": ("--target", "2023.0")}[command]
    result = irops(command, "m.xml", *options, "--output", "new.bin")
    assert (result.status, "internal" in result.err, contents(folder)) == (2, False, before)
    assert "must end with .xml" in result.err


def test_names_that_no_xml_file_can_have_are_named(irops: Irops, tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    x, y = (helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"], name="r")], "a\x1b[31m", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    translated = irops("translate", path, "--to", "openvino", "--output", tmp_path / "m.xml")
    assert (translated.status, list(tmp_path.iterdir())) == (2, [path])
    assert "the text 'a\\x1b[31m' has a character that XML does not allow" in translated.err
    pytest.importorskip("onnxruntime")
    options = ("--differs", "reference,onnxruntime", "--fill", "random", "--output", tmp_path / "reduced")
    reduced = irops("reduce", path, *options)
    assert (reduced.status, "internal" in reduced.err) == (1, False)
    assert "give the same results" in reduced.err
