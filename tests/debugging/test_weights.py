"""irops inspect --weights: statistics, storage, duplicates; in bounded memory."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from commands import python
from stored import check_stored
from tables import array_of, table

from irops.analysis.structure import ModelStructure
from irops.cli.main import main
from irops.debugging import weights as blocks
from irops.debugging.weights import alignment, storage_of, weights_of
from irops.ir.read import loads
from irops.values.element import element_type
from irops.values.packing import pack
from tests.conftest import net_text


def xml_of(*constants):
    """A model whose constants (name, type, shape, offset, size) are added to nothing, each with a Result."""
    layers = []
    for name, kind, shape, offset, size in constants:
        data = {"element_type": kind, "shape": shape, "offset": offset, "size": size}
        layers += [(name, "Const", data, []), (f"r/{name}", "Result", {}, [name])]
    return net_text(*layers)


def examined(data, *constants):
    model, findings = loads(xml_of(*constants).encode(), data)
    assert not [finding for finding in findings if finding.severity == "error"]
    return weights_of(ModelStructure(model))


def statistics_of(array, kind):
    shape = ",".join(map(str, array.shape))
    (constant,) = examined(array.tobytes(), ("w", kind, shape, 0, array.nbytes)).constants
    return constant.statistics


def test_the_range_leaves_out_what_is_not_finite():
    found = statistics_of(np.array([[1, -2, np.nan, np.inf], [0, 0, 1e-40, 4]], np.float32), "f32")
    assert (found.low, found.high) == (-2, 4)
    assert found.mean == pytest.approx(3 / 6)
    assert (found.elements, found.zeros, found.denormals, found.nans, found.infinities) == (8, 2, 1, 1, 1)


def test_the_loss_is_that_of_a_round_trip():
    values = np.array([0.1, -1.7, 65519, 70000, 1e-9], np.float32)
    loss = statistics_of(values, "f32").f16
    stored = values[:3].astype(np.float16).astype(np.float64)
    assert loss.max_absolute == pytest.approx(np.abs(values[:3] - stored).max())
    assert (loss.overflows, loss.underflows, loss.max_relative) == (1, 1, 1)
    assert 0 < statistics_of(values[:2], "f32").f16.max_absolute < 1e-3


def test_strings_and_codes_of_a_table_have_no_range():
    (constant,) = examined(bytes([0x21]), ("w", "nf4", "2", 0, 1)).constants
    assert (constant.statistics.low, constant.statistics.elements) == (None, 2)


def test_blocks_make_no_difference(monkeypatch):
    array = np.random.default_rng(0).normal(size=(37, 11)).astype(np.float32)
    whole = statistics_of(array, "f32")
    monkeypatch.setattr(blocks, "ELEMENTS", 16)
    parts = statistics_of(array, "f32")
    assert (parts.low, parts.high) == (whole.low, whole.high)
    assert parts.mean == pytest.approx(whole.mean)
    assert parts.f16.relative == pytest.approx(whole.f16.relative)


def test_shared_bytes_equal_contents_overlaps_and_gaps_are_listed():
    first, other = np.arange(4, dtype=np.float32).tobytes(), np.ones(4, np.float32).tobytes()
    data = first + bytes(16) + first + other
    weights = examined(
        data,
        ("a", "f32", "4", 0, 16),
        ("same", "f32", "2,2", 0, 16),
        ("copy", "f32", "4", 32, 16),
        ("across", "f32", "4", 40, 16),
    )
    a, same, copy, across = weights.constants
    assert (a.shares, same.shares, copy.shares) == (("same",), ("a",), ())
    assert a.equals == same.equals == ("copy",)
    assert copy.equals == ("a", "same")
    assert across.equals == ()
    assert weights.duplicate_bytes == 16
    assert weights.storage.gaps == ((16, 16), (56, 8))
    assert (weights.storage.used, weights.storage.unused) == (40, 24)
    assert weights.storage.overlaps == ((2, 3),)


def test_alignment_is_a_power_of_two():
    assert [alignment(offset) for offset in (0, 1, 12, 64, 1 << 20)] == [4096, 1, 4, 64, 4096]


def test_a_model_without_constants_uses_nothing():
    assert storage_of(None, 0, []) == storage_of(None, 0, ())
    assert storage_of("m.bin", 8, []).gaps == ((0, 8),)


def test_reports_of_weights_are_as_stored(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(tmp_path)
    data, constants = b"", []
    for name, kind, shape, numbers in table(__file__, "constants"):
        content = pack(array_of(kind, shape, numbers), element_type(kind)) if numbers else bytes(7)
        if numbers:
            constants.append((name, kind, ",".join(map(str, shape)), len(data), len(content)))
        data += content
    constants += [("same", "f32", "2,4", 0, 32), ("across", "u8", "9", 28, 9)]
    Path("model.xml").write_text(xml_of(*constants))
    text = ""
    for size, line in table(__file__, "lines"):
        Path("model.bin").write_bytes(data[:size])
        status = main(["inspect", "model.xml", *line.split()])
        out = "".join(capsys.readouterr())
        text += f"$ irops inspect model.xml {line}  # {status}\n{out}\n"
    text = re.sub(r"\d+\.\d{7,}(e-\d+)?", lambda found: f"{float(found[0]):.6g}", text)
    check_stored(__file__, "weights", text)


@pytest.mark.slow("a file of 4 GB")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_file_of_4_gb_takes_less_than_200_mb(tmp_path):
    path, size = tmp_path / "model.xml", 4 << 30
    path.write_text(xml_of(("large", "f32", f"256,{size // 1024}", 0, size)))
    with path.with_suffix(".bin").open("wb") as file:
        file.truncate(size)
        file.seek(size // 2)
        file.write(np.arange(1, 1 << 18, dtype=np.float32).tobytes())
    code = (
        "import sys; from irops.cli.main import main; status = main(sys.argv[1:]);"
        "peak = next(l for l in open('/proc/self/status') if l.startswith('VmHWM'));"
        "print(peak, file=sys.stderr); sys.exit(status)"
    )
    done = python("-c", code, "inspect", path, "--weights", "--output-format", "json")
    assert done.returncode == 0, done.stderr
    assert int(done.stderr.split()[-2]) < 200_000  # kB
    (constant,) = json.loads(done.stdout)["constants"]
    assert (constant["min"], constant["max"], constant["elements"]) == (0, (1 << 18) - 1, size // 4)
    assert constant["zeros"] == size // 4 - (1 << 18) + 1
