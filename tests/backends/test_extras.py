"""A library that is not installed is named, and the extra that brings it."""

import importlib.util

import numpy as np
import pytest
from tables import table

import irops
from irops import environment
from irops.backends.onnxruntime import ONNXRuntime
from irops.backends.openvino import OpenVINO

BACKENDS = {"openvino": OpenVINO, "onnxruntime": ONNXRuntime}


@pytest.fixture
def nothing_installed(monkeypatch):
    environment._is_installed.cache_clear()
    monkeypatch.setattr(environment, "find_spec", lambda name: None)
    yield
    environment._is_installed.cache_clear()


@pytest.mark.parametrize(
    ("name", "libraries", "extra"), table(__file__, "a_missing_library_is_named_with_its_extra")
)
def test_a_missing_library_is_named_with_its_extra(nothing_installed, name, libraries, extra):
    with pytest.raises(
        irops.DiagnosticError, match=f"IR613 backend {name} is not available: {libraries}"
    ) as caught:
        irops.call("Reverse-1", np.zeros(2), np.array([0]), mode="index", backends=[BACKENDS[name]()])
    assert caught.value.diagnostics[0].code == "IR613"


def test_a_missing_library_is_not_passed_over(nothing_installed):
    with pytest.raises(irops.DiagnosticError, match="IR613"):
        irops.call("Reverse-1", np.zeros(2), np.array([0]), mode="index", backends=[OpenVINO(), "reference"])


@pytest.mark.parametrize("name", BACKENDS)
def test_a_backend_that_can_compute_misses_nothing(name):
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed")
    assert BACKENDS[name]().missing() is None
