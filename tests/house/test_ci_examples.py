"""The files for CI systems in examples/ci and the hook for pre-commit do what docs/ci.md says."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
import yaml
from commands import process, python_process

import irops
from irops.cli.main import main

pytestmark = pytest.mark.slow("runs the examples for CI")

ROOT = Path(__file__).resolve().parents[2]
CI = ROOT / "examples" / "ci"
ACTION = yaml.safe_load((CI / "github" / "action.yml").read_text())


@pytest.fixture
def repository(tmp_path):
    """A repository with a sound and a broken model, and irops on the path."""
    for name in ("broken", "turned_rows"):
        shutil.copytree(ROOT / "examples" / name, tmp_path / "models" / name)
    program = tmp_path / "bin" / "irops"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m irops "$@"\n')
    program.chmod(0o755)
    return tmp_path


def run(script, folder, **variables):
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", **variables}
    return process("bash", "-eo", "pipefail", "-c", script, cwd=folder, env=environment)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize(("paths", "status"), [("models", 1), ("models/turned_rows", 0)])
def test_the_step_of_the_github_action_annotates_and_writes_sarif(repository, paths, status):
    (script,) = (step["run"] for step in ACTION["runs"]["steps"] if step.get("id") == "check")
    environment = {"PYTHON": sys.executable, "PYTHONPATH": str(ROOT), "RUNNER_TEMP": str(repository)}
    environment["GITHUB_OUTPUT"] = str(repository / "outputs")
    done = run(script, repository, PATHS=paths, ARGUMENTS="--strict", **environment)
    assert done.returncode == status, done.stderr
    assert (repository / "outputs").read_text() == f"sarif={repository / 'irops.sarif'}\n"
    (reported,) = json.loads((repository / "irops.sarif").read_text())["runs"]
    assert bool(reported["results"]) == bool(status)
    assert ("::error file=models/broken/model.xml,line=22" in done.stdout) == bool(status)


def test_a_check_that_cannot_start_uploads_nothing(repository):
    (script,) = (step["run"] for step in ACTION["runs"]["steps"] if step.get("id") == "check")
    environment = {"PYTHON": sys.executable, "PYTHONPATH": str(ROOT), "RUNNER_TEMP": str(repository)}
    outputs = repository / "outputs"
    environment |= {"PATHS": "models", "ARGUMENTS": "--strit", "GITHUB_OUTPUT": str(outputs)}
    done = run(script, repository, **environment)
    assert done.returncode == 2
    assert not outputs.exists()


def test_the_version_that_is_installed_is_this_one():
    job = yaml.safe_load((CI / "gitlab" / "models.gitlab-ci.yml").read_text())["irops-check"]
    this = f"irops=={irops.__version__}"
    assert (ACTION["inputs"]["version"]["default"], job["variables"]["IROPS"]) == (this, this)
    assert f"rev: v{irops.__version__}\n" in (ROOT / "docs" / "ci.md").read_text()


def test_the_workflow_passes_inputs_that_the_action_has():
    workflow = yaml.safe_load((CI / "github" / "workflow.yml").read_text())
    steps = workflow["jobs"]["check"]["steps"]
    passed = {name for step in steps if "irops" in step["uses"] for name in step.get("with", ())}
    assert passed
    assert passed <= ACTION["inputs"].keys()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_the_job_for_gitlab_writes_a_code_quality_report(repository):
    job = yaml.safe_load((CI / "gitlab" / "models.gitlab-ci.yml").read_text())["irops-check"]
    done = run("\n".join(job["script"]), repository, MODELS="models", IROPS_ARGUMENTS="--strict")
    assert done.returncode == 1, done.stderr
    issues = json.loads((repository / job["artifacts"]["reports"]["codequality"]).read_text())
    assert {issue["location"]["path"] for issue in issues} == {"models/broken/model.xml"}
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert run("\n".join(job["script"]), repository, MODELS="models/turned_rows").returncode == 0


def test_the_hook_runs_a_command_of_irops_on_a_folder(capsys):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    program, *words = hook["entry"].split()
    assert (program, hook["pass_filenames"]) == ("irops", False)
    assert main([*words, str(ROOT / "examples" / "turned_rows")]) == 0
    assert main([*words, str(ROOT / "examples" / "broken")]) == 1
    assert "IR401" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
def test_pre_commit_runs_the_hook_where_a_model_or_its_weights_change(repository):
    """With irops on the path; .ci/pre-commit lets pre-commit install it from this checkout."""
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    local = {"repo": "local", "hooks": [{**hook, "language": "system", "args": ["models"]}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [local]}))
    home = {"PRE_COMMIT_HOME": str(repository / "home"), "HOME": str(repository)}
    check = f"{sys.executable} -m pre_commit run --color never"

    done = run(f"git init -q . && git add models && {check}", repository, **home)
    assert done.returncode == 1, done.stderr
    assert "check OpenVINO IR and ONNX models" in done.stdout
    assert "models/broken/model.xml:22:3: error IR401" in done.stdout

    done = run(f"git rm -rqf models/broken && {check}", repository, **home)
    assert done.returncode == 0, done.stdout
    assert done.stdout.rstrip().endswith("Passed")

    done = run(f"git reset -q && touch notes.txt && git add notes.txt && {check}", repository, **home)
    assert done.returncode == 0, done.stdout
    assert "no files to check" in done.stdout


def test_the_tests_for_pytest_pass_on_the_models_of_the_examples(tmp_path):
    settings = tmp_path / "pytest.ini"
    settings.write_text("[pytest]\n")
    words = ["-m", "pytest", "-q", "-p", "irops.testing.plugin", "-p", "no:cacheprovider", "-c"]
    alone = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = python_process(*words, settings, CI / "pytest" / "test_models.py", env=alone)
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout
