"""The pages of OpenVINO's documentation that specify the ops."""

import re

from irops.spec.releases import SPECIFICATIONS, opsets

SHARED = {"sequence/lstm-cell-1": {"LSTMCell-1", "LSTMCell-4"}}
"""The page that specifies two versions."""


def test_every_version_with_a_specification_links_to_its_page():
    versions = opsets().all()
    assert {v.id for v in versions if not v.file} == {v.id for v in versions if not v.page} == {"Xor-1"}
    assert next(v for v in versions if v.id == "Xor-1").specification == ""
    reverse = next(v for v in versions if v.id == "ReverseSequence-1")
    assert reverse.specification == f"{SPECIFICATIONS}/movement/reverse-sequence-1.html"


def test_a_page_specifies_the_version_that_it_is_named_after():
    pages = {}
    for version in opsets().all():
        if version.file:
            assert re.fullmatch(r"[a-z]+/[a-z0-9-]+", version.file)
            pages.setdefault(version.file, set()).add(version.id)
            number = re.search(r"-(\d+)$", version.file)
            assert number is None or number[1] == version.page.rpartition("-")[2]
    assert {file: ids for file, ids in pages.items() if len(ids) > 1} == SHARED
