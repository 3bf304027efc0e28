"""Lines and columns, attributes and children, from byte offsets; edits change exactly what they must."""

import pytest
from hypothesis import given, strategies as st
from tables import table

from irops.diagnostics.diagnostic import Fix, Location, applied
from irops.ir.edits import with_attribute, with_dims, with_new_attribute, without_element
from irops.ir.locate import SourceText
from irops.ir.model import Layer

TAG = b"""<a><b x = '1'  long-name="x=&quot;1" y="2>3"
   z="4"><c/><d k="1"><c/></d><!-- <c/> --><c n="second"/></b></a>"""
B = TAG.index(b"<b")


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (b"ab\ncd\n\nx", {0: (1, 1), 1: (1, 2), 3: (2, 1), 4: (2, 2), 6: (3, 1), 7: (4, 1), 8: (4, 2)}),
        ("é\N{GRINNING FACE}x".encode(), {0: (1, 1), 2: (1, 2), 6: (1, 3), 7: (1, 4)}),
        (b"\xef\xbb\xbfab\nc", {0: (1, 1), 3: (1, 1), 4: (1, 2), 6: (2, 1)}),
    ],
    ids=["bytes", "characters", "a byte order mark"],
)
def test_offsets_become_lines_and_columns_from_one(text, places):
    source = SourceText("m.xml", text)
    assert {offset: source.line_column(offset) for offset in places} == places


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_end_in_three_ways(end):
    source = SourceText(None, b"a" + end + b"b" + end + end + b"c")
    assert [source.line_column(source.data.index(c)) for c in (b"a", b"b", b"c")] == [(1, 1), (2, 1), (4, 1)]


@pytest.mark.slow("many random cases")
@given(st.text("aé\U0001f600\n\r", max_size=60), st.lists(st.integers(0, 60), max_size=6))
def test_any_offsets_in_any_order_are_placed(text, places):
    source = SourceText(None, text.encode())
    for place in places:
        before = text[:place]
        if not (before.endswith("\r") and text[place : place + 1] == "\n"):
            lines = before.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            assert source.line_column(len(before.encode())) == (len(lines), len(lines[-1]) + 1)


def test_lines_are_right_in_a_file_of_very_many():
    source = SourceText(None, b"<a/>\n" * 200_000 + b"  <b/>")
    assert source.line_column(source.data.index(b"<b")) == (200_001, 3)


@pytest.mark.parametrize(
    ("name", "found"), [("x", b"x = "), ("long-name", b"long-name="), ("y", b'y="2'), ("z", b'z="4')]
)
def test_attributes_are_found_in_their_tag(name, found):
    assert SourceText(None, TAG).attribute_offset(B, name) == TAG.index(found)


@pytest.mark.parametrize("name", ["k", "n", "1", "quot"])
def test_attributes_of_other_tags_are_not_found(name):
    assert SourceText(None, TAG).attribute_offset(B, name) is None


def test_nothing_is_found_where_the_place_is_not_known():
    source = SourceText(None, TAG)
    assert source.attribute_offset(-1, "x") is None
    assert source.child_offset(-1, "c") is None
    assert source.child_offset(10**9, "c") is None


def test_children_are_found_by_tag_and_number():
    source = SourceText(None, TAG)
    assert source.child_offset(B, "c", 0) == TAG.index(b"<c/>")
    assert source.child_offset(B, "c", 1) == TAG.index(b'<c n="second"')
    assert source.child_offset(B, "d") == TAG.index(b"<d")
    assert source.child_offset(B, "c", 2) is None
    assert source.child_offset(0, "c") is None


def test_children_are_found_far_behind_their_parent():
    text = b"<a>" + b"<x/>" * 10_000 + b"<y/></a>"
    assert SourceText(None, text).child_offset(0, "y") == text.index(b"<y")


def test_a_location_names_file_place_and_layer():
    source = SourceText("m.xml", TAG)
    layer = (7, "n")
    assert source.location(B, layer, ("loop", "body"), "z") == Location(
        "m.xml", 2, 4, 7, "n", ("loop", "body")
    )
    assert source.location(B, layer, attribute="absent") == Location("m.xml", 1, 4, 7, "n")
    assert source.location(-1) == Location("m.xml")


def test_a_place_behind_the_end_is_that_of_the_end():
    source = SourceText(None, b"ab\nc")
    assert source.line_column(4) == (2, 2)
    assert source.line_column(99) == (2, 2)
    assert source.location(4) == Location(None, 2, 2)
    assert source.location(5) == Location(None)
    assert source.location(0) == Location(None, 1, 1)


def test_the_first_byte_is_a_place_like_others():
    source = SourceText(None, b'<a x="1"><c/></a>')
    assert source.attribute_offset(0, "x") == 3
    assert source.child_offset(0, "c") == 9
    assert source.location(0, attribute="x") == Location(None, 1, 4)


