"""Convert against OpenVINO's reference kernels, on numbers at the edges of every type that they convert."""

from contextlib import suppress

import numpy as np
import pytest
from libraries import needs
from runtimes import DeclinedError

from irops.backends.one_op import one_op_model
from irops.dialects.registry import default_registry
from irops.ops.conversion import converted
from irops.values.element import element_type, element_types, tagged
from irops.values.packing import pack

pytestmark = [pytest.mark.slow("OpenVINO computes many conversions"), needs("openvino")]

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


@pytest.mark.parametrize("source", NAMES)
def test_conversions_give_what_openvino_gives(source, runtimes, tmp_path):
    array, pairs = edges(source), 0
    for destination in NAMES:
        kind = element_type(destination)
        attributes = {"destination_type": destination}
        text, weights = one_op_model(default_registry().op("Convert-1"), [array], attributes, 1, {0: array})
        (tmp_path / "m.xml").write_text(text)
        (tmp_path / "m.bin").write_bytes(weights)
        with suppress(DeclinedError):
            (theirs,) = runtimes.run("folding", tmp_path / "m.xml", [])
            pairs += 1
            if destination != "bf16" and f"{source} {destination}" not in ELSEWHERE:
                assert comparable(converted(array, kind), kind) == comparable(theirs, kind), destination
    assert pairs


def comparable(array, kind):
    """Something that is equal where tensors are; NaN of any making is NaN."""
    return list(map(str, array.astype(np.float64))) if kind.floating else pack(array, kind)
