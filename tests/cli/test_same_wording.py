"""The command line and Python report the same findings in the same words, at places that name the file."""

from pathlib import Path

import numpy as np
import pytest
from tables import table

import irops as package
from irops.backends.onnxruntime import ONNXRuntime
from irops.diagnostics.formats import as_json

RULES = Path(__file__).parents[2] / "irops/diagnostics/rules"
FILES = sorted(RULES.glob("IR*.xml"))


def test_check_reports_the_same_from_python_and_the_command_line(irops):
    result = irops("check", *FILES, "--output-format", "json", "--jobs", "1")
    files = {file["path"]: file["diagnostics"] for file in result.json["files"]}
    for path in FILES:
        assert files[str(path)] == [as_json(d) for d in package.check(path)], path.stem


@pytest.mark.parametrize("path", [path for path in FILES if "IR3" <= path.stem < "IR5"], ids=lambda p: p.stem)
def test_infer_reports_the_same_from_python_and_the_command_line(path, irops):
    result = irops("infer", path, "--output-format", "json")
    if not result.out:  # it cannot be read at all
        with pytest.raises(package.ReadError) as caught:
            package.infer(path)
        assert str(caught.value.diagnostics[0]) in result.err
        return
    found = package.infer(path).diagnostics
    assert result.json["diagnostics"] == [as_json(d) for d in found]
    assert result.status == int(any(str(d.severity) == "error" for d in found))


@pytest.mark.parametrize(
    ("words", "call"),
    [
        (("--fill", "ones", "--source", "abacus"), lambda m: package.run(m, {}, backends="abacus")),
        (("--fill", "ones", "--shape", "typo:1"), lambda m: package.run(m, {"typo": 0})),
        (
            ("--fill", "ones", "--shape", "x:2,3", "--shape", "lengths:3"),
            lambda m: package.run(m, {"x": np.ones((2, 3), np.float32), "lengths": np.ones(3, np.int32)}),
        ),
    ],
)
def test_run_raises_what_the_command_line_prints(words, call, irops, reversing):
    with pytest.raises(package.DiagnosticError) as caught:
        call(reversing)
    err = irops("run", reversing, *words).err
    for diagnostic in caught.value.diagnostics:
        assert str(diagnostic) in err


@pytest.mark.parametrize("words", table(__file__, "messages_about_options_name_a_place"))
def test_messages_about_options_name_a_place(words, irops, reversing, monkeypatch):
    monkeypatch.setattr(ONNXRuntime, "missing", lambda self: "it is not installed")
    result = irops(words[0], reversing, *words[1:])
    assert result.status in (1, 2)
    assert "<model>" not in result.err
    places = (str(reversing), "<backends>: error IR61")
    assert any(line.startswith(places) for line in result.err.splitlines())
