"""Convert against OpenVINO's reference kernels, on numbers at the edges of every type that they convert."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from irops.ops.conversion import converted
from irops.values.element import element_type, element_types, tagged
from irops.values.packing import pack, unpack

pytestmark = pytest.mark.slow("OpenVINO computes many conversions")

NAMES = [str(kind) for kind in element_types() if kind.kind not in ("dynamic", "string")]
REALS = [
    0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, 3.5, 6, 7, 8, 127.6, 128, 255.9, 256, 300, -128, -129, -129.7,
    32768, 65504, 65520, 65536, -65537, 2**31, -(2**31), -(2**31) - 1, 2**32, 2**32 + 3, 1e10, -1e10,
    9.3e18, -9.3e18, 1.8e19, 1.9e19, -1.9e19, 1e30, -1e30, np.inf, -np.inf, np.nan, 0.1, 1e-3, 1e-40, 448,
    464, 465, 480, 57344, 61440, 61441,
]  # fmt: skip
WHOLE = [
    0, 1, 2, 3, -1, 7, 8, 15, 16, 31, 63, 64, 127, 128, -128, 255, 256, 300, -300, 32767, 32768, 65504,
    65519, 65520, 65535, 65536, 70000, 2**24 + 1, 2**31 - 1, -(2**31), 2**31, 2**32 + 5, 2**53 + 1,
    2**63 - 1, -(2**63),
]  # fmt: skip
ELSEWHERE = {"f32 u32": "beyond 32 bits", "i32 f16": "saturates"}
"""Pairs where OpenVINO's kernel goes a way of its own; so does everything that becomes bf16. See the notes of
Convert-1.
"""
ORACLE = """
import sys
import numpy as np
from openvino import Model, PartialShape, Shape, Tensor, Type
from openvino.op import Parameter
from openvino.utils.node_factory import NodeFactory
given, results = np.load(sys.argv[1]), {}
for source in given.files:
    raw, count = given[source][8:], int(given[source][:8].view(np.int64)[0])
    tensor = Tensor(getattr(Type, source), Shape([count]))
    tensor.data.view(np.uint8).reshape(-1)[:] = raw
    for destination in given.files:
        parameter = Parameter(tensor.element_type, PartialShape([count]))
        attributes = {"destination_type": destination}
        node = NodeFactory("opset1").create("Convert", [parameter.output(0)], attributes)
        out = Tensor(node.get_output_element_type(0), Shape([count]))
        try:
            if Model([node], [parameter]).evaluate([out], [tensor]):
                results[source + " " + destination] = out.data.view(np.uint8).reshape(-1).copy()
        except RuntimeError:
            pass
np.savez(sys.argv[2], **results)
"""


def edges(name):
    """Numbers at the edges of a type, as many as fill whole bytes."""
    kind = element_type(name)
    if kind.floating:
        numbers = np.abs(REALS) if name == "f8e8m0" else np.array(REALS)
        with np.errstate(over="ignore"):
            held = numbers.astype(kind.dtype)
    elif kind.integral:
        low, high = map(int, kind.extent)
        held = np.array([(n - low) % (high - low + 1) + low for n in WHOLE], object).astype(
            np.uint64 if name == "u64" else np.int64
        )
        held = held.astype(np.uint8).view(kind.dtype) if kind.dtype == np.uint8 else held.astype(kind.dtype)
    else:
        held = tagged(np.arange(16, dtype=np.uint8), kind) if name == "nf4" else np.array([True, False])
    return (
        tagged(np.resize(held, -(-held.size // 8) * 8), kind)
        if held.dtype == np.uint8
        else np.resize(held, -(-held.size // 8) * 8)
    )


@pytest.fixture(scope="module")
def truths(tmp_path_factory):
    pytest.importorskip("openvino")
    folder = tmp_path_factory.mktemp("convert")
    given = {
        name: np.frombuffer(
            np.int64(edges(name).size).tobytes() + pack(edges(name), element_type(name)), np.uint8
        )
        for name in NAMES
    }
    np.savez(folder / "given.npz", **given)
    subprocess.run(
        [sys.executable, "-c", ORACLE, str(folder / "given.npz"), str(folder / "truths.npz")],
        check=True,
        timeout=300,
    )
    return np.load(folder / "truths.npz")


@pytest.mark.parametrize("source", NAMES)
def test_conversions_give_what_openvino_gives(truths, source):
    array = edges(source)
    pairs = [
        pair
        for pair in truths.files
        if pair.split()[0] == source and pair.split()[1] != "bf16" and pair not in ELSEWHERE
    ]
    assert pairs
    for pair in pairs:
        kind = element_type(pair.split()[1])
        ours, theirs = (
            comparable(a, kind)
            for a in (converted(array, kind), unpack(truths[pair].tobytes(), kind, array.shape))
        )
        assert ours == theirs, pair


def comparable(array, kind):
    """Something that is equal where tensors are; NaN of any making is NaN."""
    return list(map(str, array.astype(np.float64))) if kind.floating else pack(array, kind)
