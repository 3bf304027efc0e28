"""What `import irops` offers: the names of __all__, documented, typed and imported when first used."""

import inspect
import pickle
import pydoc
import tomllib
import traceback
from enum import Enum
from pathlib import Path

import pytest
from entry_points import functions, wrong_calls

import irops

ROOT = Path(__file__).resolve().parents[2]


def test_dir_lists_the_public_names_alone():
    assert [name for name in dir(irops) if not name.startswith("__")] == sorted(irops.__all__)


@pytest.mark.parametrize("name", irops.__all__)
def test_every_public_name_has_a_docstring_of_its_module(name):
    value = getattr(irops, name)
    assert value.__name__ == name
    assert pickle.loads(pickle.dumps(value)) is value
    assert inspect.getdoc(value)
    assert value.__doc__ not in {base.__doc__ for base in getattr(value, "__mro__", ())[1:]}


def test_help_documents_every_public_name():
    text = pydoc.plain(pydoc.render_doc(irops))
    for name in irops.__all__:
        kind = "class" if inspect.isclass(getattr(irops, name)) else ""
        assert f"{kind} {name}(" in text or f"\n    {name}(" in text, name


def signatures():
    """Every public function and method, with the names and the defaults of its parameters."""
    for name in irops.__all__:
        value = getattr(irops, name)
        members = vars(value) if inspect.isclass(value) else {}
        own = [n for n, member in members.items() if n[0] != "_" and inspect.isroutine(member)]
        if inspect.isclass(value) and issubclass(value, Exception | Enum):
            continue  # their parameters are Python's
        for full, function in [(name, value), *((f"{name}.{n}", getattr(value, n)) for n in own)]:
            signature = inspect.signature(function)
            bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
            yield f"{full}{signature.replace(parameters=bare, return_annotation=signature.empty)}"


def test_signatures_are_those_that_users_call():
    known = Path(__file__).with_name("signatures.txt").read_text("utf-8").splitlines()
    assert list(signatures()) == known


@pytest.mark.slow("calls every function with many arguments")
@pytest.mark.parametrize(
    "name", [n for n in irops.__all__ if not n[0].isupper() or n in ("Graph", "Registry", "Session")]
)
def test_a_wrong_argument_is_refused_by_a_sentence_that_names_it(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    raw = []
    for parameter, value, wrong_call in wrong_calls(name, tmp_path):
        try:
            wrong_call()
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            is_own = Path(place.filename).is_relative_to(ROOT / "irops") and place.line.startswith("raise ")
            if not is_own or (isinstance(error, TypeError) and parameter not in str(error)):
                raw.append(f"{parameter}={value!r}: {error!r} at {place.filename}:{place.lineno}")
    assert raw == []


def test_every_function_of_a_model_is_tried_with_hostile_files():
    others = {"call", "definition", "definitions", "rules", "survey", "tagged"}  # survey: as a command
    names = {name for name in irops.__all__ if name[0].islower()} - others
    assert names <= functions(ROOT).keys()


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
