"""Constants: their positions in the weights, and the errors for invalid ones."""

import os
import shutil
import struct
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from tables import table

from irops.diagnostics.diagnostic import DiagnosticError
from irops.files.storage import OpenFiles
from irops.ir.model import Layer, LayerGraph, Model
from irops.ir.read import load, loads, read
from irops.ir.weights import Weights, constant, constant_faults, require_unchanged_weights
from irops.values import packing
from irops.values.element import element_type

FILES = Path(__file__).parent / "files"


def const(data, number=0):
    return (
        f'<layer id="{number}" name="c{number}" type="Const" version="opset1"><data {data}/>'
        '<output><port id="0" precision="FP32"/></output></layer>\n'
    )


def model_of(*data, weights=b""):
    layers = "".join(const(text, number) for number, text in enumerate(data))
    model, found = loads(f'<net version="11">\n<layers>\n{layers}</layers></net>'.encode(), weights)
    assert found == ()
    return model


def fault(data, weights):
    (found,) = constant_faults(model_of(data, weights=weights))
    return found


def refusal(model, layer):
    """The error for the values of a constant."""
    with pytest.raises(DiagnosticError) as error:
        constant(model, layer)
    (found,) = error.value.diagnostics
    return found


@pytest.fixture
def plain(tmp_path):
    """The text of a model that may be changed; it has its weights beside it."""
    for ending in ("xml", "bin"):
        shutil.copy(FILES / f"plain.{ending}", tmp_path / f"m.{ending}")
    return tmp_path / "m.xml"


def region(element_type, shape, offset, size):
    return f'element_type="{element_type}" shape="{shape}" offset="{offset}" size="{size}"'


def test_a_constant_is_a_view_of_the_file():
    model = read(FILES / "plain.xml")
    value = constant(model, model.layer("w"))
    assert value.tolist() == [1, -2, 0.5]
    assert not value.flags.owndata
    assert not value.flags.writeable


def test_constants_within_bodies_are_read():
    model = read(FILES / "bodies.xml")
    half = next(layer for _, layer in model.walk() if layer.name == "half")
    assert constant(model, half).tolist() == [[0.5, 2.0]]


def test_constants_may_share_bytes():
    model = model_of(region("u8", "2", 0, 2), region("u16", "", 0, 2), weights=b"\1\1")
    assert list(constant_faults(model)) == []
    assert [constant(model, layer).tolist() for layer in model.layers] == [[1, 1], 257]


def test_a_constant_need_not_be_aligned():
    model = model_of(region("f32", "1", 1, 4), weights=b"x" + struct.pack("<f", 2.5))
    assert constant(model, model.layers[0]).tolist() == [2.5]


@pytest.mark.parametrize("size", [0, 1])
def test_an_empty_constant_needs_no_weights(size):
    model = model_of(region("f32", "0, 3", 0, size))
    assert list(constant_faults(model)) == []
    assert constant(model, model.layers[0]).shape == (0, 3)


def test_strings_are_read():
    table = struct.pack("<4i", 2, 0, 1, 3) + "aé".encode()
    model = model_of(region("string", "2", 0, len(table)), weights=table)
    assert constant(model, model.layers[0]).tolist() == ["a", "é"]


DYNAMIC = "dynamic-constant"
OF_C0 = 'layer 0 "c0" (Const)'


@pytest.mark.parametrize(
    ("data", "name", "message"), table(__file__, "what_is_wrong_with_a_constant_is_reported")
)
def test_what_is_wrong_with_a_constant_is_reported(data, name, message):
    """message: C stands for the layer"""
    found = fault(data, bytes(12))
    assert (found.name, found.message) == (name, message.replace("C", OF_C0, 1))


@pytest.mark.parametrize(
    ("numbers", "characters", "why"),
    [
        ((2, 0, 5, 2), b"abcde", "string 1 ends at byte 2, must end at its start 5 or later"),
        ((2,), b"", "the string table has 4 bytes, must have at least 8"),
        ((1, 0, 1), b"a", "the string table has 1 strings, must have 2 for its shape"),
    ],
)
def test_corrupt_strings_are_reported_from_their_table(numbers, characters, why):
    table = struct.pack(f"<{len(numbers)}i", *numbers) + characters
    found = fault(region("string", "2", 0, len(table)), table)
    assert (found.name, found.message) == ("corrupt-strings", f'layer 0 "c0" (Const): {why}')


