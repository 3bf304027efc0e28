"""irops survey: one table of many models, which is kept whatever ends the command."""

import csv
import json
import shutil
import signal
import time
from pathlib import Path

import commands
import pytest
from endless import write_endless
from libraries import needs

pytestmark = needs("jinja2")


@pytest.fixture
def zoo(tmp_path, reversing, broken, monkeypatch):
    """A folder of three models, in the current folder."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "zoo"
    folder.mkdir()
    shutil.copy(reversing, folder / "a.xml")
    shutil.copy(reversing, folder / "b.xml")
    shutil.copy(broken, folder / "c.xml")
    return folder


def rows_of(report):
    with open(Path(report, "results.csv"), newline="") as file:
        return [(row["model"], row["task"], row["status"]) for row in csv.DictReader(file)]


def test_a_survey_prints_a_table_of_tasks_and_statuses(irops, zoo):
    result = irops("survey", "zoo", "--tasks", "check,infer", "-j", 1)
    assert result.status == 1
    assert result.err == ""
    lines = [line.split() for line in result.out.splitlines()]
    assert lines[0] == ["task", "pass", "fail"]
    assert ["check", "2", "1"] in lines
    assert ["infer", "2", "1"] in lines
    assert ["IR401", "violated-constraint", "1", "1"] in lines
    assert "fail: check of zoo/c.xml: error IR401 " in result.out
    assert result.out.endswith("\n6 cells done; irops-survey\n")
    assert rows_of("irops-survey") == [
        (f"zoo/{name}.xml", task, "fail" if name == "c" else "pass")
        for name in "abc"
        for task in ("check", "infer")
    ]
    files = {path.name for path in Path("irops-survey").iterdir()}
    assert files >= {"survey.json", "rows.jsonl", "results.csv", "results.json", "timings.csv"}


def test_the_summary_is_there_for_programs(irops, zoo):
    (zoo / "pom.xml").write_text("<project/>")
    result = irops("survey", "zoo", "zoo/a.xml", "./zoo/a.xml", "-j", 1, "--output-format", "json", "-o", "r")
    assert result.status == 1
    content = result.json
    assert content["version"] == 1
    assert (content["cells"], content["done"], content["unchanged"]) == (3, 3, 0)
    assert content["tasks"] == {"check": {"pass": 2, "fail": 1}}
    assert content["rules"] == [{"code": "IR401", "models": 1, "findings": 1}]
    assert content["notes"] == ["1 other .xml file in folders left out"]
    assert "1 other .xml file in folders left out" in result.err
    assert "3 cells done; " in irops("survey", "zoo", "-j", 1, "-o", "r", "--again", "pass,fail").out


def test_another_report_decides_on_the_exit_code(irops, zoo):
    irops("survey", "zoo", "-j", 1, "-o", "before")
    result = irops("survey", "zoo", "-j", 1, "-o", "after", "--against", "before")
    assert result.status == 0
    assert "no cell differs from the other report" in result.out
    (zoo / "a.xml").write_text("<net")
    result = irops("survey", "zoo", "-j", 1, "-o", "after", "--against", "before")
    assert result.status == 1
    assert "1 cell worse\n  zoo/a.xml check: pass -> fail\n" in result.out
    assert json.loads(Path("after", "against.json").read_text())["is_worse"] is True


def test_custom_ops_take_part(irops, zoo):
    assert irops("new", "MyOp", "--category", "movement", "--output", "my_ops").status == 0
    words = ("survey", "zoo/a.xml", "-j", 1, "--definitions", "my_ops")
    assert "1 cell done; " in irops(*words).out
    assert "0 cells done, 1 unchanged; " in irops(*words).out
    (definition,) = Path("my_ops").glob("*.xml")
    definition.write_text(definition.read_text() + "\n")
    assert "1 cell done; " in irops(*words).out


@pytest.mark.slow("waits for worker processes")
def test_a_cell_that_takes_too_long_is_a_row(irops, zoo):
    write_endless(zoo / "b.xml")
    result = irops("survey", "zoo", "--tasks", "run", "--seconds", "5", "-j", 1, "-o", "r")
    assert result.status == 1
    assert [status for _, _, status in rows_of("r")][1:] == ["timeout", "fail"]


@pytest.fixture
def long_zoo(zoo):
    """The folder with a model that takes minutes to run, for surveys that are interrupted."""
    write_endless(zoo / "d.xml")
    return zoo


def wait_for_rows(process, report):
    """Return once a survey has kept the results of three cells."""
    rows = Path(report, "rows.jsonl")
    while not rows.exists() or len(rows.read_text().splitlines()) < 4:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


@pytest.mark.slow("waits for worker processes")
def test_ctrl_c_keeps_what_is_done(irops, long_zoo):
    process = commands.started("-m", "irops", "survey", "zoo", "--tasks", "run", "-j", "1", "-o", "r")
    wait_for_rows(process, "r")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert out == ""
    assert "irops survey: interrupted; 3 of 4 cells are done and kept; the same command goes on\n" in err
    assert [model for model, _, _ in rows_of("r")] == ["zoo/a.xml", "zoo/b.xml", "zoo/c.xml"]
    shutil.copy(long_zoo / "a.xml", long_zoo / "d.xml")
    assert "1 cell done, 3 unchanged; r" in irops("survey", "zoo", "--tasks", "run", "-j", 1, "-o", "r").out
