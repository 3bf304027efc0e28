"""Files that hold no model say why, each cause in its own words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from irops.diagnostics.diagnostic import Diagnostic, ReadError
from irops.ir.locate import SourceText
from irops.ir.parse import Faults
from irops.ir.read import is_binary, load, loads, without_doctype

FILES = Path(__file__).parent / "files"
PLAIN = (FILES / "plain.xml").read_text()
NET = '<net version="11"><layers/></net>'


def refusal(raw: bytes) -> Diagnostic:
    with pytest.raises(ReadError) as error:
        loads(raw)
    return error.value.diagnostics[0]


def refusal_of(path: Path) -> Diagnostic:
    with pytest.raises(ReadError) as error:
        load(path)
    assert len(error.value.diagnostics) == 1
    return error.value.diagnostics[0]


def test_a_file_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "other.xml").write_text(NET)
    found = refusal_of(tmp_path / "model.xml")
    assert found.name == "file-not-found"
    assert found.notes == ("the folder contains other.xml",)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert refusal_of(tmp_path / "gone" / "model.xml").notes == (
        f"the folder {tmp_path / 'gone'} does not exist",
    )


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert refusal_of(tmp_path).name == "not-a-file"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "model.xml")
    assert refusal_of(tmp_path / "model.xml").name == "not-a-file"


@pytest.mark.parametrize("raw", [b"", b" \r\n\t"])
def test_a_file_without_content_is_empty(raw: bytes) -> None:
    assert refusal(raw).name == "empty-file"


def test_weights_given_as_the_model_are_recognised_by_the_xml_beside_them(tmp_path: Path) -> None:
    (tmp_path / "m.bin").write_bytes(bytes(range(256)))
    (tmp_path / "m.xml").write_text(NET)
    found = refusal_of(tmp_path / "m.bin")
    assert found.name == "swapped-files"
    assert found.notes == ("pass m.xml as the model",)


def test_two_files_with_each_others_names_are_recognised(tmp_path: Path) -> None:
    (tmp_path / "m.xml").write_bytes(bytes(range(256)))
    (tmp_path / "m.bin").write_text(NET)
    assert refusal_of(tmp_path / "m.xml").name == "swapped-files"


def test_of_large_weights_only_the_start_is_read(tmp_path: Path) -> None:
    with (tmp_path / "m.bin").open("wb") as file:
        file.truncate(1 << 40)
    assert refusal_of(tmp_path / "m.bin").name == "swapped-files"


@pytest.mark.parametrize(
    ("start", "what"), [(b"PK\3\4", "a zip archive"), (b"\x1f\x8b\x08", "a gzip archive")]
)
def test_an_archive_is_recognised(start: bytes, what: str) -> None:
    found = refusal(start + bytes(100))
    assert found.name == "not-xml"
    assert what in found.message


@pytest.mark.parametrize(
    ("raw", "name", "line", "column"),
    [
        ('<net version="11">\n<layers>', "truncated-file", 2, 9),
        ('<net version="11">\n<lay', "truncated-file", 2, 1),
        ('<net version="11">\n<!-- ', "malformed-xml", 2, 1),
        ('<net version="11">\n</nets>', "malformed-xml", 2, 3),
        ('<net version="11" name="a&b"/>', "malformed-xml", 1, 28),
        ('<net version="11" name="&what;"/>', "malformed-xml", 1, 25),
        ('<net version="11" name="&#0;"/>', "malformed-xml", 1, 25),
        ('<net version="11" version="10"/>', "malformed-xml", 1, 19),
        ("<net version=11/>", "malformed-xml", 1, 14),
        (NET + "\n" + NET, "malformed-xml", 2, 1),
        ("hello\n" + NET, "malformed-xml", 1, 1),
        ("\n<?xml version='1.0'?>" + NET, "malformed-xml", 2, 1),
        ("\ufeff\ufeff" + NET, "malformed-xml", 1, 1),
        ('<?xml version="1.0"?>\n<!-- only this -->', "malformed-xml", 2, 19),
    ],
)
def test_text_that_is_not_well_formed_is_refused_where_it_is_not(
    raw: str, name: str, line: int, column: int
) -> None:
    found = refusal(raw.encode())
    assert (found.name, found.location.line, found.location.column) == (name, line, column)


def test_the_line_that_is_not_well_formed_is_shown() -> None:
    assert refusal(b'<net version="11">\n  <layer id=1 name="x"/>\n</net>').notes == (
        'line 2 is: <layer id=1 name="x"/>',
    )


@pytest.mark.parametrize("end", [100, 400, 900, 1500])
def test_a_file_that_was_cut_off_says_so(end: int) -> None:
    found = refusal(PLAIN[:end].encode())
    assert found.name == "truncated-file"
    assert found.notes[0].startswith('open elements: net "plain"')


@pytest.mark.parametrize("bad", [b"\xff\xfe", b"\xc0\xaf", b"\xed\xa0\x80"])
def test_bytes_that_are_no_utf8_are_refused(bad: bytes) -> None:
    found = refusal(b'<net version="11">\n<layers name="' + bad + b'"/></net>')
    assert (found.name, found.location.line, found.location.column) == ("invalid-encoding", 2, 15)


@pytest.mark.parametrize("encoding", ["UTF-7", "x-evil", "EBCDIC-CP-BE"])
def test_an_encoding_that_is_not_read_is_named(encoding: str) -> None:
    found = refusal(f'<?xml version="1.0" encoding="{encoding}"?>{NET}'.encode())
    assert found.name == "unknown-encoding"
    assert encoding in found.message


def test_a_declaration_that_the_bytes_contradict_is_refused() -> None:
    assert refusal(f'<?xml version="1.0" encoding="UTF-16"?>{NET}'.encode()).name == "invalid-encoding"


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("utf-8", "UTF-8"),
        ("utf-8-sig", "UTF-8"),
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16"),
        ("utf-16-be", "UTF-16"),
        ("iso-8859-1", "ISO-8859-1"),
        ("windows-1252", "windows-1252"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_an_encoding_changes_nothing_but_bytes(encoding: str, declared: str, end: str) -> None:
    text = PLAIN.replace('version="1.0"', f'version="1.0" encoding="{declared}"').replace(
        'name="sum"', 'name="sömme"'
    )
    model, found = loads(text.replace("\n", end).encode(encoding))
    assert found == ()
    assert model.layers[2].name == "sömme"
    assert model.source is not None
    assert model.source.line_column(model.layers[2].data_at) == (22, 4)


def test_a_document_type_is_refused_and_the_rest_is_checked() -> None:
    declaration = '<!DOCTYPE net [\n <!ATTLIST layer version CDATA "opset1">\n]>\n'
    text = PLAIN.replace("<net", declaration + "<net", 1).replace(
        ' type="Add" version="opset1"', ' type="Add"'
    )
    _, found = loads(text.encode())
    assert [(d.name, d.location.line) for d in found] == [("document-type", 3), ("incomplete-element", 24)]


@pytest.mark.parametrize(
    "declaration",
    [
        "<!DOCTYPE net>",
        '<!DOCTYPE net SYSTEM "file:///etc/passwd">',
        '<!DOCTYPE net PUBLIC "ab" "c>d">',
        "<!DOCTYPE net [ <!-- > --> <!ENTITY % p SYSTEM 'http://localhost/x'> %p; ]>",
    ],
)
def test_a_document_type_changes_nothing(declaration: str) -> None:
    model, found = loads(PLAIN.replace("<net", declaration + "\n<net", 1).encode())
    assert [d.name for d in found] == ["document-type"]
    assert model == loads(PLAIN.encode())[0]


@pytest.mark.parametrize(
    ("declaration", "line"),
    [
        ('<!DOCTYPE net [\n <!ENTITY a "aaaa">\n]>', 2),
        ('<!DOCTYPE net [\n <!ENTITY a SYSTEM "file:///etc/passwd">\n]>', 3),
    ],
)
def test_an_entity_is_not_expanded(declaration: str, line: int) -> None:
    text = (
        f'<?xml version="1.0"?>\n{declaration}\n<net version="11"'
        ' name="m"><layers/><rt_info>&a;</rt_info></net>'
    )
    with pytest.raises(ReadError) as error:
        loads(text.encode())
    assert [(d.name, d.location.line) for d in error.value.diagnostics] == [("document-type", line)]


def test_a_document_type_in_a_comment_is_ignored() -> None:
    assert loads(PLAIN.replace("<net", "<!-- <!DOCTYPE net> -->\n<net", 1).encode())[1] == ()


def test_a_long_comment_before_the_root_is_no_obstacle() -> None:
    assert loads(PLAIN.replace("<net", f"<!--{'x' * 100_000}-->\n<net", 1).encode())[1] == ()


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"PK\3\4",
        b"\x08\x0a\x12\x07pytorch",
        b"\x01\x02",
        f'<?xml version="1.0" encoding="x-evil"?>{NET}'.encode(),
    ],
)
def test_what_is_no_text_is_found_at_its_start(raw: bytes) -> None:
    found = refusal(raw)
    declared = raw.find(b"x-evil")
    assert (found.location.line, found.location.column) == (1, max(declared, 0) + 1)


@pytest.mark.parametrize(
    ("start", "name"),
    [
        (b"\x08\x03nothing", "not-xml"),
        (b"PK\3\4onnx", "not-xml"),
        (b"\xfd7zXZ\x00", "not-xml"),
        (b"7z\xbc\xaf\x27", "not-xml"),
        (b"\xe9t\xe9", "not-xml"),
    ],
)
def test_bytes_that_are_no_text_are_recognised_by_their_start(start: bytes, name: str) -> None:
    assert refusal(start).name == name


@pytest.mark.parametrize(
    ("data", "binary"),
    [
        (b"<net/>", False),
        (b" \n\t\r<\x00", False),
        (b"\xef\xbb\xbf<\x00", False),
        (b"text", False),
        ("é".encode(), False),
        ("é".encode()[:1], False),
        (b"\xe9t", True),
        (b"a\x00b", True),
        (b"a\x08b", True),
        (b"a\x0e", True),
        (b"a\x1f", True),
        (b"a\t\n\x0b\x0c\r", False),
        (b"\xff\xfe<\x00", False),
        (b"\xfe\xff\x00<", False),
        (b"<\x00n\x00", False),
        (b"\x00<\x00n", False),
        (b"x" * 999 + b"\x00", True),
        (b"x" * 1000 + b"\x00", False),
    ],
)
def test_a_file_is_binary_where_its_start_is_no_text(data: bytes, binary: bool) -> None:
    assert is_binary(data) is binary


@pytest.mark.parametrize(
    ("declaration", "name"),
    [
        ('<?xml version="1.0" encoding="US-ASCII"?>', None),
        ('<?xml version="1.0" encoding="latin1"?>', None),
        ("<?xml version='1.0' encoding = 'cp1252' ?>", None),
        ('<?xml version="1.0" encoding="utf-32"?>', "invalid-encoding"),
        ('<?xml version="1.0" encoding="latin2"?>', "unknown-encoding"),
        ('<?xml version="1.0" encoding="iso-8859-99"?>', "unknown-encoding"),
    ],
)
def test_a_declared_encoding_is_read_or_refused(declaration: str, name: str | None) -> None:
    raw = (declaration + NET).encode("ascii")
    if name is None:
        assert loads(raw)[1] == ()
    else:
        assert refusal(raw).name == name


def test_text_that_was_decoded_is_not_fixed_in_place() -> None:
    faulty = PLAIN.replace("</layer>", '<rt_info><attribute name="layout" version="0"/></rt_info></layer>', 1)
    assert [d.fix is None for d in loads(faulty.encode())[1]] == [False]
    assert [d.fix is None for d in loads(faulty.encode("utf-16"))[1]] == [True]


def test_bytes_that_are_not_in_the_declared_encoding_are_found_where_they_are() -> None:
    raw = b'<?xml version="1.0" encoding="windows-1252"?>\n<net version="11" name="\x81"/>'
    found = refusal(raw)
    assert (found.name, found.location.line, found.location.column) == ("invalid-encoding", 2, 25)


def test_a_declaration_that_the_bytes_contradict_is_found_at_the_encoding() -> None:
    found = refusal(f'<?xml version="1.0" encoding="UTF-16"?>{NET}'.encode())
    assert (found.location.line, found.location.column) == (1, 31)
    found = refusal(f'\ufeff<?xml version="1.0" encoding="UTF-16"?>{NET}'.encode())
    assert (found.location.line, found.location.column) == (1, 31)


@pytest.mark.parametrize("suffix", [".bin", ".BIN"])
def test_weights_given_as_the_model_say_where_the_model_is(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"m{suffix}").write_bytes(bytes(range(256)))
    found = refusal_of(tmp_path / f"m{suffix}")
    assert (found.name, found.notes) == ("swapped-files", ())
    assert (found.location.line, found.location.column) == (1, 1)


@pytest.mark.parametrize("beside", [b"no xml", b"", None])
def test_bytes_beside_which_no_xml_lies_are_no_xml(tmp_path: Path, beside: bytes | None) -> None:
    (tmp_path / "m.xml").write_bytes(bytes(range(256)))
    if beside is not None:
        (tmp_path / "m.bin").write_bytes(beside)
    assert refusal_of(tmp_path / "m.xml").name == "not-xml"


@pytest.mark.parametrize("count", [1, 5, 6])
def test_up_to_five_models_beside_a_missing_one_are_named(tmp_path: Path, count: int) -> None:
    for k in range(count):
        (tmp_path / f"m{k}.xml").write_text(NET)
    found = refusal_of(tmp_path / "gone.xml")
    assert found.notes == (f"the folder contains {', '.join(f'm{k}.xml' for k in range(min(count, 5)))}",)
    assert (found.location.line, found.location.column) == (None, None)


def test_a_missing_model_without_others_beside_it_has_no_note(tmp_path: Path) -> None:
    assert refusal_of(tmp_path / "gone.xml").notes == ()


@pytest.mark.parametrize(
    ("declaration", "line", "column", "what"),
    [
        ("<!DOCTYPE net>", 1, 1, "a document type declaration"),
        ("\n <!DOCTYPE net [\n]>", 2, 2, "a document type declaration"),
        ('<!DOCTYPE net [\n <!ENTITY a "x">\n]>', 1, 1, "a document type declaration"),
        (
            '<!DOCTYPE net [\n <!ENTITY a SYSTEM "f">\n<!ENTITY b SYSTEM "g">]>',
            2,
            2,
            "an entity 'a' that stands for the file 'f'",
        ),
        (
            '<!DOCTYPE net [\n<!ATTLIST layer a CDATA #IMPLIED>\n <!ATTLIST layer b CDATA "c">]>',
            3,
            2,
            "a default b='c' for every <layer>",
        ),
    ],
)
def test_of_a_document_type_the_most_harmful_part_is_named(
    declaration: str, line: int, column: int, what: str
) -> None:
    _, found = loads((declaration + NET).encode())
    assert [(d.name, what in d.message) for d in found] == [("document-type", True)]
    assert found[0].location.column is not None
    assert found[0].location.line == line


def test_places_behind_a_document_type_are_those_of_the_file() -> None:
    text = '<!DOCTYPE net [\r\n <!ENTITY a "x">\n]>  <net version="11"><layers/><q/></net>'
    _, found = loads(text.encode())
    assert [(d.name, d.location.line, d.location.column) for d in found] == [
        ("document-type", 1, 1),
        ("unknown-element", 3, 5 + len('<net version="11"><layers/>')),
    ]


def test_a_document_type_that_is_not_ended_is_both_faults() -> None:
    with pytest.raises(ReadError) as error:
        loads(b"<!DOCTYPE net [ <!ENTITY a 'x'>")
    assert [d.name for d in error.value.diagnostics] == ["document-type"]


def test_an_encoding_is_looked_for_within_the_first_400_bytes() -> None:
    declared = ' encoding="x-evil"'
    texts = {}
    for end in (400, 401):
        text = '<?xml version="1.0"'
        text += " " * (end - len(text) - len(declared)) + declared
        assert len(text) == end
        texts[end] = f"{text}?>{NET}".encode()
    assert refusal(texts[400]).name == "unknown-encoding"
    assert loads(texts[401])[1] == ()


@pytest.mark.parametrize(
    "declaration", ["  <!DOCTYPE net [", "<!DOCTYPE net", "\n<!DOCTYPE net [ <!ENTITY a 'x'>"]
)
def test_a_document_type_that_is_not_ended_is_reported_and_the_text_stays(declaration: str) -> None:
    faults = Faults(SourceText(None, declaration.encode()))
    assert without_doctype(declaration.encode(), faults) == declaration.encode()
    assert len(faults.findings) <= 1


def test_a_declaration_in_a_comment_is_not_one() -> None:
    xml = b'<!-- <!DOCTYPE net> --><net name="m" version="11"><layers/><edges/></net>'
    assert "document-type" not in [finding.name for finding in loads(xml)[1]]


@pytest.mark.parametrize("name", ["m", "m.abc", "m.xml", "m.zip"])
def test_bytes_under_another_name_than_weights_have_are_no_xml(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(bytes(range(256)))
    assert refusal_of(tmp_path / name).name == "not-xml"
