"""irops explain for all rules, rules, bands, ops and constraints, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import irops as package
from irops.diagnostics.diagnostic import BANDS

Irops = Callable[..., Any]


def test_all_rules_are_listed(irops: Irops) -> None:
    content = json.loads(irops("explain", "--output-format", "json").out)
    (listed,) = content["subjects"]
    assert (content["version"], listed["kind"]) == (1, "rules")
    codes = [one.code for one in package.rules()]
    assert [one["code"] for one in listed["rules"]] == codes
    assert set(listed["rules"][0]) == {
        "code", "name", "severity", "band", "summary", "explanation", "custom"
    }  # fmt: skip
    assert irops("explain", "-q").out.split() == codes
    shown = irops("explain").out
    assert all(f"  {code} " in shown for code in codes)
    assert all(f"{band} {title}\n" in shown for band, title in BANDS.items())
    assert shown.endswith(f"\n\n{len(codes)} rules\n")


def test_the_names_of_what_is_explained_are_printed_alone(irops: Irops) -> None:
    (dead_layer,) = irops("explain", "dead-layer", "-q").out.split()
    names = irops("explain", "IR20", "dead-layer", "relu", "reverse-1:c1", "-q").out.split()
    band = [one.code for one in package.rules() if one.code.startswith("IR20")]
    assert names == [*band, dead_layer, "ReLU-1", "Reverse-1:C1"]
    result = irops("explain", "dead-lair")
    assert (result.status, result.err) == (
        2,
        "irops explain: unknown rule or op 'dead-lair'; did you mean dead-layer?\n",
    )


@pytest.mark.parametrize("band", BANDS)
def test_a_band_is_explained_by_its_rules(band: str, irops: Irops) -> None:
    out = irops("explain", band.lower()).out
    assert out.startswith(f"{band} {BANDS[band]}\n")
    (found,) = json.loads(irops("explain", band, "--output-format", "json").out)["subjects"]
    assert (found["kind"], found["code"], found["name"]) == ("band", band, BANDS[band])
    codes = [one["code"] for one in found["rules"]]
    assert codes == [one.code for one in package.rules() if one.code.startswith(band)]
    assert all(f"  {code} " in out for code in codes)


def test_explain_gives_json(irops: Irops) -> None:
    words = ("IR202", "ReverseSequence-1", "ReverseSequence-1:C1", "onnx:Relu")
    content = json.loads(irops("explain", *words, "--output-format", "json").out)
    rule, op, constraint, other = content["subjects"]
    assert content["version"] == 1
    assert (rule["kind"], rule["name"]) == ("rule", "dangling-edge")
    assert [one["name"] for one in op["attributes"]] == ["batch_axis", "seq_axis"]
    assert [one["name"] for one in op["inputs"]] == ["data", "seq_lengths"]
    assert constraint in [{"kind": "constraint", **one} for one in op["constraints"]]
    assert other["id"] == "onnx:Relu-14"


@pytest.mark.slow("every op")
def test_every_op_is_explained_as_json(irops: Irops) -> None:
    ids = irops("ops", "--quiet").out.split()
    content = json.loads(irops("explain", *ids, "--output-format", "json").out)
    assert [one["id"] for one in content["subjects"]] == ids


@pytest.mark.parametrize(("word", "band"), [("IR4x", "IR4"), ("IR4999", "IR4"), ("od1_", "OD1")])
def test_a_mistyped_code_suggests_its_band(word: str, band: str, irops: Irops) -> None:
    result = irops("explain", word)
    assert (result.status, result.err) == (
        2,
        f"irops explain: unknown rule or op {word!r}; did you mean {band}?\n",
    )


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("IR4x", "IR4"),
        ("IRR4", "IR4"),
        ("IR 4", "IR4"),
        ("R4", "IR4"),
        ("IR40x", "IR40"),
        ("IR-401", "IR401"),
    ],
)
def test_a_mistyped_code_or_band_suggests_the_same_everywhere(word: str, meant: str, irops: Irops) -> None:
    assert irops("check", "model.xml", "--select", word).err.endswith(
        f"there is no rule {word!r}; did you mean {meant}?\n"
    )
    explained = irops("explain", word).err
    assert f"unknown rule or op {word!r}; did you mean {meant}" in explained
