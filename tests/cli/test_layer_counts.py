"""Every command counts the layers of a model alike: 6 layers; 6 layers, 20 with bodies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drawn_models import detector, loop

from irops.drawing.draw import draw
from irops.editing.writing import write
from irops.ir.model import LayerCount, Model

Irops = Callable[..., Any]


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (LayerCount(1, 1), "1 layer"),
        (LayerCount(6, 6), "6 layers"),
        (LayerCount(6, 20), "6 layers, 20 with bodies"),
        (LayerCount(6, 2000), "6 layers, 2,000 with bodies"),
    ],
)
def test_a_count_says_how_many_layers_there_are_with_bodies(count: LayerCount, text: str) -> None:
    assert str(count) == text


def test_a_part_is_counted_beside_the_whole() -> None:
    assert LayerCount(4, 4).of(LayerCount(6, 6)) == "4 layers of 6"
    assert LayerCount(4, 9).of(LayerCount(6, 20)) == "4 layers of 6, 9 of 20 with bodies"
    assert LayerCount(4, 4).of(LayerCount(6, 20)) == "4 layers of 6, 4 of 20 with bodies"


@pytest.mark.parametrize(
    ("model", "text"),
    [(loop().model(), "4 layers, 8 with bodies"), (detector().model(), "46 layers")],
    ids=["with a body", "without bodies"],
)
def test_commands_count_alike(irops: Irops, model: Model, text: str, tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    write(model, path)
    total = sum(1 for _ in model.walk())
    assert str(model.layer_count) == text
    assert text in repr(model)
    assert f": {text} in " in irops("draw", path, "-o", tmp_path / "m.svg").out
    assert f"· {text} ·" in irops("inspect", path).out
    assert irops("diff", path, path).out.count(f": {text}\n") == 2
    inspected = json.loads(irops("inspect", path, "--output-format", "json").out)
    assert (inspected["own_layers"], inspected["layers"]) == (len(model.layers), total)


def test_a_drawing_counts_what_it_shows() -> None:
    assert str(draw(loop()).layers) == "4 layers, 8 with bodies"
    assert str(draw(loop(), path=("loop", "body")).layers) == "4 layers"
    assert str(draw(detector(), around="nms", hops=0).layers) == "4 layers"  # with its three constants