@pytest.mark.parametrize(
    ("strings", "number", "why"),
    [
        ((b"\xff",), 0, "invalid start byte at byte 0"),
        (("é".encode(), b"a", b"b\xe2\x82"), 2, "unexpected end of data at byte 1"),
        (("é".encode()[:1], "é".encode()[1:]), 0, "unexpected end of data at byte 0"),
    ],
)
def test_strings_that_are_no_utf8_are_reported_as_a_run_does(strings, number, why):
    ends = [0, *accumulate(map(len, strings))]
    table = struct.pack(f"<{len(ends) + 1}i", len(strings), *ends) + b"".join(strings)
    model = model_of(region("string", str(len(strings)), 0, len(table)), weights=table)
    (reported,) = constant_faults(model)
    assert reported.code == "IR507"
    assert reported.message.endswith(f"string {number} is not valid UTF-8: {why}")
    assert refusal(model, model.layers[0]).message == reported.message


def test_characters_that_another_constant_overwrites_are_reported():
    table = struct.pack("<3i", 1, 0, 4) + struct.pack("<f", -1.5)
    model = model_of(region("string", "1", 0, len(table)), region("f32", "1", 12, 4), weights=table)
    assert [fault.code for fault in constant_faults(model)] == ["IR507"]


def test_long_strings_are_decoded_in_parts(monkeypatch):
    monkeypatch.setattr(packing, "_CHUNK", 3)
    monkeypatch.setattr(packing, "_BLOCK", 2)
    text = ["", "aé€𝄞" * 5, "b", "", "é"]
    table = packing.pack(np.array(text, object), element_type("string"))
    model = model_of(region("string", "5", 0, len(table)), weights=table)
    assert list(constant_faults(model)) == []
    assert constant(model, model.layers[0]).tolist() == text
    broken = bytearray(table)
    broken[-1] = ord("x")
    (reported,) = constant_faults(model_of(region("string", "5", 0, len(table)), weights=bytes(broken)))
    assert "string 4 is not valid UTF-8" in reported.message


def test_packing_that_was_forgotten_is_noticed():
    found = fault(region("u4", "5", 0, 5), bytes(5))
    assert "size is one byte per element, but elements of u4 share bytes" in found.notes


def test_missing_weights_are_reported_once(tmp_path):
    regions = (region("f32", "0", 0, 1), region("f32", "3", 0, 12), region("f32", "3", 12, 12))
    layers = "".join(const(data, number) for number, data in enumerate(regions))
    (tmp_path / "m.xml").write_text(f'<net version="11">\n<layers>\n{layers}</layers></net>')
    model, found = load(tmp_path / "m.xml")
    assert found == ()
    (reported,) = constant_faults(model)
    needed = 'm.bin does not exist; layer 1 "c1" (Const) and another constant need it, 24 bytes or more'
    assert (reported.name, reported.message) == ("missing-weights", needed)
    assert (reported.location.line, reported.location.layer_name) == (4, "c1")


def test_a_constant_without_weights_has_the_diagnostic_of_check(plain):
    plain.with_suffix(".bin").unlink()
    model = read(plain)
    with pytest.raises(DiagnosticError, match=r"error IR501 m\.bin does not exist; layer"):
        constant(model, model.layer("w"))


def test_weights_that_were_cut_off_say_so_once():
    model = model_of(*(region("u8", "4", offset, 4) for offset in (0, 4, 8)), weights=bytes(6))
    (fault,) = constant_faults(model)
    assert fault.location.layer_name == "c1"
    assert fault.message.endswith("within the 6 bytes of the .bin, as must 1 other constant")
    hint = "the .bin has 6 bytes, the constants need 12: it is cut off, or belongs to another model"
    assert hint in fault.notes


def test_a_constant_that_is_not_there_is_refused_with_its_layer():
    model = model_of(region("f32", "3", 4, 12), weights=bytes(12))
    reported = refusal(model, model.layers[0])
    where = reported.location
    assert (reported.name, where.layer_name, where.line) == ("constant-outside-weights", "c0", 3)


def test_a_missing_constant_in_a_body_has_its_path():
    model = read(FILES / "bodies.xml", FILES / "plain.bin")
    reported = [d for d in constant_faults(model) if d.location.layer_name == "half"]
    assert [d.location.path for d in reported] == [("steps", "body")]
    half = next(layer for _, layer in model.walk() if layer.name == "half")
    assert refusal(model, half).location.path == ("steps", "body")


def test_nothing_of_the_weights_is_read_before_it_is_needed(plain):
    weights = plain.with_suffix(".bin")
    before = weights.stat().st_atime_ns
    os.utime(weights, ns=(0, weights.stat().st_mtime_ns))
    assert list(constant_faults(read(plain))) == []
    assert weights.stat().st_atime_ns == 0
    assert before != 0


