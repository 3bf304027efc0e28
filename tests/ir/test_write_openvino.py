"""OpenVINO, in a process of its own since it may crash, finds the same in what irops writes."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from libraries import needs
from runtimes import Runtimes

from irops import Graph
from irops.ir.read import read
from irops.ir.write import write
from irops.values.element import element_types, tagged

FILES = Path(__file__).parent / "files"

pytestmark = [pytest.mark.slow("OpenVINO reads and runs models"), needs("openvino")]


@pytest.fixture(scope="module")
def runtimes():
    with closing(Runtimes()) as started:
        yield started


def test_openvino_computes_the_same_from_what_irops_writes_of_an_old_file(runtimes, tmp_path):
    """Newer files are written byte for byte, see test_write.py."""
    copy, image = tmp_path / "copy.xml", np.float32([[[[1, -2]]]])
    write(read(FILES / "old.xml"), copy)
    for runtime in ("shapes", "openvino"):
        original, copied = (runtimes.run(runtime, path, [image]) for path in (FILES / "old.xml", copy))
        assert original
        assert [array.tolist() for array in original] == [array.tolist() for array in copied]


TESTED = [t for t in element_types() if t.kind != "dynamic"]


def _elements(element):
    if element.kind == "string":
        return np.array(["abc", "", "é", "z,z"], object)
    if element.kind == "lookup":
        return np.arange(9, dtype=np.uint8)
    if element.kind == "boolean":
        return np.array([True, False, True])
    if element.name == "f8e8m0":
        return np.array([0.25, 0.5, 1, 2, 4, 8, 16, 32, 64]).astype(element.dtype)
    top = 1 << min(element.bits - (element.kind == "signed"), 6)
    low = -top if element.kind == "signed" else 0
    if element.floating:
        return np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -1]).astype(element.dtype)
    return np.array([(low + 5 * k) % (top - low) + low for k in range(9)]).astype(element.dtype)


@pytest.mark.parametrize("element", TESTED, ids=str)
def test_openvino_finds_the_elements_that_irops_packs(element, runtimes, tmp_path):
    graph, elements = Graph("constant"), _elements(element)
    constant = graph.constant(tagged(elements, element))
    wide = {"destination_type": "f64" if element.bits > 16 else "f32"}
    graph.result(constant if element.kind == "string" else graph.ops.Convert(constant, **wide), "y")
    write(graph.model(), tmp_path / "m.xml")
    (found,) = (array.ravel().tolist() for array in runtimes.run("folding", tmp_path / "m.xml", []))
    if element.kind == "string":
        assert found == elements.tolist()
    elif element.kind == "lookup":
        assert found == sorted(found)  # the codes are those of rising values
    else:
        assert found == [float(x) for x in elements]
