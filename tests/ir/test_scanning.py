"""The scanner reads what the parser of XML reads, in full; IROPS_CORPUS names a folder of corpora."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tables import table

import irops
from irops.diagnostics.diagnostic import DiagnosticError, ReadError
from irops.environment import VARIABLE
from irops.files.limits import Clock, Limits
from irops.ir.attributes import Attributes
from irops.ir.locate import SourceText
from irops.ir.model import LayerGraph
from irops.ir.parse import Faults
from irops.ir.read import load, loads
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
def test_models_of_corpora_are_read_alike_without_a_finding_and_written_back(tmp_path):
    paths = sorted(Path(CORPUS or "").rglob("model.xml"))
    assert sum(is_scanned(path.read_bytes()) for path in paths) > len(paths) // 2
    for path in paths:
        assert_read_alike(path.read_bytes())
        model, found = load(path)
        assert [*found, *constant_faults(model)] == [], path
        write(model, tmp_path / "copy.xml")
        for ending in (".xml", ".bin"):
            copy = (tmp_path / "copy.xml").with_suffix(ending)
            assert copy.read_bytes() == path.with_suffix(ending).read_bytes(), path


def replaced(old, new):
    def change(text):
        assert old in text
        return text.replace(old, new, 1)

    return change


ROWS = table(__file__, "forms")
"""Whether a text is scanned, what it has, and what stands in place of what."""
FORMS = {
    name: replaced(old.encode(), new.encode()) for is_scanned_form, name, old, new in ROWS if is_scanned_form
}
OTHERS = {
    name: replaced(old.encode(), new.encode())
    for is_scanned_form, name, old, new in ROWS
    if not is_scanned_form
} | {
    "CR LF": lambda text: text.replace(b"\n", b"\r\n"),
    "CR": lambda text: text.replace(b"\n", b"\r"),
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    "UTF-16": lambda text: text.decode().encode("utf-16"),
    "a comment at the end": lambda text: text + b"<!-- c -->",
    "text after the end": lambda text: text + b"more",
    "spaces for tabs": lambda text: text.replace(b"\t", b" "),
    "no layout": lambda text: text.replace(b"\t", b"").replace(b"\n", b""),
    "an incomplete character": replaced(b'name="sum"', b'name="\xe4\xb8"'),
    "an overlong character": replaced(b'name="sum"', b'name="\xc0\xaf"'),
    "a surrogate": replaced(b'name="sum"', b'name="\xed\xa0\x80"'),
    "no end": lambda text: text[:-10],
    "half": lambda text: text[: len(text) // 2],
}


@pytest.mark.parametrize("name", [*FORMS, *OTHERS])
def test_variants_of_the_canonical_form_are_scanned_and_others_left_to_the_parser(name):
    text = (FORMS | OTHERS)[name](PLAIN)
    assert text != PLAIN
    assert is_scanned(text) is (name in FORMS)
    assert_read_alike(text)


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