def test_weights_far_larger_than_memory_are_mapped(tmp_path):
    (tmp_path / "m.xml").write_text(
        f'<net version="11"><layers>{const(region("u8", "4", (1 << 36) - 4, 4))}</layers></net>'
    )
    with (tmp_path / "m.bin").open("wb") as file:
        file.truncate(1 << 36)
    model = read(tmp_path / "m.xml")
    assert constant(model, model.layers[0]).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("data", "attribute", "notes"), table(__file__, "a_fault_of_a_constant_is_at_its_attribute")
)
def test_a_fault_of_a_constant_is_at_its_attribute(data, attribute, notes):
    found = fault(data, bytes(12))
    line = const(data)
    if attribute == "-":
        place = 0
    else:
        place = line.index("<data") if attribute == "data" else line.index(f" {attribute}=") + 1
    assert found.location.column == place + 1
    if isinstance(notes, int):
        assert len(found.notes) == notes
    else:
        assert found.notes[: len(notes)] == tuple(notes)
        short = found.name == "constant-outside-weights"
        assert len(found.notes) == len(notes) + short


@pytest.mark.parametrize(("data", "weights"), table(__file__, "a_constant_that_is_all_there_has_no_fault"))
def test_a_constant_that_is_all_there_has_no_fault(data, weights):
    assert list(constant_faults(model_of(data, weights=bytes(weights)))) == []


@pytest.mark.parametrize(
    ("count", "who"), [(1, " needs"), (2, " and another constant need"), (4, " and 3 other constants need")]
)
def test_of_missing_weights_the_constants_are_counted(count, who):
    regions = [region("f32", "1", 4 * k, 4) for k in reversed(range(count))]
    (found,) = constant_faults(model_of(*regions, weights=b""))
    assert found.message == f'the .bin is empty; layer 0 "c0" (Const){who} it, {4 * count} bytes or more'
    assert found.location.layer_name == "c0"


def test_without_weights_faults_of_declarations_are_found_all_the_same():
    found = list(constant_faults(model_of(region("f32", "?", 0, 4), region("f32", "1", 0, 4), weights=b"")))
    assert [(d.name, d.location.layer_name) for d in found] == [(DYNAMIC, "c0"), ("missing-weights", "c1")]


def test_a_model_without_weights_and_constants_has_no_fault():
    assert list(constant_faults(Model())) == []
    require_unchanged_weights(Model())


def test_weights_that_were_changed_since_are_found_by_name(plain):
    model = read(plain)
    constant(model, model.layer("w"))
    require_unchanged_weights(model)
    os.utime(plain.with_suffix(".bin"), ns=(0, 0))
    with pytest.raises(DiagnosticError) as error:
        require_unchanged_weights(model)
    (found,) = error.value.diagnostics
    assert (found.name, found.location.file) == ("changed-weights", str(plain))
    assert refusal(model, model.layer("w")).name == "changed-weights"


def test_a_constant_may_be_copied_instead_of_viewed(tmp_path, monkeypatch):
    model = read(FILES / "plain.xml")
    assert model.weights is not None
    calls = []
    for name in ("view", "read"):
        original = getattr(Weights, name)

        def noted(*arguments, name=name, original=original):
            calls.append(name)
            return original(*arguments)

        monkeypatch.setattr(Weights, name, noted)
    assert constant(model, model.layer("w"), files=OpenFiles()).tolist() == [1, -2, 0.5]
    assert calls == ["read"]
    calls.clear()
    assert constant(model, model.layer("w")).tolist() == [1, -2, 0.5]
    assert calls == ["view"]


def test_an_array_of_too_many_axes_is_refused():
    most, more = (model_of(region("u8", ",".join("1" * axes), 0, 1), weights=b"\7") for axes in (64, 65))
    assert list(constant_faults(most)) == list(constant_faults(more)) == []
    assert constant(most, most.layers[0]).shape == (1,) * 64
    found = refusal(more, more.layers[0])
    assert found.name == "unsupported-array"
    assert "65 axes" in found.message
    assert "at most 64" in found.message


def test_a_constant_of_a_model_made_in_memory_is_refused_without_a_place():
    layer = Layer(3, "c", "Const", "opset1", {"element_type": "f32"})
    where = refusal(Model(graph=LayerGraph([layer])), layer).location
    assert (where.file, where.line, where.layer_id, where.layer_name) == (None, None, 3, "c")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="who may read everything is refused nothing")
def test_weights_that_may_not_be_read_are_reported_as_such(plain):
    plain.with_suffix(".bin").chmod(0)
    (reported,) = constant_faults(read(plain))
    assert reported.message.startswith("m.bin cannot be read: Permission denied; ")
