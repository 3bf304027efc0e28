"""Surveys of models in a bucket of the S3 API, one of which has weights of ten gigabytes."""

import re
from pathlib import Path

import numpy as np
import pytest
from libraries import needs

import irops

pytestmark = [pytest.mark.slow("a server of objects"), needs("jinja2", "fsspec"), needs("s3fs", "moto")]
GIGABYTES = 10 << 30


@pytest.fixture
def large(net, tmp_path):
    """A model that reshapes to the last 16 bytes of a sparse file of weights."""
    path, layers = tmp_path / "large.xml", "x: f32[2,6]; y: Reshape x shape special_zero=false; z: Result y"
    irops.write(net(layers, shape=np.array([3, 4])), path)
    with path.with_suffix(".bin").open("r+b") as file:
        pattern = file.read()
        file.truncate(GIGABYTES)
        file.seek(GIGABYTES - len(pattern))
        file.write(pattern)
    path.write_text(re.sub(r'offset="\d+"', f'offset="{GIGABYTES - len(pattern)}"', path.read_text()))
    return path


def test_a_bucket_is_surveyed_as_a_folder_is_and_little_of_large_weights_is_read(
    bucket, zoo, large, tmp_path
):
    for path in zoo.rglob("*.xml"):
        bucket.put(path, f"models/{path.relative_to(zoo).as_posix()}")
    local = {(Path(row.model).name, row.task): row for row in irops.survey([zoo], tasks=("check", "infer"))}
    url = bucket.put(large, "models/large.xml")
    content = bucket.put_lazily(large.with_suffix(".bin"), "models/large.bin")

    def survey():
        return irops.survey(["s3://zoo/models/"], tasks=("check", "infer"), output=tmp_path / "report")

    table = survey()
    rows = {(row.model, row.task): row for row in table}
    assert (len(rows), table.done) == (8, 8)
    for row in table:
        if row.model != url:
            same = local[row.model.rpartition("/")[2], row.task]
            assert (row.status, row.bytes) == (same.status, same.bytes)
    assert {rows[url, task].status for task in ("check", "infer")} == {"pass"}
    assert {rows[url, task].bytes for task in ("check", "infer")} == {large.stat().st_size + 16}
    assert content.sent <= 2 << 16
    assert survey().done == 0
    bucket.files.pipe_file("zoo/models/sound.xml", (zoo / "sound.xml").read_bytes() + b"\n")
    again = survey()
    assert (again.done, again.unchanged) == (2, 6)
