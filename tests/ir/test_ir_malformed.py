"""Text that is not well-formed XML: each cause has its own message, at its own place."""

import pytest

from irops.diagnostics.diagnostic import ReadError
from irops.ir.read import loads

NET = '<net version="11"><layers/></net>'
CUT_OFF = "the file seems to be cut off: fetch or export it again"
NO_ENTITY = "is not an XML entity, must be one of &lt; &gt; &amp; &quot; &apos;"
START = "is only allowed at the very start of the file"
LESS = "a '<' in a tag must be written &lt;, or the tag before it is not closed"


def refusal(text):
    with pytest.raises(ReadError) as error:
        loads(text if isinstance(text, bytes) else text.encode())
    return error.value.diagnostics[0]


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("<net>\n</nets>", 2, 3, "</nets> does not match the open element, <net> on line 1"),
        ("<net>\n<a>\n</b>", 3, 3, "</b> does not match the open element, <a> on line 2"),
        ("<net><a></net>", 1, 11, "</net> does not match the open element, <a> on line 1"),
        ('<net a="a&b"/>', 1, 12, "an '&' must be written &amp;"),
        ('<net a="a & ; b"/>', 1, 12, "an '&' must be written &amp;"),
        ("<net>a & b</net>", 1, 9, "an '&' must be written &amp;"),
        (f'<net a="&what;{"x" * 99}"/>', 1, 9, f"&what; {NO_ENTITY}"),
        ("<net>\n&nbsp;</net>", 2, 1, f"&nbsp; {NO_ENTITY}"),
        ("<net>&lt;&b;</net>", 1, 10, f"&b; {NO_ENTITY}"),
        ('<net a="&#0;"/>', 1, 9, "&#0; is a character that XML does not allow"),
        ("<net>\n  &#xFFFF;</net>", 2, 3, "&#xFFFF; is a character that XML does not allow"),
        ('<net version="11" version="10"/>', 1, 19, "attribute 'version' is repeated"),
        ('<net a="1" b=2/>', 1, 14, "the value of an attribute must be in quotes"),
        (NET + "\n" + NET, 2, 1, "there is content after the end of the root element"),
        (NET + "tail", 1, 34, "there is content after the end of the root element"),
        (NET + "</net>", 1, 35, "there is content after the end of the root element"),
        ("hello\n" + NET, 1, 1, "there is text before the root element"),
        ("\n<?xml version='1.0'?>" + NET, 2, 1, f"an XML declaration (<?xml …?>) {START}"),
        ("\ufeff\ufeff" + NET, 1, 1, f"a byte order mark {START}"),
        ("<net>\n<!-- a -- b --></net>", 2, 10, "a comment must not contain '--'"),
        ("<net\n<a/></net>", 2, 1, LESS),
        ('<net a="a<b"/>', 1, 10, LESS),
        ("<net>\x01</net>", 1, 6, "not well-formed XML: '\\x01' is not allowed here"),
        ("<net>é\x01</net>", 1, 7, "not well-formed XML: '\\x01' is not allowed here"),
        ('<net a="1"b="2"/>', 1, 11, "not well-formed XML: 'b' is not allowed here"),
        ("<net>&amp;\x01</net>", 1, 11, "not well-formed XML: '\\x01' is not allowed here"),
        ("<net>a=\x01</net>", 1, 8, "not well-formed XML: '\\x01' is not allowed here"),
        ("<net>&\n</net>", 1, 7, "an '&' must be written &amp;"),
    ],
)
def test_each_cause_is_named_where_it_is(text, line, column, message):
    found = refusal(text)
    assert (found.name, found.message) == ("malformed-xml", message)
    assert (found.location.line, found.location.column) == (line, column)
    shown = text.split("\n")[line - 1].strip().strip("\ufeff")
    assert found.notes == (f"line {line} is: {shown}",)


@pytest.mark.parametrize(
    ("text", "column", "what"),
    [
        ("<net>\n<!-- x", 1, "a comment"),
        ("<net>\n <![CDATA[ x", 2, "a CDATA section"),
        ("<net>\n<a/><?php x", 5, "a processing instruction"),
    ],
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
    [
        ("<net>\n<layers>", "layers", 2, "net > layers", 9),
        ("<net>\n<lay", "net", 1, "net", 1),
        ('<net name="n">\n<l><layer name="L"><input>', "input", 2, 'net "n" > l > layer "L" > input', 27),
    ],
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
