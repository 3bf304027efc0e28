"""Surveys that go on, that are interrupted, and that cannot be carried out."""

import json
import os
import shutil
from dataclasses import replace
from errno import ENOSPC
from pathlib import Path

import pytest
from here_workers import HereWorkers
from libraries import needs
from stored import assert_stored
from tables import table

import irops
from irops.files.limits import Limits
from irops.surveys.survey import ReportFolder, surveyed
from irops.surveys.tasks import Interrupted, SurveyError, SurveySettings
from irops.work.outcomes import Died, Failed

pytestmark = needs("jinja2")
ROOT = Path(__file__).parents[1]


def statuses(table):
    return {(os.path.basename(row.model), row.task): row.status for row in table}


def test_the_results_of_all_tasks_are_those_that_are_stored(request_of, zoo, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "server" / "documents" / "bodies.xml", "zoo/bodies.xml")
    shutil.copy(ROOT / "drawing" / "pictures" / "odd.xml", "zoo/odd.xml")
    tasks = ("check", "infer", "run", "target")
    surveyed(request_of("zoo", tasks=tasks, targets=("2023.3",)), HereWorkers())
    assert_stored(
        (tmp_path / "report" / "results.json").read_text(), Path(__file__).with_name("results.json")
    )


def test_a_cell_that_is_unchanged_is_not_done_again(request_of, zoo):
    request = request_of()
    surveyed(request, HereWorkers())
    again = HereWorkers()
    table = surveyed(request, again)
    assert again.done == []
    assert (table.done, table.unchanged) == (0, 3)
    os.utime(zoo / "sound.xml")
    assert surveyed(request, again).done == 0
    (zoo / "sound.xml").write_bytes((zoo / "sound.xml").read_bytes() + b"\n")
    table = surveyed(request, again)
    assert again.done == [("sound.xml", "check")]
    assert (table.done, table.unchanged) == (1, 2)


def test_another_task_leaves_the_rows_of_the_first(request_of):
    surveyed(request_of(), HereWorkers())
    again = HereWorkers()
    surveyed(request_of(tasks=("check", "infer")), again)
    assert {task for _, task in again.done} == {"infer"}


def test_options_and_versions_that_change_results_do_all_cells_again(request_of, monkeypatch):
    surveyed(request_of(), HereWorkers())
    others = SurveySettings(Limits(layers=10**5)), SurveySettings(select=("IR4",)), SurveySettings(seed=1)
    for settings in others:
        again = HereWorkers()
        surveyed(request_of(settings=settings), again)
        assert len(again.done) == 3
    again = HereWorkers()
    surveyed(request_of(settings=replace(settings, seconds=1.0, memory=10**9)), again)
    assert again.done == []
    monkeypatch.setattr("irops.surveys.tasks.content", lambda: "other code")
    surveyed(request_of(settings=settings), again)
    assert len(again.done) == 3


def test_how_a_process_ended_is_a_result(request_of):
    died = {
        "sound.xml": Died("used too much memory", "memory"),
        "warned.xml": Died("was killed because it took too long", "seconds"),
        "broken.xml": Died("ended by SIGSEGV"),
    }
    table = surveyed(request_of(), HereWorkers(died))
    assert statuses(table) == {
        ("broken.xml", "check"): "crash",
        ("warned.xml", "check"): "timeout",
        ("sound.xml", "check"): "memory",
    }
    assert table[0].details == {"message": "the process ended by SIGSEGV"}


def test_a_result_at_a_bound_is_a_result_for_that_bound_alone(request_of):
    died = {"sound.xml": Died("x", "memory"), "warned.xml": Died("x", "seconds")}
    settings = SurveySettings(seconds=10, memory=1000)
    surveyed(request_of(settings=settings), HereWorkers(died))
    for other, done in [
        (settings, []),
        (replace(settings, memory=2000), ["sound.xml"]),
        (replace(settings, memory=2000, seconds=20), ["warned.xml"]),
    ]:
        again = HereWorkers(died)
        surveyed(request_of(settings=other), again)
        assert [name for name, _ in again.done] == done


def test_what_another_attempt_may_change_is_done_again(request_of):
    died = {"sound.xml": Died("x", lost=True), "warned.xml": Failed("KeyError: 1")}
    table = surveyed(request_of(), HereWorkers(died))
    assert sorted(row.status for row in table) == ["error", "fail", "lost"]
    again = HereWorkers()
    surveyed(request_of(), again)
    assert sorted(name for name, _ in again.done) == ["sound.xml", "warned.xml"]


def test_statuses_that_are_named_are_done_again(request_of):
    surveyed(request_of(), HereWorkers({"sound.xml": Died("ended by SIGSEGV")}))
    again = HereWorkers()
    table = surveyed(request_of(again=("crash",)), again)
    assert again.done == [("sound.xml", "check")]
    assert statuses(table)["sound.xml", "check"] == "pass"


def test_a_file_that_cannot_be_read_is_an_error_and_done_again(request_of, zoo):
    request = request_of()
    (zoo / "sound.xml").unlink()
    (zoo / "sound.xml").mkdir()
    assert statuses(surveyed(request, HereWorkers()))["sound.xml", "check"] == "error"
    again = HereWorkers()
    surveyed(request, again)
    assert again.done == [("sound.xml", "check")]


