"""irops new: what it creates can be used by a model, wherever irops and the user are."""

import re
import shlex
from pathlib import Path

import pytest

import irops as package
from irops.cli import new as command
from irops.dialects.registry import Registry
from irops.spec.releases import categories, opsets
from tests.conftest import net_text

ROOT = Path(__file__).parents[2]
EXAMPLES = re.findall(r"^  irops (new .*)$", command.__doc__ or "", re.MULTILINE)


def model(type, version):
    return net_text("x: i32[3]", f"op: {type}-{version} x amount=2", "y: Result op")


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_op_of_the_examples_of_help_is_usable_in_a_model(example, irops, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = shlex.split(example)
    result = irops(*words)
    assert result.status == 0
    folder = words[words.index("--output") + 1] if "--output" in words else "."
    (tmp_path / "m.xml").write_text(model(words[1], "extension"))
    assert irops("check", "m.xml", "--definitions", folder) == (0, "no findings in m.xml\n", "")
    result = irops("run", "m.xml", "--definitions", folder, "--fill", "ones")
    assert result.out.splitlines()[-1].split()[:6] == ["op.0", "i32", "[3]", "3", "3", "3"]


def test_there_are_examples():
    assert len(EXAMPLES) == 2


def test_a_custom_op_goes_into_the_output_folder_in_a_checkout_too(irops, tmp_path):
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "opsets.xml").write_text("<opsets/>")
    (tmp_path / "irops" / "ops").mkdir(parents=True)
    assert irops("new", "Lambda", "--category", "sort", "-o", tmp_path, "-q") == (0, "", "")
    assert (tmp_path / "Lambda-extension.xml").is_file()
    compile((tmp_path / "lambda.py").read_text(), "lambda.py", "exec")
    assert list((tmp_path / "schemas").iterdir()) == [tmp_path / "schemas" / "opsets.xml"]


@pytest.mark.parametrize("category", categories())
def test_new_and_ops_accept_the_same_categories(category, irops, tmp_path):
    assert irops("new", "MyOp", "--category", category, "-o", tmp_path, "-q").status == 0
    assert irops("ops", "--category", category, "-q").status == 0


def test_the_definitions_are_those_that_opsets_lists():
    """A definition that no opset contains could not be used by any model, and pages would lack its opsets."""
    registry = Registry(plugins=False)
    listed = {version.id: version for version in opsets().all()}
    assert set(registry.ids()) == set(listed)
    for op, version in listed.items():
        definition = registry.op(op).definition
        assert (definition.category, definition.version) == (version.category, version.since)
        assert version.since in version.opsets
        assert Path(definition.path) == ROOT / "schemas" / version.category / f"{op}.xml"


def test_every_version_in_opsets_resolves_to_its_definition():
    registry = package.Registry(plugins=False)
    for version in opsets().all():
        for opset in version.opsets:
            assert registry.resolve(version.type, opset) is registry.op(version.id)
