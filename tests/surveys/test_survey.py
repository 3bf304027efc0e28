"""irops.survey, with processes of this machine, and the rows in Parquet files."""

import pytest
from libraries import needs

import irops
from irops.surveys.store import SCHEMA, Row, Store, read_part, write_part
from irops.surveys.tasks import SurveyError

pytestmark = needs("pyarrow")


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


def test_rows_are_read_as_they_were_written(tmp_path):
    store = Store(tmp_path / "results")
    store.add(A)
    store.add(B)
    store.flush()
    assert list(Store(tmp_path / "results").rows.values()) == [A, B]


def test_a_later_row_replaces_an_earlier_one_of_the_cell(tmp_path):
    newer = Row("a.xml", "check", "fail", 0.5, 100, "{}", "k2")
    store = Store(tmp_path)
    for row in (A, newer):
        store.add(row)
        store.flush()
    assert store.rows[A.place] == Store(tmp_path).rows[A.place] == newer


def test_one_file_replaces_all_others(tmp_path):
    store = Store(tmp_path)
    for row in (A, B):
        store.add(row)
        store.flush()
    assert len(list(tmp_path.iterdir())) == 2
    store.compact([B])
    assert [path.name for path in tmp_path.iterdir()] == ["part-000003.parquet"]
    assert list(Store(tmp_path).rows.values()) == [B]
    Store(tmp_path).compact([B])
    assert [path.name for path in tmp_path.iterdir()] == ["part-000003.parquet"]


def test_a_part_left_from_before_a_compaction_changes_nothing(tmp_path):
    write_part([A], tmp_path / "part-000001.parquet")
    newer = Row("a.xml", "check", "fail", 0.5, 100, "{}", "k2")
    write_part([newer, B], tmp_path / "part-000002.parquet")
    assert list(Store(tmp_path).rows.values()) == [newer, B]


def test_the_rows_of_a_damaged_part_are_done_again(tmp_path):
    path = tmp_path / "part-000001.parquet"
    write_part([A], path)
    whole = path.read_bytes()
    write_part([B], tmp_path / "part-000002.parquet")
    for content in (whole[:-20], b"", whole[: len(whole) // 2] + b"?" + whole[len(whole) // 2 + 1 :]):
        path.write_bytes(content)
        with pytest.raises(SurveyError, match=r"part-000001\.parquet is damaged"):
            read_part(path)
        store = Store(tmp_path)
        assert list(store.rows.values()) == [B]
        assert [path.name in note and "part-000001.damaged now" in note for note in store.notes] == [True]
        assert path.with_suffix(".damaged").read_bytes() == content


def test_a_part_of_another_version_or_of_something_else_is_refused(tmp_path):
    import pyarrow
    from pyarrow import parquet

    path = tmp_path / "part-000001.parquet"
    table = pyarrow.table({"a": [1]})
    parquet.write_table(table, path)
    with pytest.raises(SurveyError, match="is not a part of a survey"):
        read_part(path)
    parquet.write_table(table.replace_schema_metadata({"irops.survey": "99"}), path)
    with pytest.raises(SurveyError, match=f"schema version 99, this irops reads version {SCHEMA}"):
        read_part(path)
    parquet.write_table(table.replace_schema_metadata({"irops.survey": str(SCHEMA)}), path)
    with pytest.raises(SurveyError, match=r"is damaged.*its columns are a"):
        read_part(path)


def test_a_missing_library_is_named_with_its_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "irops.surveys.store.missing_libraries", lambda extra, name: f"{name} is missing; {extra} has it"
    )
    with pytest.raises(SurveyError, match="pyarrow is missing; survey has it"):
        Store(tmp_path)
