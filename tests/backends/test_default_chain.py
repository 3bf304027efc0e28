"""What computes where nobody says what shall."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from commands import python_process

import irops
from irops import environment
from irops.backends import catalogue
from irops.backends.backend import kernel_of
from irops.backends.catalogue import chain
from irops.backends.numba import WORTH_LOADING
from irops.cli.main import main
from irops.diagnostics.diagnostic import DiagnosticError
from irops.dialects.registry import default_registry

pytestmark = pytest.mark.slow("starts processes that load numba")

DATA, LENGTHS = np.arange(6.0).reshape(2, 3), np.array([3, 2])


@pytest.fixture
def without_numba(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    there = environment._is_installed
    monkeypatch.setattr(environment, "_is_installed", lambda library: library != "numba" and there(library))
    catalogue._default_chain.cache_clear()
    yield
    catalogue._default_chain.cache_clear()


def test_the_default_chain_that_is_installed_comes_first_and_the_reference_last() -> None:
    pytest.importorskip("numba")
    assert [backend.name for backend in chain(None)] == ["numba", "reference"]


def test_without_numba_the_reference_computes(without_numba: None) -> None:
    assert [backend.name for backend in chain(None)] == ["reference"]
    assert irops.call("ReverseSequence-1", DATA, LENGTHS).tolist() == [[2, 1, 0], [4, 3, 5]]


def test_asking_for_numba_where_it_is_missing_names_the_extra(without_numba: None) -> None:
    with pytest.raises(
        DiagnosticError, match=r"numba is not installed; pip install 'irops\[numba\]' installs it"
    ):
        kernel_of(default_registry().op("ReverseSequence-1"), chain(("numba",)))


def test_small_things_do_not_load_numba_and_large_ones_do() -> None:
    pytest.importorskip("numba")
    code = (
        "import sys, irops, numpy as np\n"
        f"for size in (1, {WORTH_LOADING}):\n"
        "    data = np.zeros((size, 1, 4), np.int8)\n"
        "    irops.call('Reverse-1', data, np.array([2]), mode='index')\n"
        "    print('numba' in sys.modules)\n"
    )
    done = python_process("-c", code, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_what_no_fast_backend_has_the_reference_computes() -> None:
    assert irops.call("Abs-1", np.array([-1.0])).tolist() == [1.0]


def test_a_model_runs_by_the_default_chain_too(net: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = net("x: f32[2,3]; n: i64[2]; r: ReverseSequence x n batch_axis=0 seq_axis=1; y: Result r")
    asked: list[tuple[str, str]] = []
    for one in chain(None):
        kernel = type(one).kernel
        monkeypatch.setattr(
            type(one),
            "kernel",
            lambda self, op, kernel=kernel: asked.append((op.id, self.name)) or kernel(self, op),
        )
    found = irops.run(model, {"x": DATA.astype(np.float32), "n": LENGTHS})
    assert found["y"].tolist() == [[2, 1, 0], [4, 3, 5]]
    assert dict(reversed(asked))["ReverseSequence-1"] == chain(None)[0].name


def test_backends_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backends", "--output-format", "json", "--op", "Reverse-1", "--op", "Abs"]) == 0
    listed = {one["backend"]: one for one in json.loads(capsys.readouterr().out)["backends"]}
    assert listed["reference"]["ops"] == ["Reverse-1", "Abs-1"]
    assert listed["numba"] == {"backend": "numba", "default": True, "missing": None, "ops": ["Reverse-1"]}


def test_the_list_says_why_one_cannot_compute(
    without_numba: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["backends", "--op", "Reverse-1"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "numba is not installed; pip install 'irops[numba]' installs it" in out
    assert main(["backends", "--op", "Reverse-1", "--quiet"]) == 0
    assert "numba" not in capsys.readouterr().out


def test_a_backend_that_cannot_be_loaded_is_listed_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from irops.cli import backends as command

    def broken(name: str) -> Any:
        raise ImportError("no module named gpu")

    monkeypatch.setattr(command, "backend_names", lambda: ("theirs",))
    monkeypatch.setattr(command, "backend_of", broken)
    assert main(["backends", "--output-format", "json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["backends"]
    assert one["missing"] == "cannot be loaded: ImportError: no module named gpu"


def test_all_ops_are_listed_if_none_is_asked_about(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backends"]) == 0
    out = capsys.readouterr().out
    assert all(len(line) <= 80 for line in out.splitlines())
    (line,) = [line for line in out.splitlines() if line.startswith("reference")]
    assert int(line.split()[2]) >= len(default_registry().ids())
