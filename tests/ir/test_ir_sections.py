"""Children of sections that are of no use to the reader, and files that are not XML."""

from __future__ import annotations

from pathlib import Path

import pytest

from irops.diagnostics.diagnostic import ReadError
from irops.ir.read import load, loads


def test_ports_after_an_unknown_child_are_read():
    xml = (
        b'<net name="m" version="11"><layers><layer id="0" name="x" type="Parameter" version="opset1">'
        b'<data shape="2" element_type="f32"/><output><odd/><port id="0" precision="FP32"><dim>2</dim></port>'
        b"</output></layer></layers><edges/></net>"
    )
    model, findings = loads(xml)
    assert [port.dims for port in model.layers[0].outputs] == [(2,)]
    assert [d.name for d in findings] == ["unknown-element"]


@pytest.mark.parametrize(("name", "rule"), [("m.bin", "swapped-files"), ("m.abc", "not-xml")])
def test_only_a_bin_file_is_taken_for_weights_by_its_name(tmp_path: Path, name: str, rule: str):
    path = tmp_path / name
    path.write_bytes(bytes(range(256)))
    with pytest.raises(ReadError) as caught:
        load(path)
    assert caught.value.diagnostics[0].name == rule
