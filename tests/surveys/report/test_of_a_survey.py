"""irops.survey writes the report, with what the survey found out about real models."""

from pathlib import Path

import pytest
from libraries import needs

import irops
from irops.surveys.tasks import SurveyError
from tests.conftest import net_text

pytestmark = needs("jinja2")


def write_model(path, op="ReLU", data=None):
    path.parent.mkdir(exist_ok=True)
    path.write_text(net_text("x: f32[2,3]", ("middle", op, data or {}, ["x"]), "y: Result middle"))


@pytest.fixture
def zoo(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_model(tmp_path / "zoo" / "relu.xml")
    write_model(tmp_path / "zoo" / "elu.xml", "Elu", {"alpha": "one"})
    write_model(tmp_path / "zoo" / "fancy.xml", "Fancy")
    return tmp_path / "zoo"


def survey(**options):
    return irops.survey("zoo", ("check", "infer"), processes=1, **options)


def index_of(folder):
    return (folder / "index.html").read_text()


def test_a_survey_without_jinja2_names_the_extra_before_any_work(zoo, monkeypatch):
    monkeypatch.setattr("irops.surveys.survey.missing_libraries", lambda extra, name: f"{name} of {extra}")
    with pytest.raises(SurveyError, match="jinja2 of survey"):
        survey(output="report")
    assert not Path("report").exists()
    assert len(survey()) == 6


def test_a_survey_without_changes_writes_an_equal_page(zoo, tmp_path):
    survey(output="report")
    before = index_of(tmp_path / "report")
    assert survey(output="report").done == 0
    assert index_of(tmp_path / "report") == before


def test_settings_and_versions_are_on_the_page(zoo, tmp_path):
    survey(output="report", seconds=77)
    section = index_of(tmp_path / "report").partition('<h2 id="settings">')[2].partition("<script")[0]
    assert irops.__version__ in section
    assert "seconds 77" in section
    assert "check, infer" in section
