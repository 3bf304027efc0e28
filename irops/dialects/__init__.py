"""Dialects of models: a sub-package each, which exposes its Dialect as DIALECT.

A suffix, a version of a layer or an id enters, the Dialect leaves that it belongs to: how layers are looked
up, what kinds and types they have, and how files are read and written.
"""

from functools import cache, lru_cache
from importlib import import_module
from pkgutil import iter_modules

from irops.dialects.dialect import Dialect as Dialect
from irops.files.urls import Place, StrPath
from irops.ir.model import Model
from irops.spec.definition import OPENVINO
from irops.spec.op import parted


def dialects() -> tuple[Dialect, ...]:
    """All dialects: OpenVINO's first, then those that extend no other, then those that do."""
    return _dialects(tuple(__path__))


@cache
def _dialects(folders: tuple[str, ...]) -> tuple[Dialect, ...]:
    names = [found.name for found in iter_modules(folders) if found.ispkg]
    found: list[Dialect] = [import_module(f"irops.dialects.{name}").DIALECT for name in names]
    assert [dialect.name for dialect in found] == names, "a dialect is named as its package"
    return tuple(sorted(found, key=lambda one: (one.name != OPENVINO, one.base is not None, one.name)))


def others() -> tuple[Dialect, ...]:
    """All dialects but OpenVINO's."""
    return dialects()[1:]


def dialect_named(name: str) -> Dialect:
    """The dialect of a name, or of "", which stands for OpenVINO's; KeyError where there is none."""
    wanted = name or OPENVINO
    for dialect in dialects():
        if dialect.name == wanted:
            return dialect
    raise KeyError(f"there is no dialect {name!r}; there are {', '.join(known.name for known in dialects())}")


def dialect_of(model: Model) -> Dialect:
    """The dialect of a model."""
    return dialect_named(model.dialect)


def dialect_of_id(id: str) -> Dialect:
    """The dialect of an op. Raises: KeyError where the id names one that does not exist"""
    return dialect_named(parted(id)[0])


def dialect_of_version(version: str) -> Dialect:
    """The dialect of a layer, by its version: OpenVINO's where no other owns it."""
    return _owner(tuple(__path__), version)


@lru_cache(256)
def _owner(folders: tuple[str, ...], version: str) -> Dialect:
    first, *more = _dialects(folders)
    return next((dialect for dialect in more if dialect.owns(version)), first)


def model_suffixes() -> tuple[str, ...]:
    """How names of files with models end, in any dialect."""
    return tuple(suffix for dialect in dialects() for suffix in dialect.suffixes)


def dialect_of_suffix(path: StrPath) -> Dialect:
    """The dialect that a file of that name holds: OpenVINO's where the suffix is no other's."""
    suffix = Place.of(path).suffix
    return next((dialect for dialect in others() if suffix in dialect.suffixes), dialects()[0])
