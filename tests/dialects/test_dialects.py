"""Definitions of other dialects: their versions, types, and the functions that an op shares."""

import shutil

import numpy as np
import pytest

import irops
from irops.dialects import others
from irops.dialects.onnx import DIALECT as ONNX
from irops.dialects.onnx.opsets import imported, onnx_opsets
from irops.dialects.registry import default_registry
from irops.spec.definition import allowed_types, type_text
from irops.spec.load import load_definition
from irops.spec.op import NoOp, parted
from irops.spec.sharing import NotSharedError, shared

REVERSE_SEQUENCE = "onnx:ReverseSequence-10"
ABSENT, UNDEFINED = "op-not-in-opset", "undefined-op"
LENGTHS, TYPE = 'name="sequence_lens" type="i64" rank="1"', "  <type name"
LATER = "has no ReverseSequence: it came with opset 10"
GIVEN = '  <given name="mode">x</given>\n'


@pytest.mark.parametrize(
    ("type", "opset", "version"),
    [
        ("Relu", 5, 1),
        ("Relu", 13, 13),
        ("Relu", 20, 14),
        ("ReverseSequence", 9, None),
        ("ReverseSequence", 27, 10),
        ("Upsample", 9, 9),
        ("Upsample", 10, None),
        ("GroupNormalization", 17, None),
        ("GroupNormalization", 18, None),
        ("GroupNormalization", 21, 21),
        ("Nothing", 13, None),
    ],
)
def test_an_opset_means_the_newest_version_that_is_not_newer(type, opset, version):
    assert onnx_opsets().version(type, opset) == version


@pytest.mark.parametrize(
    ("version", "meant"),
    [
        ("onnx:17", ("onnx", 17)),
        ("com.microsoft:1", ("com.microsoft", 1)),
        ("opset8", None),
        ("extension", None),
        ("onnx:", None),
    ],
)
def test_a_layers_version_names_a_domain_and_an_opset(version, meant):
    assert imported(version) == meant


@pytest.mark.parametrize(
    ("type", "version", "op"),
    [
        ("ReverseSequence", "onnx:10", REVERSE_SEQUENCE),
        ("ReverseSequence", "onnx:27", REVERSE_SEQUENCE),
        ("ReverseSequence", "onnx:28", "onnx:ReverseSequence-28"),
    ],
)
def test_a_layer_of_onnx_finds_its_op(type, version, op):
    assert default_registry().resolve(type, version).id == op


@pytest.mark.parametrize(
    ("type", "version", "rule", "message"),
    [
        ("ReverseSequence", "onnx:9", ABSENT, f"opset 9 of ONNX {LATER}"),
        ("Upsample", "onnx:11", ABSENT, "it came with opset 1 and is gone from opset 10 on"),
        ("ReverseSequences", "onnx:13", "unknown-op", "ONNX has no op 'ReverseSequences'"),
        ("FusedConv", "com.microsoft:1", UNDEFINED, "no definition of FusedConv of the domain com.microsoft"),
        ("Einsum", "onnx:13", UNDEFINED, "irops has no definition of ONNX's Einsum-12"),
    ],
)
def test_a_layer_of_onnx_without_an_op_has_a_reason(type, version, rule, message):
    found = default_registry().resolve(type, version)
    assert isinstance(found, NoOp)
    assert (found.rule, found.once) == (rule, True)
    assert message in found.message


def test_a_version_has_the_types_of_its_opset_and_no_later_ones():
    ten, later = (irops.definition(op).types["T"] for op in (REVERSE_SEQUENCE, "onnx:ReverseSequence-28"))
    assert len(ten.allowed) == 15
    assert later.allowed - ten.allowed == {"bf16"}
    assert ten.text.endswith("; from opset 28 on bf16")


def test_a_file_holds_the_versions_up_to_the_next_file():
    assert ONNX.versions(REVERSE_SEQUENCE) == (REVERSE_SEQUENCE, "onnx:ReverseSequence-28")
    assert default_registry().newest(REVERSE_SEQUENCE) == "onnx:ReverseSequence-28"


@pytest.mark.parametrize(
    "op", ["onnx:ReverseSequence-11", "onnx:ReverseSequence-9", "onnx:Nothing-1", "greek:Relu-1"]
)
def test_a_version_that_there_is_not_is_not_found(op):
    with pytest.raises(KeyError):
        irops.call(op, np.zeros(1))


def test_an_id_is_split():
    assert parted("onnx:Relu-13") == ("onnx", "Relu", 13)
    assert parted("Relu-1") == ("", "Relu", 1)
    assert parted("Mine-extension") == ("", "Mine-extension", 0)
    assert parted("graiphic:Reverse") == ("graiphic", "Reverse", 0)


def test_the_type_alone_means_openvinos_op_and_with_a_prefix_the_dialects():
    assert irops.definition("reversesequence").id == "ReverseSequence-1"
    assert irops.definition("onnx:reversesequence").id == "onnx:ReverseSequence-28"


def test_types_of_other_dialects_are_none_of_openvinos():
    assert "complex64" not in allowed_types("any")
    assert {"complex64", "i2", "u1"} <= allowed_types("any", "onnx")
    with pytest.raises(ValueError, match="neither an element type nor one of the groups"):
        allowed_types("complex64")
    with pytest.raises(ValueError, match="does not end with the number of an opset"):
        allowed_types("f32@13")
    assert type_text("i64 f32 bf16@13", "onnx") == "f32 i64; from opset 13 on bf16"


@pytest.fixture
def altered(tmp_path):
    """A function that loads ReverseSequence-10 with a part of its text replaced."""

    def load(old, new):
        path = tmp_path / "ReverseSequence-10.xml"
        shutil.copy(irops.definition(REVERSE_SEQUENCE).path, path)
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        return load_definition(path)

    return load


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (' as="seq_axis"', "", "does not map the attribute seq_axis of ReverseSequence-1"),
        (TYPE, GIVEN + TYPE, "sets mode, which is not an attribute of ReverseSequence-1"),
        (LENGTHS, f'{LENGTHS} as="lengths"', "does not map the input seq_lengths of ReverseSequence-1"),
    ],
)
def test_an_op_that_shares_functions_says_what_each_of_their_parameters_is(altered, old, new, why):
    base = default_registry().op("ReverseSequence-1")
    with pytest.raises(NotSharedError, match=why):
        shared(altered(old, new), base.definition, base.functions)


def test_shared_functions_are_found_where_they_are():
    import inspect

    op = default_registry().op(REVERSE_SEQUENCE)
    assert inspect.unwrap(op.functions.kernel) is default_registry().op("ReverseSequence-1").functions.kernel


def test_every_file_is_named_for_what_it_defines():
    for dialect in others():
        for op, path in dialect.paths.items():
            assert load_definition(path).file_id == op
