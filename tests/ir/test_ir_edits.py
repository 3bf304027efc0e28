"""Edits: what changes in a file is exactly what must, and where it is not clear how, nothing does."""

import pytest

from irops.diagnostics.diagnostic import Fix, applied
from irops.ir.edits import with_attribute, with_dims, with_new_attribute, without_element
from irops.ir.locate import SourceText
from irops.ir.model import Layer


def edited(text, edits):
    """The text with the edits applied; None where one is not known."""
    found = edits if isinstance(edits, list) else [edits]
    if any(edit is None for edit in found):
        return None
    return applied(text.encode(), [Fix("edit", tuple(e for e in found if e is not None))])[0].decode()


ONE, TWO, THREE = "<dim>1</dim>", "<dim>2</dim>", "<dim>3</dim>"


def source(text):
    return SourceText(None, text.encode())


@pytest.mark.parametrize(
    ("text", "name", "value", "after"),
    [
        ('<p a="1" b="2"/>', "a", "9", '<p a="9" b="2"/>'),
        ('<p a="1" b="2"/>', "b", "9", '<p a="1" b="9"/>'),
        ("<p a='1' b = '2'/>", "b", "9", "<p a='1' b = '9'/>"),
        ('<p a=""/>', "a", "x", '<p a="x"/>'),
        ("<p a=''/>", "a", "x", "<p a='x'/>"),
        ('<p a="1"/>', "a", "<'&\">", '<p a="&lt;&apos;&amp;&quot;>"/>'),
        ('<p a="1"/>', "b", "9", None),
        ('<p/><q a="1"/>', "a", "9", None),
        ("<p>", "a", "9", None),
    ],
)
def test_an_attribute_gets_another_value(text, name, value, after):
    assert edited(text, with_attribute(source(text), 0, name, value)) == after


def test_an_attribute_is_that_of_the_element_at_the_place():
    text = '<p a="1"/><p a="1"/>'
    assert edited(text, with_attribute(source(text), 10, "a", "2")) == '<p a="1"/><p a="2"/>'
    assert with_attribute(source(text), -1, "a", "2") is None
    assert with_attribute(source(text), 3, "a", "2") is None


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ('<layer id="1"><data a="1"/></layer>', '<layer id="1"><data a="1" n="v"/></layer>'),
        ("<layer><data/></layer>", '<layer><data n="v"/></layer>'),
        ("<layer><data /></layer>", '<layer><data n="v" /></layer>'),
        ('<layer id="1"/>', '<layer id="1"><data n="v"/></layer>'),
        ('<layer id="1" />', '<layer id="1"><data n="v"/></layer>'),
        ("<layer/>", '<layer><data n="v"/></layer>'),
        ('<layer id="1">\n  <input/></layer>', '<layer id="1">\n  <data n="v"/>\n  <input/></layer>'),
        ("<layer><input/></layer>", '<layer><data n="v"/><input/></layer>'),
        ("<layer>\n</layer>", '<layer>\n<data n="v"/>\n</layer>'),
        ('<layer id="1" x></layer>', None),
    ],
)
def test_an_attribute_is_added_to_the_data_of_a_layer(text, after):
    for before in ("", "<net>\n"):
        whole = before + text
        layer = Layer(1, "n", "T", "opset1", at=len(before), data_at=whole.find("<data"))
        found = edited(whole, with_new_attribute(source(whole), layer, "n", "v"))
        assert found == (None if after is None else before + after)


def test_nothing_is_added_to_a_layer_of_which_no_place_is_known():
    assert with_new_attribute(source("<layer/>"), Layer(1, "n", "T", "opset1"), "n", "v") is None


def test_a_new_attribute_is_escaped():
    text = "<layer/>"
    layer = Layer(1, "n", "T", "opset1", at=0)
    assert edited(text, with_new_attribute(source(text), layer, "n", '<"')) == (
        '<layer><data n="&lt;&quot;"/></layer>'
    )


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("<a>\n\t <b/>\n</a>", "<a>\n</a>"),
        ("<a>\r\n <b x='>'>text<c/></b >\n</a>", "<a>\n</a>"),
        ("<a>x <b></b></a>", "<a>x</a>"),
        ("<a>x<b><b/></b><b/></a>", "<a>x<b/></a>"),
        ("<b/>", ""),
        (" <b/>", ""),
        ("<a><b>", None),
    ],
)
def test_an_element_goes_with_the_blanks_before_it(text, after):
    assert edited(text, without_element(source(text), text.index("<b"))) == after


def test_an_element_that_is_long_is_left_out_whole():
    text = f"<a><b>{'x' * 10_000}</b></a>"
    assert edited(text, without_element(source(text), 3)) == "<a></a>"


@pytest.mark.parametrize(
    ("text", "dims", "after"),
    [
        ("<p><dim>1</dim><dim>2</dim></p>", (1, 2), "<p><dim>1</dim><dim>2</dim></p>"),
        ("<p><dim>1</dim><dim>2</dim></p>", (1, 3), "<p><dim>1</dim><dim>3</dim></p>"),
        ("<p><dim> 1 </dim><dim>2</dim></p>", (1, 3), "<p><dim> 1 </dim><dim>3</dim></p>"),
        ("<p>\n <dim>1</dim>\n <dim>2</dim>\n</p>", (1,), "<p>\n <dim>1</dim>\n</p>"),
        ("<p>\n <dim>1</dim>\n <dim>2</dim>\n</p>", (), "<p>\n</p>"),
        ("<p>\n <dim>1</dim>\n</p>", (1, 2, 3), "<p>\n <dim>1</dim>\n <dim>2</dim>\n <dim>3</dim>\n</p>"),
        (f"<p>\n  {ONE}\n {TWO}\n</p>", (1, 2, 3), f"<p>\n  {ONE}\n {TWO}\n {THREE}\n</p>"),
        (f"<p> {ONE}   {TWO}</p>", (1, 2, 3), f"<p> {ONE}   {TWO}   {THREE}</p>"),
        (f"<p>{ONE}<!-- x -->{TWO}</p>", (1, 2, 3), f"<p>{ONE}<!-- x -->{TWO}{THREE}</p>"),
        ("<p><dim/></p>", (1,), None),
        ("<p><dim></dim></p>", (1,), "<p><dim>1</dim></p>"),
        ("<p><x><dim>5</dim></x><dim>1</dim></p>", (2,), "<p><x><dim>5</dim></x><dim>2</dim></p>"),
        ("<p><dim a='>'>1</dim ></p>", (2,), "<p><dim a='>'>2</dim ></p>"),
        ("<p a='/>'><dim>1</dim></p>", (1, 2), "<p a='/>'><dim>1</dim><dim>2</dim></p>"),
        ("<p></p>", (1,), None),
        ("<p/>", (1,), None),
        ("<p><dim>1</dim>", (1,), None),
        ("<p><dim>1<!-- x --></dim></p>", (2,), None),
        ("<p><dim>1</dim><dim><x/></dim></p>", (2, 3), None),
    ],
)
def test_dims_become_others_and_what_is_right_stays(text, dims, after):
    for before in ("", "<net>  "):
        found = edited(before + text, with_dims(source(before + text), len(before), dims))
        assert found == (None if after is None else before + after)
