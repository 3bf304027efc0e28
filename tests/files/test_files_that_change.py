"""Files that are none, that are links, that change while they are used, and that cannot be written."""

import multiprocessing
import os
import re
import socket
from pathlib import Path

import numpy as np
import pytest

import irops
from irops.diagnostics.diagnostic import DiagnosticError
from irops.files import storage
from irops.files.storage import OpenFiles, Weights
from irops.ir.weights import constant
from tests.conftest import net_text

pytestmark = pytest.mark.slow("processes that read and write the same files")


def text_of(name, count):
    text = net_text(f"w: Const i64[{count}] offset=0 size={8 * count}; y: Result w")
    return text.replace('name="m"', f'name="{name}"', 1)


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(text_of("m", 1000))
    path.with_suffix(".bin").write_bytes(np.arange(1000).tobytes())
    return path


def first_found(path, weights=None):
    return irops.check(path, weights).errors[0].message


@pytest.mark.parametrize("kind", ["pipe", "socket", "folder"])
def test_what_is_no_file_is_never_opened(kind, model, tmp_path):
    for name in ("m.xml", "m.bin"):
        os.remove(tmp_path / name)
        if kind == "pipe":
            os.mkfifo(tmp_path / name)
        elif kind == "folder":
            (tmp_path / name).mkdir()
        else:
            server = socket.socket(socket.AF_UNIX)
            server.bind(str(tmp_path / name))
        if name == "m.xml":
            assert first_found(model) == f"{model} is a {kind}, must be an .xml file"
            model.rmdir() if kind == "folder" else model.unlink()
            model.write_text(text_of("m", 1000))
        else:
            assert f"m.bin is a {kind}; " in first_found(model)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/stdin"])
def test_devices_are_no_models_and_no_weights(device, model):
    if not Path(device).exists() or Path(device).is_file():
        pytest.skip(f"there is no {device}")
    assert "must be an .xml file" in first_found(Path(device))
    assert re.search(" is a (device|pipe|socket); ", first_found(model, Path(device)))


def test_what_becomes_a_pipe_between_two_looks_is_not_waited_for(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "m.xml")
    monkeypatch.setattr(storage.os, "stat", lambda _: os.lstat(__file__))
    with pytest.raises(storage.NotRegular, match="is a pipe"):
        storage.open_regular(str(tmp_path / "m.xml"))


def test_links_to_files_are_followed_and_weights_lie_beside_the_name_that_is_given(model, tmp_path):
    links = tmp_path / "links"
    links.mkdir()
    (links / "l.xml").symlink_to(model)
    assert "l.bin does not exist" in first_found(links / "l.xml")
    (links / "l.bin").symlink_to(model.with_suffix(".bin"))
    assert irops.check(links / "l.xml").ok


def test_links_that_lead_nowhere_or_in_a_circle_are_reported(tmp_path):
    (tmp_path / "a.xml").symlink_to(tmp_path / "absent.xml")
    (tmp_path / "b.xml").symlink_to(tmp_path / "b.xml")
    assert [d.name for d in irops.check(tmp_path / "a.xml")] == ["file-not-found"]
    assert [d.name for d in irops.check(tmp_path / "b.xml")] == ["unreadable-file"]


def test_weights_are_never_guessed(model, tmp_path):
    model.with_suffix(".bin").rename(tmp_path / "other.bin")
    assert "m.bin does not exist" in first_found(model)
    assert irops.check(model, tmp_path / "other.bin").ok


def test_a_file_that_grows_without_end_is_read_once(tmp_path):
    if not Path("/proc/self/status").exists():
        pytest.skip("this system has no /proc")
    assert irops.check("/proc/self/status").errors[0].name in ("malformed-xml", "not-xml")


def test_nothing_is_mapped_to_check_or_to_infer(model, monkeypatch):
    monkeypatch.setattr(Weights, "_map", lambda self: pytest.fail("mapped"))
    assert irops.check(model).ok
    assert irops.infer(model)["w", 0].value[7] == 7


def write_often(path, name, count):
    from irops.ir.read import loads

    content = np.full(count, count).tobytes()
    for _ in range(40):
        irops.write(loads(text_of(name, count).encode(), content)[0], path)


def test_two_writers_and_a_reader_of_one_model_never_meet_halfway(tmp_path):
    path = str(tmp_path / "m.xml")
    write_often(path, "one", 1001)
    context = multiprocessing.get_context("spawn")
    writers = [
        context.Process(target=write_often, args=(path, name, count))
        for name, count in (("one", 1001), ("two", 2002))
    ]
    for writer in writers:
        writer.start()
    seen, changed = set(), set()
    while any(writer.is_alive() for writer in writers) or not seen:
        read = irops.read(path)
        try:
            value = constant(read, read.layer("w"), files=OpenFiles())
        except DiagnosticError as error:
            changed.update(d.name for d in error.diagnostics)
            continue
        assert (read.name, len(value), int(value[0])) in (("one", 1001, 1001), ("two", 2002, 2002))
        seen.add(read.name)
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert changed <= {"changed-weights"}
    assert sorted(os.listdir(tmp_path)) == ["m.bin", "m.xml"]
    assert irops.check(path).ok
