"""Custom rules: passed to irops.check, named in settings, or found by the entry point irops.rules."""

import importlib.metadata
import json
import os
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import python_process
from installing import install
from tables import table

import irops
from irops.diagnostics import rules as all_known
from irops.diagnostics.rules import add_rules, all_rules, rule
from irops.spec import extension

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "naming_rules"
MODEL = ROOT / "examples" / "bidirectional_encoder" / "model.xml"


@pytest.fixture(autouse=True)
def no_custom_rules(monkeypatch):
    monkeypatch.setattr(all_known, "_CUSTOM", {})


def every_layer(model, facts):
    for _, layer in model.walk():
        yield layer, f"{layer.name} is a layer"


def made(code="ACME001", name="layer-exists", check=every_layer, severity=irops.Severity.ERROR):
    return irops.Rule(code, name, severity, "a layer exists", "Explained.", check)


NAMED = ("--config", "irops.toml")


def command(*words, cwd, **more):
    return python_process(
        "-m",
        "irops",
        *map(str, words),
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), *more.values()))},
    )


def test_a_rule_finds_layers_with_their_places():
    model = irops.read(ROOT / "irops" / "diagnostics" / "rules" / "IR208.xml")
    report = irops.check(model, rules=[made()], select=["ACME"])
    assert [d.location.layer_name for d in report] == [layer.name for _, layer in model.walk()]
    assert all(d.location.line and d.severity is irops.Severity.ERROR for d in report)
    assert len(irops.check(model, rules=[made()])) == len(report) + len(irops.check(model))
    assert "layer-exists" not in {r.name for r in all_rules()}, (
        "a rule of one call is not added to the process"
    )


def test_a_rule_sees_what_is_inferred_and_layers_in_bodies():
    seen = []

    def look(model, facts):
        for path, layer in model.walk():
            if path:
                yield layer, "in a body"
        seen.append(facts.diagnostics)

    file = next(ROOT.glob("irops/diagnostics/rules/IR221.xml"))
    report = irops.check(file, rules=[made(check=look)], select=["layer-exists"])
    assert seen
    assert report.diagnostics
    assert all(d.location.path for d in report)


def test_a_finding_may_be_about_the_whole_model():
    report = irops.check(MODEL, rules=[made(check=lambda model, facts: [(None, "too good")])])
    assert [d.message for d in report] == ["too good"]
    assert report.diagnostics[0].location.file == str(MODEL)


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda model, facts: 1 / 0, "the check of ACME001 failed: ZeroDivisionError"),
        (lambda model, facts: None, "the check of ACME001 failed: TypeError"),
        (lambda model, facts: ["text"], "the check of ACME001 failed: ValueError"),
        (lambda model, facts: [("x", "y")], "it gave 'x' in place of a layer of the model, or None"),
    ],
)
def test_a_check_that_fails_is_a_finding_at_its_line(check, message):
    report = irops.check(MODEL, rules=[made(check=check), made("ACME002", "other")])
    failed = [d for d in report if d.name == "failed-rule"]
    assert len(failed) == 1
    assert message in failed[0].message
    assert failed[0].location.file == __file__
    assert failed[0].location.line
    assert any(d.code == "ACME002" for d in report), "the other rules are checked"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (made(code="IR999"), "the code 'IR999' must be 2 to 10 capital letters, not IR or OD"),
        (made(code="acme1"), "the code 'acme1'"),
        (made(name="Has Space"), "the name 'Has Space' of ACME001 must be lower-case words"),
        (made(name="dead-layer"), "there is a rule dead-layer already"),
        ("text", "'text' is not an irops.Rule"),
    ],
)
def test_an_invalid_rule_is_refused(wrong, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        add_rules([wrong])


def test_rules_that_are_added_twice_are_one():
    first = made()
    add_rules([first])
    add_rules([first])
    assert rule("ACME001") is rule("layer-exists") is first
    with pytest.raises(ValueError, match="there is a rule ACME001 already"):
        add_rules([made(name="other")])


def test_a_package_registers_rules_by_its_entry_point(monkeypatch):
    module = SimpleNamespace(RULES=(made(),), __file__="acme.py")
    entry = SimpleNamespace(name="acme", value="acme.rules", load=lambda: module)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [entry] * (group == "irops.rules"))
    monkeypatch.setattr(extension, "is_registered", lambda group: True)
    extension.load_installed_rules.cache_clear()
    try:
        assert "ACME001" in {r.code for r in irops.rules()}
        assert {d.code for d in irops.check(MODEL)} == {"ACME001"}
        entry.load = lambda: 1 / 0
        extension.load_installed_rules.cache_clear()
        with pytest.raises(irops.DefinitionError, match=r"OD108 the package acme\.rules"):
            irops.rules()
        entry.load = SimpleNamespace
        with pytest.raises(irops.DefinitionError, match=r"OD112 acme\.rules has no tuple RULES"):
            irops.rules()
    finally:
        extension.load_installed_rules.cache_clear()


@pytest.mark.slow("starts a process")
def test_an_installed_package_is_found_by_its_metadata(tmp_path):
    install(tmp_path, "acme", "irops.rules", acme="acme_rules")
    (tmp_path / "acme_rules.py").write_text((EXAMPLE / "naming.py").read_text())
    assert command("explain", "TEAM", "-q", cwd=tmp_path, path=str(tmp_path)).stdout == "TEAM001\nTEAM002\n"
    done = command("check", MODEL, "--select", "TEAM002", cwd=tmp_path, path=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow("starts processes")
def test_settings_name_the_rules_of_a_team(tmp_path):
    model = tmp_path / "model.xml"
    text = (ROOT / "irops" / "diagnostics" / "rules" / "IR208.xml").read_text()
    model.write_text(text.replace('name="x"', 'name="the input"', 1))
    for file in EXAMPLE.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_text(file.read_text())
    done = command("check", model, *NAMED, "--output-format", "json", cwd=tmp_path)
    found = json.loads(done.stdout)["files"][0]["diagnostics"]
    assert done.returncode == 1
    assert "TEAM001" in {d["code"] for d in found}
    assert "TEAM002" not in {d["code"] for d in found}
    assert command("check", model, *NAMED, "--ignore", "TEAM", "-q", cwd=tmp_path).returncode == 0
    assert "TEAM001 space-in-name (error)" in command("explain", "team001", *NAMED, cwd=tmp_path).stdout
    assert command("explain", "TEAM", "-q", *NAMED, cwd=tmp_path).stdout == "TEAM001\nTEAM002\n"
    words = ("--jobs", "2", *NAMED, "--output-format", "json")
    many = command("check", model, model, MODEL, *words, cwd=tmp_path)
    assert many.stdout.count('"TEAM001"') == 1


@pytest.mark.parametrize(("setting", "message"), table(__file__, "settings_that_name_no_rules"))
def test_settings_that_name_no_rules_are_reported(setting, message, tmp_path):
    (tmp_path / "irops.toml").write_text(setting)
    (tmp_path / "broken.py").write_text("def")
    (tmp_path / "empty.py").write_text("")
    done = command("explain", *NAMED, cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert "internal error" not in done.stderr
