"""The weights of a changed model are copied in pieces: memory does not grow with them."""

from pathlib import Path

import numpy as np
import pytest
from commands import python_process

import irops
from tests.conftest import net_text

pytestmark = pytest.mark.slow("files of 4 GB")

HUGE, LARGE = 1 << 32, 1 << 25
UNUSED = 96
"""Bytes before the first constant that belong to none, so that constants move."""
MARKS = {5: b"head", 1 << 31: bytes(range(256)) * 4096, HUGE - 4: b"tail"}
RSS_LIMIT = 200_000  # KiB; irops and what it imports take about 90,000
CHANGE = """
import sys
import irops
source, target = sys.argv[1:]
g = irops.Graph(irops.read(source))
g.rename(g["shorter"], "renamed")
irops.write(g.model(), target)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def write_model(folder, repeated):
    """A model of a sparse constant of 4 GiB and three of 32 MiB, of which the first two are equal."""
    starts = [UNUSED, *(UNUSED + HUGE + LARGE * k for k in range(3))]
    constants = (
        f"c{k}: Const u8[{size}] offset={start} size={size}"
        for k, (start, size) in enumerate(zip(starts, [HUGE, LARGE, LARGE, LARGE]))
    )
    path = folder / "m.xml"
    path.write_text(net_text(*constants, "x: f32[1]; shorter: Abs x; y: Result shorter"))
    with (folder / "m.bin").open("wb") as file:
        for place, mark in MARKS.items():
            file.seek(UNUSED + place)
            file.write(mark)
        file.seek(UNUSED + HUGE)
        file.write(repeated + repeated + repeated[: LARGE // 4] + b"!" + repeated[LARGE // 4 + 1 :])
    return path


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read from /proc")
def test_four_gigabytes_are_written_through_in_little_memory(tmp_path):
    repeated = np.random.default_rng(0).bytes(LARGE)
    source = write_model(tmp_path, repeated)
    target = tmp_path / "n.xml"
    done = python_process("-c", CHANGE, source, target)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < RSS_LIMIT
    weights = tmp_path / "n.bin"
    assert weights.stat().st_size == HUGE + 2 * LARGE  # of the two that are equal, one
    assert weights.stat().st_blocks * 512 < (4 * LARGE)  # nothing but marks is in the sparse one
    with weights.open("rb") as file:
        for place, mark in MARKS.items():
            file.seek(place)
            assert file.read(len(mark)) == mark
        file.seek(HUGE)
        assert file.read(LARGE) == repeated
        file.seek(HUGE + LARGE + LARGE // 4)
        assert file.read(2) == b"!" + repeated[LARGE // 4 + 1 : LARGE // 4 + 2]
    copy = irops.read(target)
    offsets = [int(copy.layer(f"c{k}").data["offset"]) for k in range(4)]
    assert offsets == [0, HUGE, HUGE, HUGE + LARGE]


def test_a_model_with_large_weights_is_written_over_itself(tmp_path):
    content = np.random.default_rng(0).bytes(1 << 18)
    g = irops.Graph("m")
    g.result(g.constant(np.frombuffer(content, np.uint8), name="c"), "y")
    path = tmp_path / "m.xml"
    irops.write(g.model(), path)
    g = irops.Graph(irops.read(path))
    for name in ("first", "second"):
        g.rename(g.find("Const")[0], name)
        irops.write(g.model(), path)
        assert irops.read(path).layers[0].name == name
        assert path.with_suffix(".bin").read_bytes() == content


def test_weights_that_were_replaced_before_writing_are_reported(tmp_path):
    g = irops.Graph("m")
    g.result(g.constant(np.arange(1 << 16, dtype=np.int32), name="c"), "y")
    path = tmp_path / "m.xml"
    irops.write(g.model(), path)
    model = irops.read(path)
    path.with_suffix(".bin").write_bytes(bytes(1 << 18))
    with pytest.raises(irops.DiagnosticError, match=r"m\.bin was changed after the model was read") as error:
        irops.write(model, tmp_path / "n.xml")
    assert [d.name for d in error.value.diagnostics] == ["changed-weights"]
    assert not (tmp_path / "n.bin").exists()
    assert not (tmp_path / "n.xml").exists()
