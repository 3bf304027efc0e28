"""Text that is not well-formed XML: each cause has its own message, at its own place."""

import pytest
from tables import table

from irops.diagnostics.diagnostic import ReadError
from irops.ir.read import loads

CUT_OFF = "the file seems to be cut off: fetch or export it again"


def refusal(text):
    with pytest.raises(ReadError) as error:
        loads(text if isinstance(text, bytes) else text.encode())
    return error.value.diagnostics[0]


@pytest.mark.parametrize(
    ("text", "line", "column", "message"), table(__file__, "each_cause_is_named_where_it_is")
)
def test_each_cause_is_named_where_it_is(text, line, column, message):
    found = refusal(text)
    assert (found.name, found.message) == ("malformed-xml", message)
    assert (found.location.line, found.location.column) == (line, column)
    shown = text.split("\n")[line - 1].strip().strip("\ufeff")
    assert found.notes == (f"line {line} is: {shown}",)


@pytest.mark.parametrize(
    ("text", "column", "what"), table(__file__, "what_is_opened_and_never_ended_is_named_at_its_start")
)
def test_what_is_opened_and_never_ended_is_named_at_its_start(text, column, what):
    found = refusal(text)
    assert (found.name, found.message) == ("malformed-xml", f"{what} starts here and is never closed")
    assert (found.location.line, found.location.column, found.notes) == (2, column, ())


@pytest.mark.parametrize(
    ("text", "line", "column"), [("<", 1, 1), ('<?xml version="1.0"?>\n<!-- only this -->', 2, 19)]
)
def test_a_text_without_an_element_is_no_model(text, line, column):
    found = refusal(text)
    assert found.message == "the file has no element, must have a <net>"
    assert (found.location.line, found.location.column) == (line, column)


@pytest.mark.parametrize(
    ("text", "inside", "line", "opened", "column"),
    table(__file__, "a_text_that_is_cut_off_names_what_was_open"),
)
def test_a_text_that_is_cut_off_names_what_was_open(text, inside, line, opened, column):
    found = refusal(text)
    message = f"the file ends inside <{inside}>, which starts on line {line}"
    assert (found.name, found.message) == ("truncated-file", message)
    assert found.notes == (f"open elements: {opened}", CUT_OFF)
    assert (found.location.line, found.location.column) == (2, column)


@pytest.mark.parametrize(
    ("text", "column", "shown"),
    [
        (b'<net version="11" name="\xff"/>', 25, "FF 22"),
        (b'<a name="ab\xe9cd"/>', 12, "E9 63"),
        (b"<net>\xc3(</net>", 6, "C3 28"),
        (b'<net name="\xc0\xaf"/>', 12, "C0 AF"),
        (b'<net name="\xed\xa0\x80"/>', 12, "ED A0"),
        (b"<net>" + b"x" * 50 + b"\xe9\xe9</net>", 56, "E9 E9"),
    ],
)
def test_bytes_that_are_no_utf_8_are_shown(text, column, shown):
    found = refusal(text)
    assert (found.name, found.message) == ("invalid-encoding", f"bytes {shown} are not valid UTF-8")
    assert (found.location.line, found.location.column) == (1, column)


def test_bytes_that_are_no_utf_8_far_behind_are_not_the_cause():
    assert refusal(b"<net>& " + b"x" * 60 + b"\xe9</net>").message == "an '&' must be written &amp;"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f'<net {"a" * 300}="1" {"a" * 300}="2"/>', f"'{'a' * 200}' "),
        (f"<net></{'b' * 300}>", f"</{'b' * 200}>"),
        (f'<net a="&#{"0" * 300};"/>', f"&#{'0' * 38} "),
    ],
)
def test_names_are_shown_in_part(text, shown):
    assert shown in refusal(text).message


@pytest.mark.parametrize(("length", "cut"), [(147, False), (148, False), (149, True)])
def test_a_long_line_is_shown_in_part(length, cut):
    line = f"<net>{'x' * length} & y</a>"[: length + 12]
    (note,) = refusal(f"\n  {line}  \n").notes
    assert note == f"line 2 is: {line[:160]}" + ("…" if cut else "")
