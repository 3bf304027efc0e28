"""irops view."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drawn_models import detector

from irops.cli import view
from irops.editing.writing import write

Irops = Callable[..., Any]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.xml"
    write(detector().model(), path)
    return path


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What the server would get; none is started."""
    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr(view, "require_model_explorer", lambda: None)
    monkeypatch.setattr(view, "serve", lambda *given, **options: calls.append((*given, options)))
    return calls


def test_view_serves_the_model_with_its_node_data(irops: Irops, model: Path, served: list) -> None:
    (model.parent / "times.json").write_text('{"nms": 2.5}')
    words = ("--node-data", model.parent / "times.json", "--port", "8123", "--no-open")
    assert irops("view", model, *words) == (0, "", "")
    ((name, shown, overlays, options),) = served
    assert (name, [graph["id"] for graph in shown]) == ("model.xml", ["detector"])
    assert overlays["times.json"]["detector"]["results"] == {"nms": {"value": 2.5}}
    assert options == {"port": 8123, "open_page": False, "quiet": False}


def test_findings_are_an_overlay(irops: Irops, broken: Path, served: list) -> None:
    assert irops("view", broken).status == 0
    ((_, _, overlays, options),) = served
    assert list(overlays) == ["irops check"]
    assert options == {"port": 8080, "open_page": True, "quiet": False}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--port", "70000"], "--port is 70000, must be at most 65535"),
        (["--port", "0"], "--port"),
        (["--node-data", "absent.json"], "--node-data absent.json: No such file or directory"),
        (["--node-data", "."], "--node-data .: is a folder"),
        (["--node-data", "NODE"], "the model has no layer 'mns'; did you mean 'nms'?"),
    ],
)
def test_refusals(irops: Irops, model: Path, words: list[str], sentence: str, served: list) -> None:
    node = model.parent / "node.json"
    node.write_text('{"mns": 1}')
    result = irops("view", model, *(str(node) if word == "NODE" else word for word in words))
    assert result.status == 2
    assert sentence in result.err
    assert served == []


def test_a_file_of_node_data_is_bounded(
    irops: Irops, model: Path, served: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "MAX_NODE_DATA", 4)
    (model.parent / "times.json").write_text('{"nms": 2.5}')
    result = irops("view", model, "--node-data", model.parent / "times.json")
    assert result.status == 2
    assert "the file has more than 4 bytes" in result.err


def test_a_missing_library_is_named_with_its_extra(
    irops: Irops, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("irops.files.extras._is_installed", lambda library: library != "model_explorer")
    result = irops("view", model)
    assert result.status == 2
    assert result.err == (
        "irops view: model_explorer is not installed; pip install 'irops[view]' installs it\n"
    )
