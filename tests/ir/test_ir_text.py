"""Files that hold no model say why, each cause in its own words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from irops.diagnostics.diagnostic import Diagnostic, ReadError
from irops.ir.read import load, loads

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
