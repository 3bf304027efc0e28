"""irops conformance: tables for people, JSON, JUnit and Markdown for programs, exit codes for both."""

import os
from xml.etree import ElementTree

import pytest
from installing import install

pytest.importorskip("hypothesis")


BOTH = ("--op", "Reverse-1", "--op", "reversesequence", "--examples", "20", "--quiet")


@pytest.fixture
def somebodys(tmp_path, monkeypatch):
    """A package with a backend that gets Reverse wrong, and does not have ReverseSequence."""
    (tmp_path / "somebody.py").write_text(
        "import irops\n\n\nclass Wrong:\n    name = 'wrong'\n\n    def kernel(self, op):\n        return"
        " self.reverse if op.id == 'Reverse-1' else None\n\n    def reverse(self, data, axes, *, mode):\n    "
        "    if data.dtype == object:\n            raise irops.Declined('no <strings> | please')\n       "
        " return data[::-1] if data.ndim else data\n"
    )
    install(tmp_path, "somebody", "irops.backends", wrong="somebody:Wrong")
    monkeypatch.syspath_prepend(str(tmp_path))


def test_a_conforming_backend_exits_with_0(irops):
    result = irops("conformance", "--source", "reference", *BOTH)
    assert result.status == 0
    lines = result.out.splitlines()
    assert lines[0] == "backend reference"
    head = " ".join(f"{lines[1]} {lines[2]}".split())
    assert head == "counter- op examples examples generated declined failed"
    assert lines[4].split()[0] == "Reverse-1"
    assert lines[5].split()[0] == "ReverseSequence-1"
    assert "0 failures" in lines[6]
    assert all(len(line) <= 80 for line in lines)


def test_a_failing_backend_exits_with_1_and_its_failures(irops, somebodys):
    result = irops("conformance", "--source", "wrong", *BOTH)
    assert result.status == 1
    assert "Reverse-1 declined" in result.out
    assert "no <strings> | please" in result.out
    assert "ReverseSequence-1: no kernel" in result.out
    assert "\n    import irops\n" in result.out
    assert '    ours = irops.call("Reverse-1", data, axes, mode=' in result.out


def test_json_contains_every_outcome(irops, somebodys):
    result = irops(
        "conformance", "--source", "wrong", "--source", "reference", *BOTH, "--output-format", "json"
    )
    assert result.status == 1
    document = result.json
    assert document["version"] == 1
    expected = [("wrong", False), ("reference", True)]
    assert [(found["backend"], found["ok"]) for found in document["backends"]] == expected
    reverse, sequence = document["backends"][0]["ops"]
    expected = ("Reverse-1", "ReverseSequence-1", "no kernel", [])
    assert (reverse["op"], sequence["op"], sequence["note"], sequence["outcomes"]) == expected
    failed = [outcome for outcome in reverse["outcomes"] if outcome["status"] == "failed"]
    assert {outcome["kind"] for outcome in failed} >= {"example", "generated"}
    assert all(outcome["snippet"] and outcome["reason"] and outcome["fault"] for outcome in failed)
    assert {outcome["status"] for outcome in reverse["outcomes"]} == {"passed", "declined", "failed"}


def test_junit_has_a_suite_for_each_op(irops, somebodys):
    result = irops("conformance", "--source", "wrong", *BOTH, "--output-format", "junit")
    suites = ElementTree.fromstring(result.out).findall("testsuite")
    assert [suite.get("name") for suite in suites] == ["wrong.Reverse-1", "wrong.ReverseSequence-1"]
    failures, skipped = suites[0].findall("testcase/failure"), suites[0].findall("testcase/skipped")
    assert int(suites[0].get("failures")) == len(failures) > 0
    assert int(suites[0].get("skipped")) == len(skipped) > 0
    assert int(suites[0].get("tests")) == len(suites[0].findall("testcase"))
    assert "import irops" in failures[0].text
    assert skipped[0].get("message") == "no <strings> | please"


def test_no_files_are_left_in_the_current_folder(irops, tmp_path, monkeypatch):
    monkeypatch.delenv("HYPOTHESIS_STORAGE_DIRECTORY", raising=False)
    monkeypatch.chdir(tmp_path)
    irops("conformance", "--source", "reference", *BOTH)
    assert list(tmp_path.iterdir()) == []
    assert "HYPOTHESIS_STORAGE_DIRECTORY" not in os.environ
