"""What `import irops` offers: the names of __all__, documented, typed and imported when first used."""

import ast
import inspect
import pydoc
import tomllib
from pathlib import Path

import pytest

import irops

ROOT = Path(__file__).resolve().parents[2]


def test_dir_lists_the_public_names_alone():
    assert [name for name in dir(irops) if not name.startswith("__")] == sorted(irops.__all__)


@pytest.mark.parametrize("name", irops.__all__)
def test_every_public_name_has_a_docstring_of_its_module(name):
    value = getattr(irops, name)
    assert value.__name__ == name
    assert inspect.getdoc(value)
    assert value.__doc__ not in {base.__doc__ for base in getattr(value, "__mro__", ())[1:]}


def test_help_documents_every_public_name():
    text = pydoc.plain(pydoc.render_doc(irops))
    for name in irops.__all__:
        kind = "class" if inspect.isclass(getattr(irops, name)) else ""
        assert f"{kind} {name}(" in text or f"\n    {name}(" in text, name


def test_type_checkers_see_the_public_names_alone():
    tree = ast.parse((ROOT / "irops" / "__init__.py").read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {alias.asname: f"{node.module}" for node in block.body for alias in node.names}
    assert typed == irops._HOMES
    assert sorted(typed) == irops.__all__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'chekc'"):
        _ = irops.chekc


def test_the_version_is_stated_once():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" not in project["project"]
    assert project["project"]["dynamic"] == ["version"]
    assert (ROOT / project["tool"]["hatch"]["version"]["path"]).samefile(irops.__file__)


def test_the_extra_all_has_every_extra_for_users():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    named = everything.removeprefix("irops[").removesuffix("]").split(",")
    assert set(named) == extras.keys() - {"all", "test", "mutation", "release"}
