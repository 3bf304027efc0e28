"""What the results of a survey depend on, beside the models and the tasks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, entry_points, version
from importlib.util import find_spec
from math import inf
from pathlib import Path

from irops.cluster.cluster_workers import content
from irops.limits import Limits
from irops.spec.plugins import OPS, RULES
from irops.surveys.keys import key_of
from irops.surveys.tasks import DEFAULT_SOURCES, REFERENCE, Task

SECONDS = 900.0
"""How long a cell may take, unless the caller says."""
_SUFFIXES = (".py", ".xml", ".rng")


@dataclass(frozen=True, slots=True)
class Settings:
    """How models are examined.

    seconds, memory: bounds of each cell, in seconds and bytes; select, ignore: rules, as in check; rules:
    modules of custom rules; folders, modules: of custom ops, as in Registry; seed: of random inputs.
    """

    limits: Limits = field(default_factory=Limits)
    seconds: float = SECONDS
    memory: float = inf
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    seed: int = 0

    @property
    def is_extended(self) -> bool:
        """Whether code from outside irops takes part."""
        return bool(self.rules or self.folders or self.modules)

    def digest(self) -> str:
        """What stands for all that results depend on: options, code and definitions, custom ones included.

        The bounds are left out: a result within them is the same for others.
        """
        options = asdict(self)
        del options["seconds"], options["memory"]
        custom = [Path(folder) for folder in self.folders]
        custom += [path for name in (*self.rules, *self.modules) if (path := _module_file(name))]
        return key_of(
            json.dumps(options, sort_keys=True).encode(),
            content().encode(),
            *(part for place in custom for part in _files(place)),
            *map(str.encode, _plugins()),
        )


def runtime_of(task: Task) -> str:
    """The versions of the libraries that compute the values of a task; "" where nothing is computed."""
    if task.kind not in DEFAULT_SOURCES:
        return ""
    return ", ".join(dict.fromkeys(map(_runtime, task.variant)))


def _runtime(source: str) -> str:
    name = source.partition(":")[0]
    if name == REFERENCE:
        name = "numpy"
    for entry in entry_points(group="irops.backends", name=name):
        if entry.dist is not None:
            return f"{name} {entry.dist.version}"
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return name


def _files(place: Path) -> Iterator[bytes]:
    """The names and digests of the files of custom code and definitions at a place, wherever that is."""
    files = sorted(place.rglob("*")) if place.is_dir() else [place]
    for file in files:
        if file.suffix in _SUFFIXES and file.is_file():
            name = file.relative_to(place).as_posix() if place.is_dir() else file.name
            yield name.encode("utf-8", "surrogateescape")
            yield blake2b(file.read_bytes(), digest_size=32).digest()


def _module_file(name: str) -> Path | None:
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):  # reported when it is imported
        return None
    return None if spec is None or spec.origin is None else Path(spec.origin)


def _plugins() -> list[str]:
    """The packages that add ops or rules, with their versions."""
    entries = (entry for group in (OPS, RULES) for entry in entry_points(group=group))
    return sorted(
        f"{entry.value} {entry.dist.name} {entry.dist.version}" for entry in entries if entry.dist is not None
    )
