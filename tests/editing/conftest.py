"""What tests of translation share: runtimes in a process of their own."""

from collections.abc import Iterator

import pytest
from runtimes import Runtimes


@pytest.fixture(autouse=True)
def _onnx() -> None:
    pytest.importorskip("onnx")


@pytest.fixture(scope="session")
def runtimes() -> Iterator[Runtimes]:
    pytest.importorskip("openvino")
    pytest.importorskip("onnxruntime")
    found = Runtimes()
    yield found
    found.close()
