"""Mistyped commands, options and choices on the command line are suggested."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Irops = Callable[..., Any]


@pytest.mark.parametrize(
    ("words", "suggestion"),
    [
        (("chekc",), "did you mean check?"),
        (("check", "MODEL", "--ouput-format", "json"), "did you mean --output-format?"),
        (("check", "MODEL", "--output-format=jsno"), "did you mean json?"),
        (("check", "MODEL", "--ignore", "dead-lair"), "did you mean dead-layer?"),
        (("check", "MODEL", "--limit", "dpth=3"), "did you mean depth?"),
        (("infer", "MODEL", "--shape", "lenghts:3"), "did you mean 'lengths'?"),
        (("run", "MODEL", "--fill", "zeroes"), "did you mean zeros?"),
        (("run", "MODEL", "--fill", "ones", "--keep", "revresed"), "did you mean 'reversed'?"),
        (("run", "MODEL", "--fill", "ones", "--input", "lenghts=a.npy"), "a.npy does not exist"),
        (("run", "MODEL", "--fill", "ones", "--shape", "lenghts:3"), "did you mean 'lengths'?"),
        (("run", "MODEL", "--fill", "ones", "--backend", "nubma"), "did you mean numba?"),
        (("backends", "--op", "Revers-1"), "did you mean Reverse-1"),
        (("conformance", "--backend", "nunba"), "did you mean numba?"),
        (("conformance", "--backend", "numba", "--op", "ReverseSeqence"), "did you mean ReverseSequence-1"),
        (("explain", "danglin-edge"), "did you mean dangling-edge"),
        (("explain", "ReverseSequense"), "did you mean ReverseSequence-1"),
        (("explain", "onnx:Gathr"), "did you mean onnx:Gather-13"),
        (("explain", "softmx", "--files"), "did you mean SoftMax-8"),
        (("ops", "--category", "activations"), "did you mean activation?"),
        (("ops", "--dialect", "onx"), "did you mean onnx?"),
        (("convert", "MODEL", "--target", "onxx", "-o", "y.onnx"), "did you mean onnx?"),
        (("new", "MyOp", "--category", "movment"), "did you mean movement?"),
        (("help", "insepct"), "did you mean inspect?"),
        (("--verison",), "did you mean --version?"),
        (("check", "MODEL", "--debgu"), "did you mean --debug?"),
        (("check", "MODEL", "--target", "2023.9"), "did you mean 2023.3?"),
        (("check", "MODEL", "--select", "IR2O2"), "did you mean IR202?"),
        (("explain", "IR2O2"), "did you mean IR202?"),
        (("explain", "ir20l"), "did you mean IR201?"),
        (("convert", "MODEL", "--target", "newst", "-o", "y.xml"), "did you mean newest?"),
        (("compare", "MODEL", "--fill", "ones", "--b", "refrence"), "did you mean reference?"),
        (("compare", "MODEL", "--fill", "ones", "--b", "opnvino:CPU"), "did you mean openvino:CPU?"),
        (("compare", "MODEL", "--fill", "ones", "--b", "modl:y.xml"), "did you mean model:y.xml?"),
        (("compare", "MODEL", "--mode", "isolatd"), "did you mean isolated?"),
        (("reduce", "MODEL", "--rule", "IR4O1", "-o", "OUT"), "did you mean IR401?"),
        (("reduce", "MODEL", "--crashes", "nunba", "--fill", "ones", "-o", "OUT"), "did you mean numba?"),
        (("diff", "MODEL", "MODEL", "--ignore", "wieghts"), "did you mean 'weights'?"),
        (("docs", "--output", "OUT", "--format", "htlm"), "did you mean html?"),
        (("why", "MODEL", "revresed"), "did you mean 'reversed'?"),
        (("ops", "--attribute", "keep_dimz"), "did you mean keep_dims?"),
        (("inspect", "MODEL", "--weights", "--sort", "byts"), "did you mean bytes?"),
        (("server", "--tpc", "localhost:1"), "did you mean --tcp?"),
    ],
)
def test_a_mistyped_word_is_wrong_usage_with_a_suggestion(
    words: tuple[str, ...], suggestion: str, irops: Irops, reversing: Path
) -> None:
    result = irops(*(reversing if word == "MODEL" else word for word in words))
    assert (result.status, result.out) == (2, "")
    assert suggestion in result.err
    assert result.err.count("did you mean") <= 1


@pytest.mark.parametrize("words", [("draw", "--around", "-o", "y.svg"), ("extract", "--to", "-o", "y.xml")])
def test_a_mistyped_part_of_a_model_is_a_finding_with_a_suggestion(
    words: tuple[str, ...], irops: Irops, reversing: Path
) -> None:
    command, option, *output = words
    result = irops(command, reversing, option, "revresed", *output)
    assert (result.status, result.out) == (1, "")
    assert "did you mean 'reversed'?" in result.err


def test_a_module_run_by_python_gives_the_same_suggestions() -> None:
    command = [sys.executable, "-m", "irops", "explane", "IR202"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("irops explane: unknown command 'explane'; did you mean explain?")


def test_a_model_in_the_place_of_a_command_is_one_to_check(irops: Irops, reversing: Path) -> None:
    result = irops(reversing)
    assert result.status == 2
    assert f"irops check {reversing} checks this model" in result.err


def test_a_file_with_a_similar_name_is_suggested(irops: Irops, reversing: Path, tmp_path: Path) -> None:
    result = irops("check", tmp_path / "revresing.xml")
    assert result.status == 2
    assert f"note: did you mean {reversing}?" in result.out
    (tmp_path / "inputs.npz").write_bytes(b"")
    result = irops("run", reversing, "--load-inputs", tmp_path / "input.npz")
    assert result.status == 2
    assert f"did you mean {tmp_path / 'inputs.npz'}?" in result.err


def test_help_describes_a_command(irops: Irops) -> None:
    assert irops("help", "check") == irops("check", "--help")
    assert irops("help").out == irops("--help").out
