"""The grammar of IR files says what the reader says."""

from functools import cache
from pathlib import Path

import pytest
from lxml import etree

from irops.ir.read import loads

FILES = Path(__file__).parent / "files"
PLAIN = (FILES / "plain.xml").read_text()


@cache
def grammar():
    return etree.RelaxNG(etree.parse(Path(__file__).parents[2] / "schemas" / "ir.rng"))


@pytest.mark.parametrize("name", ["plain", "bodies"])
def test_a_sound_file_fits_the_grammar(name):
    assert grammar().validate(etree.parse(FILES / f"{name}.xml")), grammar().error_log


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (' id="2"', ""),
        (' name="sum"', ""),
        (' type="Add"', ""),
        (' version="opset1"', ""),
        (' from-port="0"', ""),
        ('"2" name', '"two" name'),
        ("<dim>3</dim>", "<dim>-2</dim>"),
        ("<dim>3</dim>", "<dim>a</dim>"),
        ("FP32", "F32"),
        ("\t<edges>", "<edges/><edges>"),
        ("<edges>", "<frob/><edges>"),
        ("<edges>", "hello<edges>"),
        ('version="11"', 'version="12"'),
        ("<edge ", '<edge hue="red" '),
        ("</data>", "</data>"),
        ("<dim>3</dim>", "<dim><b>3</b></dim>"),
        ("<dim>3</dim>", "<dim> 3 </dim>"),
    ],
)
def test_the_grammar_and_the_reader_agree(old, new):
    text = PLAIN.replace(old, new, 1).encode()
    _, found = loads(text)
    assert grammar().validate(etree.fromstring(text)) == (found == ())
