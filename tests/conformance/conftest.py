"""A third-party package with correct and faulty backends, installed as pip would install it."""

import os
import re
from contextlib import closing

import pytest
from agreement import OpenVINO
from installing import install
from runtimes import Runtimes

BACKENDS = '''
import os
import signal
import time

import numpy as np

from irops import Declined
from irops.values.violation import require


class Good:
    """Reverse-1 and ReverseSequence-1, in plain NumPy."""

    name = "good"

    def kernel(self, op):
        return {"Reverse-1": self.reverse, "ReverseSequence-1": self.reverse_sequence}.get(op.id)

    def reverse(self, data, axes, *, mode):
        if mode == "mask":
            named = np.flatnonzero(axes)
        else:
            require(all(-data.ndim <= int(axis) < data.ndim for axis in axes), "C4", axes)
            named = sorted({int(axis) % data.ndim for axis in axes})
        return np.flip(data, tuple(int(axis) for axis in named))

    def reverse_sequence(self, data, seq_lengths, *, batch_axis, seq_axis):
        require(batch_axis != seq_axis, "C2")
        steps = data.shape[seq_axis]
        out = data.copy()
        rows = np.moveaxis(data, (batch_axis, seq_axis), (0, 1))
        reversed_rows = np.moveaxis(out, (batch_axis, seq_axis), (0, 1))
        for row, length in enumerate(seq_lengths):
            require(float(length) > -1, "C4", length)
            require(float(length) < max(steps, 1) + 1, "C3", length)  # also infinity, and 2^63
            reversed_rows[row, :int(length)] = rows[row, :int(length)][::-1]
        return out


class Vectors(Good):
    """Its loop over blocks of 64 omits the remainder."""

    name = "vectors"

    def reverse_sequence(self, data, seq_lengths, *, batch_axis, seq_axis):
        if data.shape[seq_axis] > 64:
            seq_lengths = np.minimum(seq_lengths.astype(np.float64), 64)
        return super().reverse_sequence(data, seq_lengths, batch_axis=batch_axis, seq_axis=seq_axis)


class Careless(Good):
    """Writes to its input, if it is writeable."""

    name = "careless"

    def reverse(self, data, axes, *, mode):
        if data.flags.writeable and data.ndim and 0 in axes and mode == "index":
            data[:] = data[::-1].copy()
        return super().reverse(data, axes, mode=mode)


class Trusting(Good):
    """Checks nothing."""

    name = "trusting"

    def reverse(self, data, axes, *, mode):
        named = np.flatnonzero(axes) if mode == "mask" else {int(axis) % max(data.ndim, 1) for axis in axes}
        return np.flip(data, tuple(int(axis) for axis in named if int(axis) < data.ndim))


class Quieting(Good):
    """Moves f16 as numbers, which changes NaNs."""

    name = "quieting"

    def reverse(self, data, axes, *, mode):
        turned = super().reverse(data, axes, mode=mode)
        if data.dtype == np.float16:
            bits = np.asarray(turned).view(np.uint16)
            numbers = (bits & 0x7c00 != 0x7c00) | (bits & 0x3ff == 0)
            return np.asarray(np.where(numbers, bits, bits | 0x200)).view(np.float16)
        return turned


class Crashing(Good):
    """Ends the process on unsigned bytes."""

    name = "crashing"

    def reverse(self, data, axes, *, mode):
        if data.dtype == np.uint8 and data.dtype.metadata is None and data.size > 1:
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().reverse(data, axes, mode=mode)


class Undefended(Good):
    """Aborts on strings, as OpenVINO does."""

    name = "undefended"

    def reverse(self, data, axes, *, mode):
        if data.dtype == object:
            os.abort()
        return super().reverse(data, axes, mode=mode)


class Tiring(Good):
    """Ends the process at the 30th call."""

    name = "tiring"
    calls = 0

    def reverse(self, data, axes, *, mode):
        self.calls += 1
        if self.calls == 30:
            os.abort()
        return super().reverse(data, axes, mode=mode)


class Hanging(Good):
    """Does not answer."""

    name = "hanging"

    def reverse(self, data, axes, *, mode):
        time.sleep(600)


class Modest(Good):
    """Declines strings and booleans."""

    name = "modest"

    def reverse(self, data, axes, *, mode):
        if data.dtype == object or data.dtype == bool:
            raise Declined("neither strings nor booleans", f"got {data.dtype}")
        return super().reverse(data, axes, mode=mode)
'''


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """The folder that the package is installed in."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "somebodys.py").write_text(BACKENDS)
    (folder / "unloadable.py").write_text("import os\nos.abort()\n")
    backends = {name.lower(): f"somebodys:{name}" for name in re.findall(r"^class (\w+)", BACKENDS, re.M)}
    install(folder, "somebodys", "irops.backends", unloadable="unloadable:Backend", **backends)
    return folder


@pytest.fixture
def somebodys(installed, monkeypatch):
    """The package, to be found by this process and by those that it starts."""
    monkeypatch.syspath_prepend(str(installed))
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(filter(None, (str(installed), os.environ.get("PYTHONPATH"))))
    )
    return installed


@pytest.fixture(scope="module")
def openvino():
    """OpenVINO in a process, to be asked how far it gets with a model."""
    with closing(OpenVINO()) as runtime:
        yield runtime


@pytest.fixture(scope="module")
def runtimes():
    with closing(Runtimes()) as started:
        yield started
