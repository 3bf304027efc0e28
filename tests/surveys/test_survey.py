"""irops.survey, with processes of this machine, and the file of its rows."""

import json

import pytest
from libraries import needs

import irops
from irops.files.storage import content_of
from irops.surveys.survey import Row, Rows, read_rows
from irops.surveys.tasks import SurveyError

pytestmark = needs("jinja2")


def test_a_survey_gives_a_table_and_keeps_a_report(zoo, tmp_path):
    done = []
    table = irops.survey(
        zoo, "check", processes=1, output=tmp_path / "report", progress=lambda *step: done.append(step[:2])
    )
    assert [row.status for row in table] == ["fail", "warn", "pass"]
    assert done == [(1, 3), (2, 3), (3, 3)]
    again = irops.survey([str(zoo)], ["check"], processes=1, output=str(tmp_path / "report"))
    assert again.unchanged == 3
    assert list(again) == list(table)


def test_wrong_arguments_are_value_errors(zoo):
    with pytest.raises(SurveyError, match="unknown task 'chek'"):
        irops.survey(zoo, "chek")
    with pytest.raises(ValueError, match="there is no file or folder absent"):
        irops.survey("absent")


A = Row("a.xml", "check", "pass", 0.25, 100, "{}", "k1", "1.0", "")
B = Row("b.xml", "run:reference", "crash", None, None, '{"message":"x"}', "", "1.0", "numpy 2")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "rows.jsonl"


def kept(path, *rows):
    """A store to which rows are added."""
    store = Rows(path)
    with store:
        for row in rows:
            store.add(row)
    return store


def test_rows_are_read_as_they_were_written(path):
    odd = Row("\udcff\n.xml", "check", "pass", None, 3, "{}", "k")
    kept(path, A, B)
    kept(path, odd)
    assert list(Rows(path).rows.values()) == [A, B, odd]
    assert len(path.read_text("ascii").splitlines()) == 4


def test_a_row_is_in_the_file_before_the_store_is_closed(path):
    with Rows(path) as store:
        store.add(A)
        assert read_rows(path) == ([A], 0)


def test_a_later_row_replaces_an_earlier_one_of_the_cell(path):
    newer = Row("a.xml", "check", "fail", 0.5, 100, "{}", "k2")
    store = kept(path, A, newer)
    assert store.rows[A.place] == Rows(path).rows[A.place] == newer


def test_the_rows_of_a_survey_replace_the_file(path):
    kept(path, A, B).compact([B])
    assert read_rows(path) == ([B], 0)


def test_the_rows_of_damaged_lines_are_done_again(path):
    kept(path, A, B)
    whole = path.read_text()
    head, a, b = whole.splitlines()
    details = (
        "[]",
        '{"counts":7}',
        '{"counts":{"IR1":"x"}}',
        '{"findings":[{}]}',
        '{"first":[]}',
        '{"findings":9}',
    )
    odd = [a.replace(json.dumps("{}"), json.dumps(detail)) for detail in details]
    for damaged in (a[:-9], a.replace("pass", "?"), '["a"]', "7", *odd):
        lines = (head, damaged, b)
        path.write_text("\n".join(lines) + "\n")
        store = Rows(path)
        assert list(store.rows.values()) == [B]
        assert store.notes == (f"1 line of {path} cannot be read; the cells are done again",)
    path.write_text(whole[:-9])  # the process was killed while it wrote a line
    store = kept(path, B)
    assert Rows(path).rows == store.rows == {A.place: A, B.place: B}
    assert Rows(path).notes == ()


def test_a_report_has_more_rows_than_other_files_have_bytes(path, monkeypatch):
    monkeypatch.setattr(content_of, "__defaults__", (100,))
    kept(path, A, B)
    assert (len(path.read_bytes()) > 100, read_rows(path)) == (True, ([A, B], 0))
    path.unlink()
    path.mkdir()
    with pytest.raises(SurveyError, match=r"rows.jsonl cannot be read: is a folder"):
        read_rows(path)
