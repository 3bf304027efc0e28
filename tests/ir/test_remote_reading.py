"""Models at URLs: read, checked and run as local ones are."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from libraries import Late, needs

import irops
from irops.ir.traffic import bytes_fetched, bytes_read

pytestmark = needs("fsspec")
fsspec = Late("fsspec")
WEIGHT = np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("IROPS_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def local(tmp_path) -> Path:
    """A model that multiplies, in a local file."""
    graph = irops.Graph("scaled")
    x = graph.parameter("x", "f32", "?,4")
    graph.result(graph.ops.MatMul(x, graph.constant(WEIGHT), transpose_b=True), "y")
    irops.write(graph.model(), tmp_path / "scaled.xml")
    return tmp_path / "scaled.xml"


@pytest.fixture
def remote(local) -> str:
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


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("memory://zoo/none.xml", "memory://zoo/none.xml does not exist"),
        ("memory://zoo", "memory://zoo is a folder, must be an .xml file"),
        ("s4://zoo/m.xml", "s4://zoo/m.xml cannot be read: there is no protocol s4://; did you mean s3://?"),
        ("zip://m.xml::/no/such.zip", "zip://m.xml::/no/such.zip does not exist"),
    ],
)
def test_what_cannot_be_read_is_a_sentence(remote, url, sentence):
    report = irops.check(url)
    assert [finding.message for finding in report] == [sentence]


def test_a_missing_package_is_named(monkeypatch):
    from fsspec.registry import known_implementations

    monkeypatch.setitem(known_implementations, "s3q", {"class": "no_such_package.Files", "err": "Install q"})
    [finding] = irops.check("s3q://zoo/m.xml")
    assert "requires a package: Install q" in finding.message
