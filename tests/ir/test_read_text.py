"""Files that hold no model say why, each cause in its own words."""

import os
from pathlib import Path

import pytest
from tables import table

from irops.diagnostics.diagnostic import ReadError
from irops.ir.locate import SourceText
from irops.ir.parse import Faults
from irops.ir.read import is_binary, load, loads, without_doctype

FILES = Path(__file__).parent / "files"
PLAIN = (FILES / "plain.xml").read_text()
NET = '<net version="11"><layers/></net>'
XML, BYTES = NET.encode(), bytes(range(256))
SIX = {f"m{k}.xml": XML for k in range(6)}


def refusal(raw):
    with pytest.raises(ReadError) as error:
        loads(raw)
    return error.value.diagnostics[0]


def refusal_of(path):
    with pytest.raises(ReadError) as error:
        load(path)
    assert len(error.value.diagnostics) == 1
    return error.value.diagnostics[0]


@pytest.mark.parametrize(
    ("name", "others", "rule", "notes"),
    [
        ("gone.xml", {}, "file-not-found", ()),
        ("gone.xml", {"other.xml": XML}, "file-not-found", ("the folder contains other.xml",)),
        ("gone.xml", SIX, "file-not-found", ("the folder contains m0.xml, m1.xml, m2.xml, m3.xml, m4.xml",)),
        ("m.bin", {"m.bin": BYTES}, "swapped-files", ()),
        ("m.BIN", {"m.BIN": BYTES}, "swapped-files", ()),
        ("m.bin", {"m.bin": BYTES, "m.xml": XML}, "swapped-files", ("pass m.xml as the model",)),
        ("m.xml", {"m.xml": BYTES, "m.bin": XML}, "swapped-files", None),
        ("m.xml", {"m.xml": BYTES, "m.bin": b"no xml"}, "not-xml", None),
        ("m.xml", {"m.xml": BYTES, "m.bin": b""}, "not-xml", None),
        *((name, {name: BYTES}, "not-xml", None) for name in ("m", "m.abc", "m.xml", "m.zip")),
    ],
)
def test_a_file_that_holds_no_model_is_judged_by_its_name_and_those_beside_it(
    name, others, rule, notes, tmp_path
):
    for other, content in others.items():
        (tmp_path / other).write_bytes(content)
    found = refusal_of(tmp_path / name)
    assert found.name == rule
    assert found.notes == notes or notes is None
    place = None if rule == "file-not-found" else 1
    assert (found.location.line, found.location.column) == (place, place)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    gone = tmp_path / "gone"
    assert refusal_of(gone / "model.xml").notes == (f"the folder {gone} does not exist",)


def test_a_folder_is_no_file(tmp_path):
    assert refusal_of(tmp_path).name == "not-a-file"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "model.xml")
    assert refusal_of(tmp_path / "model.xml").name == "not-a-file"


def test_of_large_weights_only_the_start_is_read(tmp_path):
    with (tmp_path / "m.bin").open("wb") as file:
        file.truncate(1 << 40)
    assert refusal_of(tmp_path / "m.bin").name == "swapped-files"


