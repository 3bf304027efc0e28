"""Definitions from outside irops: conformance, docs and the pytest plug-in name what is wrong in them."""

import json
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("hypothesis")

import irops
from irops.backends.backend import Reference
from irops.cli.main import main
from irops.conformance.kit import run_conformance
from irops.conformance.verdict import Status
from irops.diagnostics.diagnostic import DefinitionError, DiagnosticError
from irops.dialects.registry import default_registry
from irops.spec.load import undefined_citations
from irops.testing import assert_definitions

EXAMPLE = Path(irops.__file__).parents[1] / "examples" / "my_reverse"
OP = "MyReverse-extension"
FAULTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["fault"]


@pytest.fixture
def ops(tmp_path):
    """Writes the definition of an op and its functions with changes; returns their folder."""

    def written(changes):
        folder = tmp_path / "ops"
        shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("model.xml", "__pycache__"))
        for suffix, old, new in changes:
            file = next(folder.glob(f"*.{suffix}"))
            text = file.read_text()
            assert old in text, old
            file.write_text(text.replace(old, new))
        return str(folder)

    return written


def conformance(folder, op=OP):
    return run_conformance(Reference(), [op], definitions=[folder], examples=5)


@pytest.mark.parametrize("fault", FAULTS, ids=[fault["name"] for fault in FAULTS])
def test_what_is_wrong_is_named_by_conformance_docs_and_the_plugin(fault, ops, tmp_path, capsys):
    folder = ops(fault["changes"])
    report = conformance(folder)
    assert not report.ok
    failures = [f"{outcome.case}: {outcome.verdict.reason}" for _, outcome in report.failures()]
    assert [line for line in failures if fault["says"] in line], failures
    with pytest.raises(DefinitionError) as caught:
        assert_definitions(folder)
    assert [d for d in caught.value.diagnostics if f"{OP}, " in d.message and fault["says"] in d.message]
    words = ["--definitions", folder, "--custom-only", "--format", "markdown"]
    assert main(["docs", "-o", str(tmp_path / "pages"), *words]) == 1
    printed = capsys.readouterr()
    assert "MyReverse-extension.xml: error OD103" in printed.err
    assert fault["says"] in printed.err
    assert not (tmp_path / "pages").exists()


def test_a_definition_that_is_as_it_says_passes(ops, tmp_path, capsys):
    folder = ops([])
    report = conformance(folder)
    assert report.ok, str(report)
    assert report.ops[0].note == ""
    assert [report.ops[0].count(kind, Status.PASSED) for kind in ("example", "counterexample")] == [1, 1]
    assert_definitions(folder)
    with pytest.raises(ValueError, match="no definition in the folders"):
        assert_definitions()
    words = ["--definitions", folder, "--custom-only", "--format", "markdown"]
    assert main(["docs", "-o", str(tmp_path / "pages"), *words]) == 0
    assert capsys.readouterr().err == ""


def test_a_constraint_without_a_counterexample_is_a_warning(ops, tmp_path, capsys):
    folder = ops([["xml", "<example>", '<constraint id="C2">block is small</constraint><example>']])
    untested = f"{OP}:C2 is violated by no counterexample"
    report = conformance(folder)
    assert report.ok, str(report)
    assert report.ops[0].note == untested
    with pytest.warns(UserWarning, match=untested):
        assert_definitions(folder)
    words = ["--definitions", folder, "--custom-only", "--format", "markdown"]
    assert main(["docs", "-o", str(tmp_path / "pages"), *words]) == 0
    assert f"warning OD103 {untested}" in capsys.readouterr().err


def test_texts_that_are_no_citations_are_not_taken_for_some(ops):
    looks_up = "blocks = data if {'C5': 1}['C5'] == 1 and 'C6' != 'C5' else data\n    blocks = data"
    assert conformance(ops([["py", "blocks = data", looks_up]])).ok


def test_tensors_that_cannot_be_read_are_named_with_their_line(ops):
    folder = ops([["xml", "2 1 4 3 6 5", "2 1 4 3 6"]])
    with pytest.raises(DiagnosticError, match=r"extension.xml:20: error OD103 tensor output cannot be read"):
        conformance(folder)


def test_the_command_fails_and_its_program_shows_what_the_example_says(ops, capsys):
    folder = ops([["xml", "2 1 4 3 6 5", "2 1 4 3 5 6"]])
    words = ["--op", OP, "--definitions", folder, "--output-format", "json", "--quiet"]
    assert main(["conformance", "--source", "reference", *words]) == 1
    failed, passed = json.loads(capsys.readouterr().out)["backends"][0]["ops"][0]["outcomes"]
    assert (passed["kind"], passed["status"]) == ("counterexample", "passed")
    assert failed["fault"] == "wrong definition"
    assert "expected = np.array([2, 1, 4, 3, 5, 6], np.int32)" in failed["snippet"]
    with pytest.raises(AssertionError, match=r"array\(\[2, 1, 4, 3, 6, 5\]"):
        exec(failed["snippet"], {})


def test_versions_are_judged_each_by_its_own_definition(ops):
    """Two versions with one function, which cites a constraint that only one of them has."""
    folder = Path(ops([["py", '("MyReverse-extension")', '("MyReverse-extension", "MyReverse-second")']]))
    text = (folder / f"{OP}.xml").read_text().replace('version="extension"', 'version="second"')
    (folder / "MyReverse-second.xml").write_text(text.replace('"C1"', '"C2"'))
    assert conformance(folder).ok
    failures = [outcome.case for _, outcome in conformance(folder, "MyReverse-second").failures()]
    assert failures == ["C1", "counterexample of C2, line 22"]


def test_functions_that_are_shared_may_cite_what_cannot_be_violated():
    op = default_registry().op("onnx:Transpose-1")
    assert op.definition.same_as
    assert undefined_citations(op.definition, op.functions) == []
    assert undefined_citations(replace(op.definition, same_as=None, constraints={}), op.functions)


@pytest.mark.parametrize("text", ["1.5", "x"])
def test_elements_of_another_type_are_named(ops, text):
    with pytest.raises(DefinitionError, match=f"tensor data cannot be read: .*{text}"):
        assert_definitions(ops([["xml", ">1 2 3 4 5 6<", f">1 2 3 4 5 {text}<"]]))
