"""The pytest plug-in as users meet it: a project of their own, and pytest in a process of its own."""

import os
import tomllib
from pathlib import Path

import numpy as np
import pytest
from commands import python_process

import irops
from irops.testing import assert_same, irops_check

ROOT = Path(irops.__file__).parents[1]
EXAMPLE = ROOT / "examples" / "bidirectional_encoder"
BROKEN = ROOT / "examples" / "broken" / "model.xml"


@pytest.fixture
def project(tmp_path):
    """Runs pytest on files given by name and text; returns its exit code and its output."""

    def run(*arguments, **files):
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(text)
        environment = {
            **os.environ,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONPATH": os.pathsep.join((str(ROOT), str(tmp_path))),
            "COLUMNS": "200",
        }
        words = ["-m", "pytest", "-p", "irops.testing.plugin", "-p", "no:cacheprovider", "-rs", *arguments]
        ended = python_process(*words, cwd=tmp_path, env=environment)
        return ended.returncode, ended.stdout + ended.stderr

    return run


def test_the_plugin_is_registered_under_the_entry_point_of_pytest():
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    assert entries["pytest11"] == {"irops": "irops.testing.plugin"}


def test_the_fixtures_are_the_functions(project):
    text = f"""
def test_model(irops_check, assert_same):
    report = irops_check({str(EXAMPLE / "model.xml")!r}, strict=True)
    assert report.ok
    folder = {str(EXAMPLE)!r}
    assert_same(folder + "/model.xml", folder + "/inputs.npz", folder + "/expected.npz")

def test_broken(irops_check):
    irops_check({str(BROKEN)!r})
"""
    code, output = project(test_models=text)
    assert code == 1
    assert "1 failed, 1 passed" in output
    assert "irops finds" in output
    assert "error IR" in output
    assert f"{BROKEN}:" in output
    assert "def irops_check" not in output, "the traceback ends in the test"


def test_a_project_without_irops_tests_is_left_alone(project):
    code, output = project(test_none="import sys\ndef test_none():\n    assert 'numpy' not in sys.modules\n")
    assert (code, "1 passed" in output) == (0, True), output


def test_warnings_fail_only_where_the_check_is_strict(net, tmp_path):
    dead = tmp_path / "dead.xml"
    irops.write(net("x: f32[2]; r: ReLU x; y: Result r; unused: f32[2]; s: Sigmoid unused"), dead)
    report = irops_check(dead)
    assert report.ok
    assert report.warnings
    with pytest.raises(AssertionError, match=r"irops finds \d+ warning"):
        irops_check(dead, strict=True)
    assert not irops_check(dead, strict=True, ignore=[finding.code for finding in report]).warnings


def test_results_that_differ_fail_with_the_verdict_on_each(tmp_path):
    inputs = dict(np.load(EXAMPLE / "inputs.npz"))
    expected = dict(np.load(EXAMPLE / "expected.npz"))
    results = assert_same(EXAMPLE / "model.xml", inputs, expected)
    assert set(results) >= set(expected)
    name = next(iter(expected))
    wrong = {**expected, name: expected[name] + 1}
    with pytest.raises(AssertionError, match=f"(?s){name} wrong: .*elements differ"):
        assert_same(EXAMPLE / "model.xml", inputs, wrong)
    rounded = {**expected, name: np.nextafter(expected[name], np.float32(9))}
    assert_same(EXAMPLE / "model.xml", inputs, rounded)


def test_expecting_nothing_or_what_is_no_result_is_refused():
    inputs = dict(np.load(EXAMPLE / "inputs.npz"))
    with pytest.raises(ValueError, match="nothing to compare"):
        assert_same(EXAMPLE / "model.xml", inputs, {})
    with pytest.raises(KeyError, match="nonsense"):
        assert_same(EXAMPLE / "model.xml", inputs, {"nonsense": np.zeros(1)})
