"""Models in a bucket of the S3 API: checked, run and listed."""

import pickle

import numpy as np
import pytest
from libraries import needs
from tables import table

import irops
from irops.ir.opening import models_at
from irops.ir.remote import RemoteError

pytestmark = [pytest.mark.slow("a server of objects"), needs("fsspec", "s3fs", "moto")]
SUFFIXES = (".xml", ".onnx")


@pytest.fixture
def model(net, tmp_path):
    """A model that scales and reshapes by a constant."""
    layers = "x: f32[2,6]; a: Multiply x scale; b: Reshape a shape special_zero=false; y: Result b"
    irops.write(net(layers, scale=np.arange(6, dtype=np.float32), shape=np.array([3, 4])), tmp_path / "m.xml")
    return tmp_path / "m.xml"


def test_a_model_can_be_sent_to_another_process(bucket, model):
    url = bucket.put(model, "sent.xml")
    bucket.put(model.with_suffix(".bin"), "sent.bin")
    x = np.ones((2, 6), np.float32)
    before = irops.read(url)
    expected = irops.run(before, {"x": x})["y"].tolist()
    after = pickle.loads(pickle.dumps(before))
    assert irops.run(after, {"x": x})["y"].tolist() == expected
    sent = pickle.dumps(after)
    bucket.files.pipe_file("zoo/sent.bin", b"changed")
    with pytest.raises(irops.DiagnosticError, match="was changed after the model was read"):
        irops.run(pickle.loads(sent), {"x": x})


def test_functions_that_take_two_models_take_urls(bucket, model):
    url = bucket.put(model, "pair.xml")
    bucket.put(model.with_suffix(".bin"), "pair.bin")
    assert irops.diff(irops.read(url), irops.read(model)).same
    x = {"x": np.ones((2, 6), np.float32)}
    assert irops.compare(url, x, a="reference", b=irops.read(model)).ok
    assert irops.diff(irops.read(url), irops.read(url)).same
    assert irops.compare(url, x, a="reference", b=f"model:{url}").ok
    part = irops.extract(irops.read(url), inputs=["x"], outputs=["y"])
    irops.write(part, model.with_name("part.xml"))
    assert irops.check(model.with_name("part.xml")).ok


@pytest.mark.parametrize(("url", "sentence"), table(__file__, "what_is_not_in_a_bucket_is_a_sentence"))
def test_what_is_not_in_a_bucket_is_a_sentence(bucket, model, url, sentence):
    bucket.put(model, "m.xml")
    assert [finding.message for finding in irops.check(url)] == [f"{url} {sentence}"]


def test_a_bucket_that_denies_is_a_sentence(bucket, model, monkeypatch):
    import s3fs

    url = bucket.put(model, "denied.xml")
    monkeypatch.setattr(s3fs.S3FileSystem, "_call_s3", _denied)
    [message] = [finding.message for finding in irops.check(url)]
    assert message == f"{url} cannot be read: access is denied"


async def _denied(self, method, *args, **keywords):
    from botocore.exceptions import ClientError
    from s3fs.errors import translate_boto_error

    response = {"Error": {"Code": "403", "Message": "Forbidden, X-Amz-Security-Token=abc"}}
    raise translate_boto_error(ClientError(response, method))


def test_models_of_a_folder_and_of_a_pattern_are_listed(bucket, model):
    for key in ("list/b/m.xml", "list/a.xml", "list/.hidden/m.xml", "list/c/d/m.onnx", "list/notes.txt"):
        bucket.put(model, key)
    bucket.put(model.with_suffix(".bin"), "list/a.bin")
    bucket.files.pipe_file("zoo/list/pom.xml", b"<project/>")
    names = [f"s3://zoo/list/{name}" for name in ("a.xml", "b/m.xml", "c/d/m.onnx")]
    assert models_at("s3://zoo/list/", SUFFIXES) == (tuple(names), 1)
    assert models_at("s3://zoo/list", SUFFIXES) == (tuple(names), 1)
    assert models_at("s3://zoo/list/**/*.xml", SUFFIXES) == (tuple(names[:2]), 1)
    assert models_at("s3://zoo/list/*/m.xml", SUFFIXES) == ((names[1],), 0)
    assert models_at("s3://zoo/list/none.xml", SUFFIXES) == (("s3://zoo/list/none.xml",), 0)
    assert models_at("s3://zoo/list/*.none", SUFFIXES) == ((), 0)
    with pytest.raises(RemoteError, match="does not exist"):
        models_at("s3://zoo/nothing/", SUFFIXES)
