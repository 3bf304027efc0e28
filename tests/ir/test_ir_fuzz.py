"""Whatever the bytes, reading them gives a model or says why not."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from irops.diagnostics.diagnostic import DiagnosticError, ReadError
from irops.ir.read import loads
from irops.ir.weights import constant, constant_faults
from irops.ir.write import write

pytestmark = pytest.mark.slow("fuzzing")

FILES = Path(__file__).parent / "files"
TEXTS = [(FILES / f"{name}.xml").read_bytes() for name in ("plain", "bodies", "old")]
WEIGHTS = bytes(range(64))
PIECES = st.one_of(
    st.binary(max_size=4),
    st.sampled_from(
        [
            *(b"<!--", b"-->", b"<![CDATA[", b"]]>", b"</layer>", b"<layer>", b'"', b"<", b">", b"&"),
            *(b"\0", b"-", b"99999999999999999999", b"\xff", b"<port>", b"<dim>", b"</dim>", b"<rt_info>"),
            *(b"&#0;", b"<body>", b"u4", b"string", b"-1", b" id=", b"<!DOCTYPE net [", b"]>"),
        ]
    ),
)
CHANGES = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), PIECES), min_size=1, max_size=4)


def changed(text, changes):
    for where, length, piece in changes:
        at = int(where * len(text))
        text = text[:at] + piece + text[at + length :]
    return text


@settings(
    max_examples=300,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(st.sampled_from(TEXTS), CHANGES)
def test_a_damaged_file_is_read_or_refused(tmp_path, text, changes):
    try:
        model, found = loads(changed(text, changes), WEIGHTS)
    except ReadError:
        return
    reported = [*found, *constant_faults(model)]
    for diagnostic in reported:
        assert diagnostic.location.line is not None
    for _, layer in model.walk():
        if layer.type == "Const":
            with suppress(DiagnosticError):
                constant(model, layer)
    with suppress(ValueError):
        write(model, tmp_path / "m.xml")
