"""Every function on models that are slightly wrong: a result, or an error that states a reason."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from damaged_models import damaged, undocumented
from hostile_models import chain, concat, layer, nested, net, parameter, relu, result

import irops

ROOT = Path(__file__).parents[2]
FILES = [
    "examples/running_total/model.xml",
    "examples/turned_rows/model.xml",
    "tests/ir/files/bodies.xml",
    "tests/ir/files/plain.xml",
]
SPLIT = net(
    [
        parameter(),
        layer(1, "a", "Add", '<data auto_broadcast="numpy"/>', (0, 1), (2,)),
        layer(2, "s", "Split", '<data num_splits="2"/>', (0, 1), (2, 3)),
        layer(3, "c", "Const", '<data element_type="i64" shape="" offset="0" size="8"/>', (), (0,)),
        result(4),
        result(5, "z"),
    ],
    [(0, 0, 1, 0), (0, 0, 1, 1), (1, 2, 2, 0), (3, 0, 2, 1), (2, 2, 4, 0), (2, 3, 5, 0)],
)
TEXTS = {
    "a chain": chain(2),
    "a value used twice": concat((0, 1), [(0, 0, 1, 0), (0, 0, 1, 1)], 2),
    "nested bodies": nested(2),
    "two outputs": SPLIT,
}
BASES = {
    **{name: (text.encode(), bytes(64)) for name, text in TEXTS.items()},
    **{name: ((ROOT / name).read_bytes(), (ROOT / name).with_suffix(".bin").read_bytes()) for name in FILES},
}
NO_INPUT = net([parameter(), relu(1), layer(2, "y", "Result")], [(0, 0, 1, 0)])
FEWER_OUTPUTS = SPLIT.replace('num_splits="2"', 'num_splits="1"').replace('"Add" version="opset1"', '"Add"')
X = np.ones(2, np.float32)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_model_raises_what_is_documented(base: str, seed: int, tmp_path: Path) -> None:
    random = Random(f"{base} {seed}")
    path = tmp_path / "m.xml"
    text, weights = BASES[base]
    path.write_bytes(damaged(text, random, 1 + seed % 2))
    path.with_suffix(".bin").write_bytes(weights)
    assert list(undocumented(path, random)) == []


@pytest.mark.parametrize("text", [NO_INPUT, FEWER_OUTPUTS], ids=["a Result without input", "fewer outputs"])
def test_a_model_that_raised_once_does_not_raise_again(text: str, tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(text)
    path.with_suffix(".bin").write_bytes(bytes(64))
    for seed in range(2):
        assert list(undocumented(path, Random(seed))) == []


def test_a_result_without_an_input_is_no_value_to_extract(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(NO_INPUT)
    with pytest.raises(irops.DiagnosticError, match="it gives no value"):
        irops.extract(path, outputs=["y"])
    with pytest.raises(IndexError, match="nothing feeds the result"):
        irops.why(path, "y")
    with pytest.raises(irops.EvaluationError, match="Result-1 has 0 inputs, takes 1"):
        irops.vjp(path, [X], [X])
