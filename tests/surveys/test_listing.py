"""Which models some paths name."""

import os
from pathlib import Path

import pytest

from irops.surveys.listing import listing
from irops.surveys.tasks import SurveyError


def names(*paths):
    return [model.name for model in listing(paths).models]


def test_a_folder_names_all_models_in_it_and_below(zoo):
    assert names(zoo) == [f"{zoo}/{name}" for name in ("broken.xml", "inner/warned.xml", "sound.xml")]


def test_other_xml_files_are_left_out_and_counted(zoo):
    (zoo / "pom.xml").write_text("<project/>")
    (zoo / "notes.txt").write_text("")
    found = listing([zoo])
    assert len(found.models) == 3
    assert found.notes == ("1 other .xml file in folders left out",)


def test_a_pattern_names_models_alone(zoo):
    (zoo / "sound.bin").write_bytes(b"")
    assert names(f"{zoo}/s*") == [f"{zoo}/sound.xml"]
    assert names(f"{zoo}/**/*.xml") == names(zoo)
    assert names(f"{zoo}/i*") == [f"{zoo}/inner/warned.xml"]


def test_a_list_names_one_path_on_each_line(zoo, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("list.txt").write_text("# last night's\nzoo/sound.xml\n\nzoo/inner\n")
    assert names("@list.txt") == ["zoo/inner/warned.xml", "zoo/sound.xml"]


def test_a_relative_path_stays_relative(zoo, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert names("zoo/sound.xml") == ["zoo/sound.xml"]


def test_a_model_that_is_named_twice_counts_once(zoo, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = listing(["zoo/sound.xml", f"{zoo}/sound.xml", "./zoo/inner/../sound.xml", "zoo/sound.xml"])
    assert [model.name for model in found.models] == ["zoo/sound.xml"]
    assert found.notes == (
        f"{zoo}/sound.xml is zoo/sound.xml, and counts once",
        "./zoo/inner/../sound.xml is zoo/sound.xml, and counts once",
    )


def test_a_link_is_a_model_of_its_own_with_weights_beside_it(zoo):
    (zoo / "link.xml").symlink_to("sound.xml")
    assert len(names(zoo)) == 4


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("absent.xml", "there is no file or folder absent.xml"),
        ("absent/*.xml", r"no model matches absent/\*.xml"),
        ("empty", "the folder empty contains no models"),
        ("@absent.txt", "the list of models absent.txt cannot be read: No such file or directory"),
    ],
)
def test_a_path_that_matches_nothing_is_refused(path, reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    with pytest.raises(SurveyError, match=reason):
        listing([path])


def test_no_paths_are_refused():
    with pytest.raises(SurveyError, match="no models"):
        listing([])


def test_a_name_that_is_no_text_is_escaped(zoo):
    name = os.fsdecode(b"\xff.xml")
    (zoo / "sound.xml").rename(zoo / name)
    models = {model.name: model.path for model in listing([zoo]).models}
    assert models[f"{zoo}/\\xff.xml"] == f"{zoo}/{name}"


def test_credentials_in_urls_are_not_in_names():
    found = listing(["https://me:secret@host.example/a.xml?sig=secret", "https://host.example/b.xml"])
    assert [model.name for model in found.models] == [
        "https://host.example/a.xml?…",
        "https://host.example/b.xml",
    ]


def test_urls_that_differ_in_what_is_not_shown_have_different_names():
    found = listing(["https://host.example/a.xml?branch=1", "https://host.example/a.xml?branch=2"])
    assert [model.name for model in found.models] == [
        "https://host.example/a.xml?…",
        "https://host.example/a.xml?… (2)",
    ]
