"""Which models some paths name, what identifies their content, and what is asked of each."""

import os
from pathlib import Path

import pytest
from onnx_protos import external, proto_of
from tables import table

from irops.cli.options import sources_of
from irops.files.limits import Limits
from irops.surveys import identity
from irops.surveys.identity import Identities
from irops.surveys.listing import listing
from irops.surveys.tasks import SurveyError, tasks_of


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


def test_a_model_that_is_named_twice_counts_once(zoo, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = listing(["zoo/sound.xml", f"{zoo}/sound.xml", "./zoo/inner/../sound.xml", "zoo/sound.xml"])
    assert [model.name for model in found.models] == ["zoo/sound.xml"]
    assert found.notes == ()


def test_a_link_is_a_model_of_its_own_with_weights_beside_it(zoo):
    (zoo / "link.xml").symlink_to("sound.xml")
    assert len(names(zoo)) == 4


@pytest.mark.parametrize(("path", "reason"), table(__file__, "a_path_that_matches_nothing_is_refused"))
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


@pytest.fixture
def old(zoo):
    """A model with weights, changed long ago."""
    path = zoo / "sound.xml"
    path.with_suffix(".bin").write_bytes(b"abc")
    for file in (path, path.with_suffix(".bin")):
        os.utime(file, ns=(10**18, 10**18 + 1))
    return path


def identity_of(path):
    return Identities([str(path)], Limits()).of(str(path))


def test_the_identity_changes_with_the_model_and_its_weights(zoo):
    path = zoo / "sound.xml"
    without = identity_of(path)
    path.with_suffix(".bin").write_bytes(b"abc")
    with_weights = identity_of(path)
    path.with_suffix(".bin").write_bytes(b"abd")
    changed_weights = identity_of(path)
    path.write_bytes(path.read_bytes() + b"\n")
    assert len({without, with_weights, changed_weights, identity_of(path)}) == 4


def test_the_identity_does_not_change_with_time_and_place(zoo):
    path = zoo / "sound.xml"
    before = identity_of(path)
    os.utime(path)
    assert identity_of(path) == before
    path.rename(zoo / "moved.xml")
    assert identity_of(zoo / "moved.xml") == before


def test_of_large_weights_size_and_time_count(old, monkeypatch):
    monkeypatch.setattr(identity, "WHOLE", 2)
    before = identity_of(old)
    old.with_suffix(".bin").write_bytes(b"abd")
    os.utime(old.with_suffix(".bin"), ns=(10**18, 10**18 + 1))
    assert identity_of(old) == before
    os.utime(old.with_suffix(".bin"))
    assert identity_of(old) != before


def test_a_model_that_cannot_be_read_has_no_identity(zoo):
    absent, folder = str(zoo / "absent.xml"), str(zoo)
    identities = Identities([absent, folder], Limits())
    assert identities.of(absent) == identities.of(folder) == ""
    assert not identities.is_unchanged(absent)


def test_a_change_while_the_model_is_examined_is_seen(old):
    identities = Identities([str(old)], Limits())
    assert identities.is_unchanged(str(old))
    old.with_suffix(".bin").write_bytes(b"other")
    assert not identities.is_unchanged(str(old))


def test_files_that_a_model_names_count(tmp_path):
    pytest.importorskip("onnx")
    path, weights = tmp_path / "m.onnx", external([1], location="weights.data", offset=0, length=4)
    path.write_bytes(proto_of([], {}, {}, [weights]).SerializeToString())
    before = identity_of(path)
    (tmp_path / "weights.data").write_bytes(b"\0\0\0\0")
    assert identity_of(path) != before


def texts(*arguments):
    return [task.text for task in tasks_of(*arguments)]


def test_tasks_have_a_variant_for_each_source_and_release():
    assert texts(["target", "check"], [], ["2023.3", "2025.0.1"]) == [
        "check",
        "target:2023.3",
        "target:2025.0",
    ]
    assert texts(["run", "infer", "run"], ["numba", "reference"], []) == [
        "infer",
        "run:numba",
        "run:reference",
    ]
    assert texts(["compare"], ["reference", "numba"], []) == ["compare:reference,numba"]


def test_run_takes_the_reference_by_default():
    assert texts(["run"], [], []) == ["run:reference"]


@pytest.mark.parametrize(("arguments", "reason"), table(__file__, "what_does_not_exist_is_refused"))
def test_what_does_not_exist_is_refused(arguments, reason):
    with pytest.raises(SurveyError, match=reason):
        tasks_of(*arguments)


def test_a_comma_before_a_property_belongs_to_the_source():
    text = "reference, openvino:CPU,PERFORMANCE_HINT=LATENCY,NUM_STREAMS=1,numba"
    assert sources_of([text]) == ["reference", "openvino:CPU,PERFORMANCE_HINT=LATENCY,NUM_STREAMS=1", "numba"]
    assert sources_of([]) == []
