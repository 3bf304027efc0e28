"""irops explain for all rules, rules, bands, ops and constraints, as text and as JSON."""

import pytest

import irops as package
from irops.diagnostics.diagnostic import BANDS


def test_all_rules_are_listed(irops):
    content = irops("explain", "--output-format", "json").json
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


def test_the_names_of_what_is_explained_are_printed_alone(irops):
    (dead_layer,) = irops("explain", "ir208", "-q").out.split()
    names = irops("explain", "IR20", "Dead-Layer", "relu", "reverse-1:c1", "-q").out.split()
    band = [one.code for one in package.rules() if one.code.startswith("IR20")]
    assert names == [*band, dead_layer, "ReLU-1", "Reverse-1:C1"]


@pytest.mark.parametrize("band", BANDS)
def test_a_band_is_explained_by_its_rules(band, irops):
    out = irops("explain", band.lower()).out
    assert out.startswith(f"{band} {BANDS[band]}\n")
    (found,) = irops("explain", band, "--output-format", "json").json["subjects"]
    assert (found["kind"], found["code"], found["name"]) == ("band", band, BANDS[band])
    codes = [one["code"] for one in found["rules"]]
    assert codes == [one.code for one in package.rules() if one.code.startswith(band)]
    assert all(f"  {code} " in out for code in codes)


def test_explain_gives_json(irops):
    words = ("IR202", "ReverseSequence-1", "ReverseSequence-1:C1", "onnx:Relu")
    content = irops("explain", *words, "--output-format", "json").json
    rule, op, constraint, other = content["subjects"]
    assert content["version"] == 1
    assert (rule["kind"], rule["name"]) == ("rule", "dangling-edge")
    assert [one["name"] for one in op["attributes"]] == ["batch_axis", "seq_axis"]
    assert [one["name"] for one in op["inputs"]] == ["data", "seq_lengths"]
    assert constraint in [{"kind": "constraint", **one} for one in op["constraints"]]
    assert other["id"] == "onnx:Relu-14"


@pytest.mark.slow("every op")
def test_every_op_is_explained_as_json(irops):
    ids = irops("ops", "--quiet").out.split()
    content = irops("explain", *ids, "--output-format", "json").json
    assert [one["id"] for one in content["subjects"]] == ids
