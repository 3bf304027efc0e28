"""URLs as texts: what is one, what lies beside it, and what is printed of it."""

import os

import pytest
from tables import table

from irops.files.urls import Place, scrubbed, without_credentials

URLS = (
    "s3://bucket/model.xml HTTPS://host/model.xml zip://model.xml::file.zip simplecache::s3://bucket/model.xml"
    " memory://model.xml"
)
LOCAL = r"model.xml /a/model.xml C:/model.xml C://model.xml C:\m.xml a::b.xml file:///m.xml -"


@pytest.mark.parametrize("text", URLS.split())
def test_texts_with_a_protocol_are_urls(text):
    assert Place.of(text).is_remote


@pytest.mark.parametrize("text", LOCAL.split())
def test_local_paths_and_drives_are_no_urls(text):
    assert not Place.of(text).is_remote


@pytest.mark.parametrize(("text", "path"), table(__file__, "a_url_of_the_protocol_file_is_a_local_path"))
def test_a_url_of_the_protocol_file_is_a_local_path(text, path):
    assert os.fspath(Place.of(text)) == path


def test_on_windows_a_url_of_the_protocol_file_keeps_the_drive(monkeypatch):
    monkeypatch.setattr("sys.platform", "win32")
    assert os.fspath(Place.of("file:///C:/models/m.xml")) == "C:/models/m.xml"


@pytest.mark.parametrize(
    ("url", "weights"),
    table(__file__, "weights_lie_beside_the_model_in_the_same_link_and_with_the_same_query"),
)
def test_weights_lie_beside_the_model_in_the_same_link_and_with_the_same_query(url, weights):
    place = Place.of(url)
    assert os.fspath(place.with_suffix(".bin")) == weights
    assert place.suffix == ".xml"
    assert "/" not in place.name


def test_external_data_lies_in_the_folder_of_the_model():
    place = Place.of("zip://a/m.onnx::b.zip").beside("data/x.bin")
    assert os.fspath(place) == "zip://a/data/x.bin::b.zip"


@pytest.mark.parametrize(("url", "printed"), table(__file__, "what_is_printed_has_no_credentials"))
def test_what_is_printed_has_no_credentials(url, printed):
    assert without_credentials(url) == str(Place.of(url)) == printed


def test_texts_of_other_libraries_lose_credentials():
    text = "403, url=URL('https://u:p@h/m.xml?X-Amz-Signature=q'), X-Amz-Security-Token=r; Signature: s"
    cleaned = scrubbed(text)
    assert "https://h/m.xml?…" in cleaned
    assert not {"u:p", "=q", "=r", ": s"} & {word for word in ("u:p", "=q", "=r", ": s") if word in cleaned}


def test_what_grants_access_does_not_identify_a_file():
    first = Place.of("https://a:b@h/m.xml?id=7&X-Amz-Signature=1&Expires=2").identity()
    assert first == Place.of("https://h/m.xml?id=7&X-Amz-Signature=3").identity() == "https://h/m.xml?id=7"
    assert Place.of("https://h/m.xml?id=8").identity() != first
