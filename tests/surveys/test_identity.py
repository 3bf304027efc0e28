"""What identifies the content of a model."""

import os
import time

import pytest

from irops.surveys import identity
from irops.surveys.identity import Identities


@pytest.fixture
def old(zoo):
    """A model with weights, changed long ago."""
    path = zoo / "sound.xml"
    path.with_suffix(".bin").write_bytes(b"abc")
    for file in (path, path.with_suffix(".bin")):
        os.utime(file, ns=(10**18, 10**18 + 1))
    return path


def test_the_identity_changes_with_the_model_and_its_weights(zoo):
    path = zoo / "sound.xml"
    without = Identities().of(str(path))
    path.with_suffix(".bin").write_bytes(b"abc")
    with_weights = Identities().of(str(path))
    path.with_suffix(".bin").write_bytes(b"abd")
    changed_weights = Identities().of(str(path))
    path.write_bytes(path.read_bytes() + b"\n")
    assert len({without, with_weights, changed_weights, Identities().of(str(path))}) == 4


def test_the_identity_does_not_change_with_time_and_place(zoo):
    path = zoo / "sound.xml"
    before = Identities().of(str(path))
    os.utime(path)
    assert Identities().of(str(path)) == before
    path.rename(zoo / "moved.xml")
    assert Identities().of(str(zoo / "moved.xml")) == before


def test_of_large_weights_size_and_time_count(old, monkeypatch):
    monkeypatch.setattr(identity, "WHOLE", 2)
    before = Identities().of(str(old))
    old.with_suffix(".bin").write_bytes(b"abd")
    os.utime(old.with_suffix(".bin"), ns=(10**18, 10**18 + 1))
    assert Identities().of(str(old)) == before
    os.utime(old.with_suffix(".bin"))
    assert Identities().of(str(old)) != before


def test_digests_of_files_that_are_the_same_are_kept(old, monkeypatch):
    first = Identities()
    wanted = first.of(str(old))
    monkeypatch.setattr(time, "time", lambda: 10**10)  # the change of the status is not recent either
    kept = first.to_json()
    monkeypatch.setattr(identity, "_read", None)  # nothing is read
    assert Identities(kept).of(str(old)) == wanted


def test_a_file_that_changed_a_moment_ago_is_not_kept(old):
    first = Identities()
    first.of(str(old))
    old.write_bytes(old.read_bytes() + b"\n")
    second = Identities(first.to_json())
    second.of(str(old))
    assert str(old) not in second.to_json()


def test_a_model_that_cannot_be_read_has_no_identity(zoo):
    identities = Identities()
    assert identities.of(str(zoo / "absent.xml")) == ""
    assert identities.of(str(zoo)) == ""
    assert not identities.is_unchanged(str(zoo / "absent.xml"))


def test_a_change_while_the_model_is_examined_is_seen(old):
    identities = Identities()
    identities.of(str(old))
    assert identities.is_unchanged(str(old))
    old.with_suffix(".bin").write_bytes(b"other")
    assert not identities.is_unchanged(str(old))


def test_files_that_a_model_names_count(tmp_path):
    onnx = pytest.importorskip("onnx")
    value = onnx.helper.make_tensor("w", onnx.TensorProto.FLOAT, [1], [1.0])
    value.ClearField("float_data")
    value.data_location = onnx.TensorProto.EXTERNAL
    for key, text in (("location", "weights.data"), ("offset", "0"), ("length", "4")):
        entry = value.external_data.add()
        entry.key, entry.value = key, text
    graph = onnx.helper.make_graph([], "g", [], [], [value])
    path = tmp_path / "m.onnx"
    path.write_bytes(onnx.helper.make_model(graph).SerializeToString())
    before = Identities().of(str(path))
    (tmp_path / "weights.data").write_bytes(b"\0\0\0\0")
    assert Identities().of(str(path)) != before