def test_an_attribute_is_found_at_no_place_within_a_tag():
    assert SourceText(None, b'<a x="1"/>').attribute_offset(1, "x") is None
    assert SourceText(None, b'  <a x="1"/>').attribute_offset(0, "x") is None


def test_a_child_is_none_of_an_element_that_has_ended():
    source = SourceText(None, b"<p><a/><c/></p><c/>")
    assert source.child_offset(3, "c") is None
    assert source.child_offset(0, "c", 1) is None
    assert source.child_offset(15, "c") is None
    assert source.child_offset(19, "c") is None
    assert SourceText(None, b"<p><a><c/></a></p>").child_offset(0, "c") is None


def test_children_are_found_in_text_that_is_not_well_formed():
    source = SourceText(None, b"<p><c/><c/></q><c/>")
    assert source.child_offset(0, "c", 1) == 7
    assert source.child_offset(0, "c", 2) is None


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (b"\xef\xbb\xbfone\r\ntwo\r\nthree", ["one", "two", "three"]),
        (b"one\n\ntwo\r\nthree \n", ["one", "", "two", "three ", ""]),
    ],
)
def test_a_line_is_given_without_its_end(text, lines):
    source = SourceText(None, text)
    assert [source.line_text(k) for k in range(1, len(lines) + 1)] == lines


def test_columns_go_on_from_the_place_that_was_asked_for_before():
    source = SourceText(None, "aé\nbéc".encode())
    assert source.line_column(5) == (2, 2)
    assert source.line_column(7) == (2, 3)
    assert source.line_column(4) == (2, 1)
    assert source.line_column(3) == (1, 3)
    assert source.line_column(7) == (2, 3)


def test_the_attributes_of_a_tag_are_looked_up_once(monkeypatch):
    scanned = []
    scan = SourceText._attributes
    monkeypatch.setattr(SourceText, "_attributes", lambda self, at: scanned.append(at) or scan(self, at))
    source = SourceText("m.xml", b'<a x="1" y="2" x="3"/><b z="4"/>')
    offsets = [source.attribute_offset(0, name) for name in ("x", "y", "z")]
    assert (offsets, source.attribute_offset(22, "z"), scanned) == ([3, 9, None], 25, [0, 22])


def edited(text, edits):
    """The text with the edits applied; None where one is not known."""
    found = edits if isinstance(edits, list) else [edits]
    if any(edit is None for edit in found):
        return None
    return applied(text.encode(), [Fix("edit", tuple(e for e in found if e is not None))])[0].decode()


def source(text):
    return SourceText(None, text.encode())


@pytest.mark.parametrize(
    ("text", "name", "value", "after"), table(__file__, "an_attribute_gets_another_value")
)
def test_an_attribute_gets_another_value(text, name, value, after):
    assert edited(text, with_attribute(source(text), 0, name, value)) == (None if after == "-" else after)


def test_an_attribute_is_that_of_the_element_at_the_place():
    text = '<p a="1"/><p a="1"/>'
    assert edited(text, with_attribute(source(text), 10, "a", "2")) == '<p a="1"/><p a="2"/>'
    assert with_attribute(source(text), -1, "a", "2") is None
    assert with_attribute(source(text), 3, "a", "2") is None


@pytest.mark.parametrize(("text", "after"), table(__file__, "an_attribute_is_added_to_the_data_of_a_layer"))
def test_an_attribute_is_added_to_the_data_of_a_layer(text, after):
    for before in ("", "<net>\n"):
        whole = before + text
        layer = Layer(1, "n", "T", "opset1", at=len(before), data_at=whole.find("<data"))
        found = edited(whole, with_new_attribute(source(whole), layer, "n", "v"))
        assert found == (None if after == "-" else before + after)


def test_nothing_is_added_to_a_layer_of_which_no_place_is_known():
    assert with_new_attribute(source("<layer/>"), Layer(1, "n", "T", "opset1"), "n", "v") is None


def test_a_new_attribute_is_escaped():
    text = "<layer/>"
    layer = Layer(1, "n", "T", "opset1", at=0)
    assert edited(text, with_new_attribute(source(text), layer, "n", '<"')) == (
        '<layer><data n="&lt;&quot;"/></layer>'
    )


@pytest.mark.parametrize(("text", "after"), table(__file__, "an_element_goes_with_the_blanks_before_it"))
def test_an_element_goes_with_the_blanks_before_it(text, after):
    assert edited(text, without_element(source(text), text.index("<b"))) == (None if after == "-" else after)


def test_an_element_that_is_long_is_left_out_whole():
    text = f"<a><b>{'x' * 10_000}</b></a>"
    assert edited(text, without_element(source(text), 3)) == "<a></a>"


@pytest.mark.parametrize(
    ("text", "dims", "after"), table(__file__, "dims_become_others_and_what_is_right_stays")
)
def test_dims_become_others_and_what_is_right_stays(text, dims, after):
    for before in ("", "<net>  "):
        found = edited(before + text, with_dims(source(before + text), len(before), tuple(dims)))
        assert found == (None if after == "-" else before + after)
