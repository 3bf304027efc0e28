"""Tests of a repository's models: each is sound, and computes what it computed when it was accepted."""

from pathlib import Path

import pytest

MODELS = sorted(path.parent for path in Path(__file__).parents[2].glob("*/expected.npz"))


@pytest.mark.parametrize("folder", MODELS, ids=lambda folder: folder.name)
def test_the_model_is_sound(irops_check, folder):
    irops_check(folder / "model.xml")


@pytest.mark.parametrize("folder", MODELS, ids=lambda folder: folder.name)
def test_the_model_computes_what_is_expected(assert_same, folder):
    assert_same(folder / "model.xml", folder / "inputs.npz", folder / "expected.npz")
