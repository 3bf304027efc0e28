"""The scanner reads what the parser of XML reads, in full; IROPS_CORPUS names a folder of corpora."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ir_mutations import mutations

import irops
from irops.diagnostics.diagnostic import DiagnosticError, ReadError
from irops.environment import VARIABLE
from irops.files.limits import Clock, Limits
from irops.ir.attributes import Attributes
from irops.ir.locate import SourceText
from irops.ir.model import LayerGraph
from irops.ir.parse import Faults
from irops.ir.read import loads
from irops.ir.scanning import scan
from irops.ir.weights import constant, constant_faults
from irops.ir.write import write

APART = ("weights", "source", "_places")
"""Fields of models that hold what is not read from the text."""


def is_scanned(text: bytes, limits: Limits | None = None) -> bool:
    """Whether the scanner reads a text itself."""
    faults = Faults(SourceText(None, text), limits)
    return scan(text, Attributes(faults), LayerGraph(), Clock()) is not None


def both_outcomes(text: bytes, weights: bytes = b"", limits: Limits | None = None) -> tuple[Any, Any]:
    """What a text is read as with the scanner and without it: the model and the findings, or errors."""
    with switched_off(""):
        scanned = outcome(text, weights, limits)
    with switched_off("scanner"):
        return scanned, outcome(text, weights, limits)


def outcome(text: bytes, weights: bytes, limits: Limits | None) -> Any:
    try:
        model, findings = loads(text, weights, limits=limits)
    except ReadError as error:
        return error.diagnostics
    return whole(model), findings


def whole(value: Any) -> Any:
    """A value as nested tuples with every field, those that == leaves out too, and orders of dicts."""
    if is_dataclass(value):
        pairs = [
            (one.name, whole(getattr(value, one.name))) for one in fields(value) if one.name not in APART
        ]
        return type(value).__name__, tuple(pairs)
    if isinstance(value, list | tuple):
        return type(value).__name__, tuple(map(whole, value))
    if isinstance(value, dict):
        return "dict", tuple((key, whole(item)) for key, item in value.items())
    return value


@contextmanager
def switched_off(parts: str) -> Iterator[None]:
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = parts
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


ROOT = Path(__file__).parents[2]
FILES = Path(__file__).parent / "files"
CANONICAL = ("plain", "bodies", "runtime_attributes")
NAMES = (*CANONICAL, "old")
TEXTS = [(FILES / f"{name}.xml").read_bytes() for name in NAMES]
WEIGHTS = bytes(range(64))
CORPUS = os.environ.get("IROPS_CORPUS")
PLAIN = TEXTS[0]


def assert_read_alike(text, limits=None):
    scanned, parsed = both_outcomes(text, WEIGHTS, limits)
    assert scanned == parsed


@pytest.mark.parametrize("name", CANONICAL)
def test_files_of_openvino_are_scanned(name):
    text = (FILES / f"{name}.xml").read_bytes()
    assert is_scanned(text)
    assert_read_alike(text)


def test_examples_are_read_alike():
    paths = [*ROOT.glob("examples/*/*.xml"), *ROOT.glob("irops/diagnostics/rules/*.xml")]
    texts = [path.read_bytes() for path in paths]
    assert sum(map(is_scanned, texts)) > 4
    for text in texts:
        assert_read_alike(text)


@pytest.mark.slow("corpora")
@pytest.mark.skipif(not CORPUS, reason="IROPS_CORPUS names no folder of corpora")
def test_corpora_are_read_alike():
    texts = [path.read_bytes() for path in sorted(Path(CORPUS or "").rglob("*.xml"))]
    assert sum(map(is_scanned, texts)) > len(texts) // 2
    for text in texts:
        assert_read_alike(text)


def replaced(old, new):
    def change(text):
        assert old in text
        return text.replace(old, new, 1)

    return change


FORMS = {
    "references in a name": replaced(b'name="sum"', b'name="&lt;&amp;&gt;&quot;&apos;&#10;&#09;&#65;"'),
    "a name beyond ASCII": replaced(b'name="sum"', 'name="é\u4e2d\U0001f600\u2028"'.encode()),
    "names of ports beyond ASCII": replaced(b'names="x,a', 'names="é&amp;\u4e2d,a'.encode()),
    "an empty name": replaced(b'name="sum"', b'name=""'),
    "DEL in a name": replaced(b'name="sum"', b'name="s\x7fm"'),
    "another name of the model": replaced(b'name="plain"', 'name="\u4e2d &lt;"'.encode()),
    "a declared encoding": replaced(b'version="1.0"?', b'version="1.0" encoding="UTF-8"?'),
    "no declaration": replaced(b'<?xml version="1.0"?>\n', b""),
    "an attribute of data that is called names": replaced(b"<data auto", b'<data names="a b" auto'),
    "an attribute of data that is called offset": replaced(b"<data auto", b'<data offset="&lt;" auto'),
    "greater than in a value": replaced(b'"numpy"', b'"->"'),
    "a large id": replaced(b'<layer id="2"', b'<layer id="999999999999999999"'),
    "an unknown attribute of the root": replaced(b"<net ", b'<net hue="red" '),
    "no version of the file": replaced(b' version="11"', b""),
    "an old version of the file": replaced(b' version="11"', b' version="7"'),
    "an empty rt_info attribute": replaced(
        b'name="fused_names" version="0" value="sum"', b'name="fused_names"'
    ),
    "an unknown id in an edge": replaced(b'to-layer="2"', b'to-layer="77"'),
}
OTHERS = {
    "CR LF": lambda text: text.replace(b"\n", b"\r\n"),
    "CR": lambda text: text.replace(b"\n", b"\r"),
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    "UTF-16": lambda text: text.decode().encode("utf-16"),
    "Latin-1": replaced(b'version="1.0"?', b'version="1.0" encoding="iso-8859-1"?'),
    "a comment between layers": replaced(b"\t\t<layer", b"\t\t<!-- c -->\n\t\t<layer"),
    "a comment in a layer": replaced(b"\t\t\t<input>", b"\t\t\t<!-- c -->\n\t\t\t<input>"),
    "a comment at the end": lambda text: text + b"<!-- c -->",
    "CDATA": replaced(b"<dim>3<", b"<dim><![CDATA[3]]><"),
    "an instruction": replaced(b"\t<edges>", b"\t<?go on?>\n\t<edges>"),
    "stray text": replaced(b"\t<edges>", b"\tstray\n\t<edges>"),
    "text after the end": lambda text: text + b"more",
    "spaces for tabs": lambda text: text.replace(b"\t", b" "),
    "no layout": lambda text: text.replace(b"\t", b"").replace(b"\n", b""),
    "one tab too many": replaced(b"\t\t\t<input>", b"\t\t\t\t<input>"),
    "single quotes": replaced(b'name="sum"', b"name='sum'"),
    "two blanks": replaced(b'<layer id="2" ', b'<layer id="2"  '),
    "a tab in a value": replaced(b'name="sum"', b'name="s\tm"'),
    "a line end in a value": replaced(b'name="sum"', b'name="s\nm"'),
    "a null byte": replaced(b'name="sum"', b'name="s\0m"'),
    "a control character": replaced(b'name="sum"', b'name="s\x01m"'),
    "less than in a value": replaced(b'name="sum"', b'name="s<m"'),
    "an unknown entity": replaced(b'name="sum"', b'name="&nbsp;"'),
    "a bare ampersand": replaced(b'name="sum"', b'name="a & b"'),
    "a reference to a null character": replaced(b'name="sum"', b'name="&#0;"'),
    "a hexadecimal reference": replaced(b'name="sum"', b'name="&#x41;"'),
    "a large reference": replaced(b'name="sum"', b'name="&#128512;"'),
    "an incomplete character": replaced(b'name="sum"', b'name="\xe4\xb8"'),
    "an overlong character": replaced(b'name="sum"', b'name="\xc0\xaf"'),
    "a surrogate": replaced(b'name="sum"', b'name="\xed\xa0\x80"'),
    "U+FFFE": replaced(b'name="sum"', b'name="\xef\xbf\xbe"'),
    "U+FFFF in names of ports": replaced(b'names="x,a', b'names="\xef\xbf\xbf,a'),
    "a document type": replaced(b"<net", b"<!DOCTYPE net>\n<net"),
    "an entity that expands": replaced(b"<net", b'<!DOCTYPE net [<!ENTITY a "b">]>\n<net'),
    "an attribute twice": replaced(b'auto_broadcast="numpy"', b'auto_broadcast="a" auto_broadcast="b"'),
    "an offset twice": replaced(b' offset="0"', b' offset="0" offset="0"'),
    "an unknown attribute of a layer": replaced(b'name="sum"', b'name="sum" hue="red"'),
    "an unknown attribute of a port": replaced(b'precision="FP32"', b'precision="FP32" hue="red"'),
    "an unknown attribute of an edge": replaced(b'to-port="0"', b'to-port="0" hue="red"'),
    "a prefix": replaced(b"<data auto", b'<data x:y="1" auto'),
    "an unknown element": replaced(b"\t\t\t<input>", b"\t\t\t<frob />\n\t\t\t<input>"),
    "data twice": replaced(b"\t\t\t<input>", b'\t\t\t<data a="1" />\n\t\t\t<input>'),
    "a number with a sign": replaced(b'<layer id="2"', b'<layer id="+2"'),
    "a number with a zero before": replaced(b'<layer id="2"', b'<layer id="02"'),
    "a number beyond 64 bits": replaced(b'<layer id="2"', b'<layer id="9999999999999999999"'),
    "a number that is none": replaced(b'from-port="0"', b'from-port="x"'),
    "a size that is none": replaced(b"<dim>3<", b"<dim>three<"),
    "a size of -0": replaced(b"<dim>3<", b"<dim>-0<"),
    "an empty size": replaced(b"<dim>3</dim>", b"<dim />"),
    "an attribute of a size": replaced(b"<dim>3<", b'<dim a="1">3<'),
    "equal ids of layers": replaced(b'<layer id="2"', b'<layer id="1"'),
    "equal ids of ports": replaced(b'<port id="1"', b'<port id="0"'),
    "an unknown precision": replaced(b'precision="FP32"', b'precision="FP99"'),
    "an output without precision": replaced(b'<port id="0" precision="FP32" names', b'<port id="0" names'),
    "no type": replaced(b' type="Add"', b""),
    "an empty type": replaced(b'type="Add"', b'type=""'),
    "no edges": replaced(b"edges>", b"hedges>"),
    "layers twice": replaced(b"\t<edges>", b"\t<layers />\n\t<edges>"),
    "no end": lambda text: text[:-10],
    "half": lambda text: text[: len(text) // 2],
}  # fmt: skip


@pytest.mark.parametrize("name", [*FORMS, *OTHERS])
def test_variants_of_the_canonical_form_are_scanned_and_others_left_to_the_parser(name):
    text = (FORMS | OTHERS)[name](PLAIN)
    assert text != PLAIN
    assert is_scanned(text) is (name in FORMS)
    assert_read_alike(text)


@pytest.mark.slow("many damaged files")
@pytest.mark.parametrize("text", TEXTS, ids=NAMES)
def test_each_damage_of_one_attribute_or_element_is_read_alike(text):
    changes = list(mutations(text.decode()))
    for name, changed in changes[:: max(1, len(changes) // 120)]:
        scanned, parsed = both_outcomes(changed.encode(), WEIGHTS)
        assert scanned == parsed, name


PIECES = st.one_of(
    st.binary(max_size=4),
    st.sampled_from(
        [
            *(bytes([code]) for code in b'\t\n\r "<>&/=-\0\xff'),
            *(b"\xc3\xa9", b"&lt;", b"&#10;", b"&#0;", b"<!-- -->", b"<!--", b"-->", b"<![CDATA[", b"]]>"),
            *(b"<?x?>", b"<!DOCTYPE net [", b"]>", b"-1", b"01", b"99999999999999999999", b"u4", b"string"),
            *(b"\t\t</layer>\n", b"</layer>", b"<layer>", b"</layers>", b"\t\t\t<input>\n", b"<port>"),
            *(b"<dim>", b"</dim>", b"\t\t\t\t\t<dim>1</dim>\n", b"<rt_info />\n", b"<rt_info>", b"<body>"),
            *(b' names="a"', b' offset="1"', b" id="),
        ]
    ),
)
CHANGES = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), PIECES), min_size=1, max_size=4)


@pytest.mark.slow("many damaged files")
@settings(
    max_examples=700,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.sampled_from(TEXTS), CHANGES)
def test_any_damage_is_read_alike_or_refused(tmp_path, text, changes):
    for where, length, piece in changes:
        at = int(where * len(text))
        text = text[:at] + piece + text[at + length :]
    assert_read_alike(text)
    with suppress(ReadError):
        model, found = loads(text, WEIGHTS)
        assert all(d.location.line is not None for d in (*found, *constant_faults(model)))
        for _, layer in model.walk():
            if layer.type == "Const":
                with suppress(DiagnosticError):
                    constant(model, layer)
        with suppress(ValueError):
            write(model, tmp_path / "m.xml")


@pytest.mark.slow("many random files")
@settings(max_examples=200, derandomize=True, deadline=None)
@given(
    st.sampled_from(TEXTS), st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.booleans()), max_size=3)
)
def test_any_order_of_lines_is_read_alike(text, moves):
    lines = text.splitlines(keepends=True)
    for source, target, is_copied in moves:
        place = int(source * (len(lines) - 1))
        line = lines[place] if is_copied else lines.pop(place)
        lines.insert(int(target * len(lines)), line)
    assert_read_alike(b"".join(lines))


@pytest.mark.parametrize("name", ["elements", "attributes", "layers", "dims", "depth", "xml_bytes"])
@pytest.mark.parametrize("text", TEXTS, ids=NAMES)
def test_limits_hold_alike(text, name):
    for limit in (*range(1, 20), 40, 80, 160, 1000):
        assert_read_alike(text, Limits(**{name: limit}))


def test_the_limits_on_elements_and_layers_count_what_the_parser_counts():
    layers, elements = PLAIN.count(b"<layer "), len(re.findall(rb"<(?!dim)[a-z]", PLAIN))
    for allowed, limit in ((True, 0), (False, -1)):
        assert is_scanned(PLAIN, Limits(layers=layers + limit)) == allowed
        assert is_scanned(PLAIN, Limits(elements=elements + limit)) == allowed


def test_an_expired_clock_is_left_to_the_parser():
    assert_read_alike(PLAIN, Limits(seconds=1e-9))


def test_bodies_nested_as_deep_as_permitted_are_scanned():
    text, weights = nested(20), bytes(64)
    assert is_scanned(text)
    assert not is_scanned(text, Limits(depth=60))
    for depth in (59, 60, 61, 62, 63, 64, 65, 66, 70):
        assert_read_alike(text, Limits(depth=depth))
    assert loads(text, weights)[1] == ()


def nested(depth):
    """A TensorIterator in a TensorIterator and so on, as OpenVINO writes them."""
    inner = b"\t<layers>\n\t</layers>\n\t<edges />\n"
    for number in range(depth):
        lines = b"".join(b"\t\t\t" + line for line in inner.splitlines(keepends=True))
        body = b"\t\t\t<body>\n" + lines.replace(b"\t\t\t\t", b"\t\t\t\t", 1) + b"\t\t\t</body>\n"
        head = b'\t\t<layer id="0" name="t%d" type="TensorIterator" version="opset1">\n' % number
        inner = b"\t<layers>\n" + head + body + b"\t\t</layer>\n\t</layers>\n\t<edges />\n"
    return b'<?xml version="1.0"?>\n<net name="m" version="11">\n' + inner + b"\t<rt_info />\n</net>\n"


def test_the_environment_turns_the_scanner_off(monkeypatch):
    calls = []
    monkeypatch.setattr("irops.ir.build.scan", lambda *_: calls.append(1))
    with switched_off("scanner"):
        loads(PLAIN, WEIGHTS)
    assert calls == []
    with switched_off(""):
        loads(PLAIN, WEIGHTS)
    assert calls == [1]


def test_a_file_is_checked_alike(tmp_path):
    for name in NAMES:
        with switched_off("scanner"):
            parsed = irops.check(FILES / f"{name}.xml")
        assert irops.check(FILES / f"{name}.xml") == parsed