def test_an_interrupted_survey_keeps_what_is_done_and_goes_on(request_of, tmp_path):
    whole = surveyed(request_of(tasks=("check", "infer"), output="other"), HereWorkers())
    request = request_of(tasks=("check", "infer"))
    with pytest.raises(Interrupted, match="4 of 6 cells are done and kept"):
        surveyed(request, HereWorkers(stop_after=4))
    assert len((tmp_path / "report" / "results.csv").read_text().splitlines()) == 5
    assert "The survey was interrupted after 4 of 6 cells" in (tmp_path / "report" / "index.html").read_text()
    again = HereWorkers()
    table = surveyed(request, again)
    assert len(again.done) == 2
    assert [row.detail for row in table] == [row.detail for row in whole]
    for name in ("results.csv", "results.json"):
        assert (tmp_path / "report" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()


def test_rows_of_models_that_are_gone_are_not_in_the_table(request_of, zoo, tmp_path):
    surveyed(request_of(), HereWorkers())
    (zoo / "broken.xml").unlink()
    table = surveyed(request_of(), HereWorkers())
    assert len(table) == 2
    assert "broken" not in (tmp_path / "report" / "results.json").read_text()


def test_a_survey_without_an_output_writes_nothing(request_of, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    assert len(surveyed(request_of(output=None), HereWorkers())) == 3
    assert sorted(tmp_path.rglob("*")) == before


def test_a_disk_that_fills_is_reported_and_the_next_survey_goes_on(request_of, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(ENOSPC, os.strerror(ENOSPC), "rows.jsonl")

    request = request_of()
    with pytest.raises(Interrupted):
        surveyed(request, HereWorkers(stop_after=1))
    with monkeypatch.context() as patch:
        patch.setattr("irops.surveys.survey.write_rows", full)
        with pytest.raises(SurveyError, match="the rows that are written are kept, the next survey goes on"):
            surveyed(request, HereWorkers())
    again = HereWorkers()
    surveyed(request, again)
    assert len(again.done) == 2


@pytest.mark.parametrize(
    ("name", "content", "reason"), table(__file__, "a_folder_of_something_else_is_refused")
)
def test_a_folder_of_something_else_is_refused(name, content, reason, request_of, tmp_path):
    path = tmp_path / "report" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)
    with pytest.raises(SurveyError, match=reason):
        surveyed(request_of(), HereWorkers())


def test_a_second_survey_into_the_same_folder_is_refused(request_of, tmp_path):
    pytest.importorskip("fcntl")
    with ReportFolder(tmp_path / "report"), pytest.raises(SurveyError, match="another survey writes to"):
        surveyed(request_of(), HereWorkers())
    assert len(surveyed(request_of(), HereWorkers())) == 3
    (tmp_path / "report/.lock").unlink()
    (tmp_path / "report/.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SurveyError, match="cannot be written"):
        surveyed(request_of(), HereWorkers())


def test_the_manifest_has_no_place_and_no_time(request_of, tmp_path):
    surveyed(request_of(settings=SurveySettings(memory=float("inf"))), HereWorkers())
    manifest = (
        (tmp_path / "report" / "survey.json").read_text().replace(f'"{irops.__version__}"', '"VERSION"')
    )
    assert_stored(manifest, Path(__file__).with_name("manifest.json"))


def test_another_report_shows_what_changed(request_of, zoo, tmp_path):
    surveyed(request_of(output="before"), HereWorkers())
    shutil.copy(zoo / "sound.xml", zoo / "new.xml")
    (zoo / "broken.xml").write_bytes((zoo / "sound.xml").read_bytes())
    (zoo / "sound.xml").write_text("<net")
    (zoo / "inner" / "warned.xml").unlink()
    table = surveyed(request_of(against=tmp_path / "before"), HereWorkers())
    found = table.differences
    kinds = (found.better, found.worse, found.new, found.gone)
    names = [[os.path.basename(change.model) for change in kind] for kind in kinds]
    assert names == [["broken.xml"], ["sound.xml"], ["new.xml"], ["warned.xml"]]
    assert found.is_worse
    written = json.loads((tmp_path / "report" / "against.json").read_text())
    assert written["worse"] == [
        {"model": f"{zoo}/sound.xml", "task": "check", "before": "pass", "after": "fail"}
    ]
    surveyed(request_of(), HereWorkers())
    assert not (tmp_path / "report" / "against.json").exists()


def test_a_report_is_not_compared_with_itself_or_with_nothing(request_of, tmp_path):
    surveyed(request_of(), HereWorkers())
    with pytest.raises(SurveyError, match="is the one that is written"):
        surveyed(request_of(against=tmp_path / "report"), HereWorkers())
    with pytest.raises(SurveyError, match="there is no report"):
        surveyed(request_of(against=tmp_path / "absent"), HereWorkers())
    with pytest.raises(SurveyError, match=r"it has no survey\.json"):
        surveyed(request_of(against=tmp_path / "zoo"), HereWorkers())