@pytest.mark.parametrize(
    ("encoding", "declared"), table(__file__, "an_encoding_changes_nothing_but_bytes_encoding_declared")
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_an_encoding_changes_nothing_but_bytes(encoding, declared, end):
    text = PLAIN.replace('version="1.0"', f'version="1.0" encoding="{declared}"')
    text = text.replace('name="sum"', 'name="sömme"').replace("\n", end)
    model, found = loads(text.encode(encoding))
    assert found == ()
    assert model.layers[2].name == "sömme"
    assert model.source.line_column(model.layers[2].data_at) == (22, 4)


def test_a_document_type_is_refused_and_the_rest_is_checked():
    declaration = '<!DOCTYPE net [\n <!ATTLIST layer version CDATA "opset1">\n]>\n'
    text = PLAIN.replace("<net", declaration + "<net", 1).replace('"Add" version="opset1"', '"Add"')
    _, found = loads(text.encode())
    assert [(d.name, d.location.line) for d in found] == [("document-type", 3), ("incomplete-element", 24)]


@pytest.mark.parametrize("declaration", table(__file__, "a_document_type_changes_nothing"))
def test_a_document_type_changes_nothing(declaration):
    model, found = loads(PLAIN.replace("<net", declaration + "\n<net", 1).encode())
    assert [d.name for d in found] == ["document-type"]
    assert model == loads(PLAIN.encode())[0]


@pytest.mark.parametrize(("entity", "line"), [('a "aaaa"', 2), ('a SYSTEM "file:///etc/passwd"', 3)])
def test_an_entity_is_not_expanded(entity, line):
    start = f'<?xml version="1.0"?>\n<!DOCTYPE net [\n <!ENTITY {entity}>\n]>'
    with pytest.raises(ReadError) as error:
        loads(f'{start}\n<net version="11" name="m"><layers/><rt_info>&a;</rt_info></net>'.encode())
    assert [(d.name, d.location.line) for d in error.value.diagnostics] == [("document-type", line)]


@pytest.mark.parametrize("comment", ["<!-- <!DOCTYPE net> -->", f"<!--{'x' * 100_000}-->"])
def test_a_comment_before_the_root_is_no_obstacle(comment):
    assert loads(PLAIN.replace("<net", f"{comment}\n<net", 1).encode())[1] == ()


def declaring(encoding):
    return f'<?xml version="1.0" encoding="{encoding}"?>{NET}'.encode()


@pytest.mark.parametrize(
    ("raw", "name", "words", "line", "column"),
    [
        (b"", "empty-file", "the file is empty", 1, 1),
        (b" \r\n\t", "empty-file", "only whitespace", 1, 1),
        (b"PK\3\4onnx", "not-xml", "a zip archive", 1, 1),
        (b"\x1f\x8b\x08" + bytes(100), "not-xml", "a gzip archive", 1, 1),
        *((b"\x08" + raw, "not-xml", "", 1, 1) for raw in (b"\x0a\x12\x07pytorch", b"\x03nothing")),
        *((raw, "not-xml", "", 1, 1) for raw in (b"\xfd7zXZ\x00", b"7z\xbc\xaf\x27")),
        *((raw, "not-xml", "", 1, 1) for raw in (b"\xe9t\xe9", b"\x01\x02")),
        *((declaring(name), "unknown-encoding", name, 1, 31) for name in ("UTF-7", "x-evil", "EBCDIC-CP-BE")),
        (declaring("UTF-16"), "invalid-encoding", "", 1, 31),
        (b"\xef\xbb\xbf" + declaring("UTF-16"), "invalid-encoding", "", 1, 31),
        (declaring("windows-1252").replace(b"><net", b'>\n<net name="\x81"'), "invalid-encoding", "", 2, 12),
        (b"<!DOCTYPE net [ <!ENTITY a 'x'>", "document-type", "", 1, 1),
    ],
)
def test_what_is_no_text_is_refused_at_its_place(raw, name, words, line, column):
    with pytest.raises(ReadError) as error:
        loads(raw)
    (found,) = error.value.diagnostics
    assert found.name == name
    assert words in found.message
    assert (found.location.line, found.location.column) == (line, column)


@pytest.mark.parametrize(
    ("binary", "data"),
    [
        *((False, data) for data in (b"<net/>", b" \n\t\r<\x00", b"\xef\xbb\xbf<\x00", b"text", b"\xc3\xa9")),
        *((False, data) for data in (b"\xc3", b"a\t\n\x0b\x0c\r", b"x" * 1000 + b"\x00")),
        *((False, data) for data in (b"\xff\xfe<\x00", b"\xfe\xff\x00<", b"<\x00n\x00", b"\x00<\x00n")),
        *(
            (True, data)
            for data in (b"\xe9t", b"a\x00b", b"a\x08b", b"a\x0e", b"a\x1f", b"x" * 999 + b"\x00")
        ),
    ],
)
def test_a_file_is_binary_where_its_start_is_no_text(binary, data):
    assert is_binary(data) is binary


@pytest.mark.parametrize(("declaration", "name"), table(__file__, "a_declared_encoding_is_read_or_refused"))
def test_a_declared_encoding_is_read_or_refused(declaration, name):
    raw = (declaration + NET).encode("ascii")
    if not name:
        assert loads(raw)[1] == ()
    else:
        assert refusal(raw).name == name


def test_text_that_was_decoded_is_not_fixed_in_place():
    faulty = PLAIN.replace("</layer>", '<rt_info><attribute name="layout" version="0"/></rt_info></layer>', 1)
    assert [d.fix is None for d in loads(faulty.encode())[1]] == [False]
    assert [d.fix is None for d in loads(faulty.encode("utf-16"))[1]] == [True]


@pytest.mark.parametrize(
    ("declaration", "line", "what"), table(__file__, "of_a_document_type_the_most_harmful_part_is_named")
)
def test_of_a_document_type_the_most_harmful_part_is_named(declaration, line, what):
    (found,) = loads((declaration + NET).encode())[1]
    assert found.name == "document-type"
    assert what in found.message
    assert found.location.column is not None
    assert found.location.line == line


def test_places_behind_a_document_type_are_those_of_the_file():
    text = '<!DOCTYPE net [\r\n <!ENTITY a "x">\n]>  <net version="11"><layers/><q/></net>'
    _, found = loads(text.encode())
    assert [(d.name, d.location.line, d.location.column) for d in found] == [
        ("document-type", 1, 1),
        ("unknown-element", 3, 5 + len('<net version="11"><layers/>')),
    ]


def test_an_encoding_is_looked_for_within_the_first_400_bytes():
    near, far = ('<?xml version="1.0"' + ' encoding="x-evil"'.rjust(end - 19) for end in (400, 401))
    assert (len(near), len(far)) == (400, 401)
    assert refusal(f"{near}?>{NET}".encode()).name == "unknown-encoding"
    assert loads(f"{far}?>{NET}".encode())[1] == ()


@pytest.mark.parametrize(
    "declaration", ["  <!DOCTYPE net [", "<!DOCTYPE net", "\n<!DOCTYPE net [ <!ENTITY a 'x'>"]
)
def test_a_document_type_that_is_not_ended_is_reported_and_the_text_stays(declaration):
    faults = Faults(SourceText(None, declaration.encode()))
    assert without_doctype(declaration.encode(), faults) == declaration.encode()
    assert len(faults.findings) <= 1
