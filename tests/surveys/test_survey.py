"""irops.survey, with processes of this machine."""

import pytest
from libraries import needs

import irops
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
