"""Models at URLs: read, checked and run as local ones are."""

import sys
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from commands import python_process
from libraries import Late, needs
from onnx_protos import FLOAT, external, proto_of
from tables import table

import irops
from irops.files.storage import bytes_fetched, bytes_read
from irops.ir.opening import models_at

pytestmark = needs("fsspec")
fsspec = Late("fsspec")
WEIGHT = np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.fixture
def local(net, tmp_path):
    """A model that multiplies, in a local file."""
    model = net("x: f32[?,4]; product: MatMul x w transpose_b=true; y: Result product", w=WEIGHT)
    irops.write(model, tmp_path / "scaled.xml")
    return tmp_path / "scaled.xml"


@pytest.fixture
def remote(local):
    """The same model in the memory of fsspec."""
    files = fsspec.filesystem("memory")
    for path in (local, local.with_suffix(".bin")):
        files.pipe_file(f"/zoo/{path.name}", path.read_bytes())
    yield "memory://zoo/scaled.xml"
    files.rm("/zoo", recursive=True)


def test_a_model_at_a_url_is_that_of_the_local_file(local, remote):
    assert irops.read(remote) == irops.read(local)
    assert str(irops.check(remote)) == str(irops.check(local))


def test_a_run_gives_what_the_local_file_gives(local, remote):
    x = np.ones((2, 4), np.float32)
    assert irops.run(remote, {"x": x})["y"].tolist() == irops.run(local, {"x": x})["y"].tolist()


def test_weights_may_be_remote_and_the_model_local(local, remote):
    local.with_suffix(".bin").unlink()
    model = irops.read(local, weights="memory://zoo/scaled.bin")
    assert irops.check(model).ok
    assert irops.run(model, {"x": np.ones((1, 4), np.float32)})["y"].tolist() == [[6.0, 22.0, 38.0]]


def test_a_model_in_an_archive_is_read(local, tmp_path):
    with ZipFile(tmp_path / "zoo.zip", "w") as archive:
        for path in (local, local.with_suffix(".bin")):
            archive.write(path, f"inner/{path.name}")
    url = f"zip://inner/scaled.xml::{tmp_path}/zoo.zip"
    assert irops.check(url).ok
    assert irops.run(url, {"x": np.ones((1, 4), np.float32)})["y"].tolist() == [[6.0, 22.0, 38.0]]


def test_bytes_are_counted_alike_for_local_and_remote_files(local, remote):
    counts = []
    for path in (local, remote, remote):
        read, fetched = bytes_read(), bytes_fetched()
        irops.check(path)
        counts.append((bytes_read() - read, bytes_fetched() - fetched))
    assert counts[0] == (local.stat().st_size, 0)
    assert [count[0] for count in counts] == [counts[0][0]] * 3


@pytest.mark.parametrize(("url", "sentence"), table(__file__, "what_cannot_be_read_is_a_sentence"))
def test_what_cannot_be_read_is_a_sentence(remote, url, sentence):
    report = irops.check(url)
    assert [finding.message for finding in report] == [sentence]


def test_a_url_that_pathlib_cut_is_explained():
    [finding] = irops.check(Path("s3://zoo/m.xml"))
    assert finding.message == "s3:/zoo/m.xml does not exist"
    assert finding.notes == ("a URL must be passed as a text: pathlib removes one of its slashes",)


def test_a_missing_package_is_named(monkeypatch):
    from fsspec.registry import known_implementations

    monkeypatch.setitem(known_implementations, "s3q", {"class": "no_such_package.Files", "err": "Install q"})
    [finding] = irops.check("s3q://zoo/m.xml")
    assert "requires a package: Install q" in finding.message


def test_a_missing_library_is_named_with_its_extra(monkeypatch, remote):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    [finding] = irops.check(remote)
    words = "URLs require the library fsspec, which is not installed; pip install 'irops[remote]'"
    assert words in finding.message


@pytest.mark.slow("starts a process")
def test_importing_irops_and_reading_local_files_imports_no_fsspec(local):
    code = (
        f"import sys, irops; irops.check({str(local)!r}); print({{'fsspec', 'aiohttp'}} & set(sys.modules))"
    )
    done = python_process("-c", code, check=True)
    assert done.stdout.strip() == "set()"


def test_an_archive_that_is_replaced_is_read_again(local, tmp_path):
    url = f"zip://scaled.xml::{tmp_path}/zoo.zip"
    names = []
    for name in ("m", "other"):
        with ZipFile(tmp_path / "zoo.zip", "w") as archive:
            archive.writestr("scaled.xml", local.read_text().replace('name="m"', f'name="{name}"'))
        names.append(irops.read(url).name)
    assert names == ["m", "other"]


def test_models_in_an_archive_are_listed(local, tmp_path):
    with ZipFile(tmp_path / "zoo.zip", "w") as archive:
        for name in ("b/m.xml", "a.xml", "notes.txt"):
            archive.writestr(name, local.read_bytes())
    end = f"::{tmp_path}/zoo.zip"
    assert models_at(f"zip://{end}", (".xml",)) == ((f"zip://a.xml{end}", f"zip://b/m.xml{end}"), 0)
    assert models_at(f"zip://b/*.xml{end}", (".xml",)) == ((f"zip://b/m.xml{end}",), 0)


class TestONNX:
    pytestmark = needs("onnx")

    @pytest.fixture
    def stored(self):
        """A model whose weights are external data, in the memory of fsspec."""
        files, ends = fsspec.filesystem("memory"), (FLOAT, [3, 4])
        weight = external([3, 4], location="data/w.bin", offset=8, length=48)
        model = proto_of([("Add", ["x", "w"], ["y"])], {"x": ends}, {"y": ends}, [weight])
        files.pipe_file("/nets/m.onnx", model.SerializeToString())
        files.pipe_file("/nets/data/w.bin", bytes(8) + WEIGHT.tobytes() + bytes(1 << 20))
        yield "memory://nets/m.onnx"
        files.rm("/nets", recursive=True)

    def test_external_data_is_read_beside_the_model(self, stored):
        fetched = bytes_fetched()
        assert irops.check(stored).ok
        assert bytes_fetched() - fetched < 1 << 18
        x = np.ones((3, 4), np.float32)
        assert irops.run(stored, {"x": x})["y"].tolist() == (WEIGHT + 1).tolist()

    def test_external_data_outside_of_the_folder_is_refused(self, stored):
        files = fsspec.filesystem("memory")
        content = files.cat_file("/nets/m.onnx")
        for location in (b"../a/w.bin", b"s3://b/a.b", b"https://a/", b"%2e%2e/w.b"):
            files.pipe_file("/nets/m.onnx", content.replace(b"data/w.bin", location))
            assert [finding.name for finding in irops.check(stored)] == ["external-data-outside"]
