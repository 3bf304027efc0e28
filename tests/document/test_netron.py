"""The metadata for Netron: its form, and that it describes each op type once, as its definition does."""

from __future__ import annotations

import json

from irops.document.netron import CATEGORIES, netron_metadata
from irops.registry import default_registry
from irops.spec.opsets import categories

ENTRIES = {entry["name"]: entry for entry in netron_metadata(default_registry())}


def test_every_op_type_has_one_entry():
    ids = default_registry().ids()
    assert ENTRIES.keys() == {default_registry().op(op).definition.type for op in ids}
    assert len(netron_metadata(default_registry())) == len(ENTRIES)


def test_it_is_json_that_every_reader_accepts():
    assert json.loads(json.dumps(list(ENTRIES.values()), allow_nan=False)) == list(ENTRIES.values())


def test_an_entry_describes_attributes_and_ports():
    entry = ENTRIES["ReverseSequence"]
    assert [port["name"] for port in entry["inputs"]] == ["data", "seq_lengths"]
    assert {a["name"]: (a["type"], a["default"]) for a in entry["attributes"]} == {
        "batch_axis": ("int64", 0),
        "seq_axis": ("int64", 1),
    }
    assert ENTRIES["Concat"]["inputs"][0]["list"] is True


def test_the_newest_version_is_described():
    assert any(attribute["name"] == "stable" for attribute in ENTRIES["TopK"]["attributes"])


def test_categories_are_those_of_the_definitions():
    assert CATEGORIES.keys() <= set(categories())
