"""A dialect: how its layers are looked up, its types and shapes, and the files of its models."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Protocol

from irops.diagnostics.diagnostic import Diagnostic
from irops.files.limits import Limits
from irops.files.urls import Place, StrPath
from irops.ir.model import LayerKind, Model, kind_of
from irops.spec.definition import Definition
from irops.spec.op import NoOp, Op, opset_named, parted
from irops.spec.releases import schemas_folder
from irops.values.element import ElementType, element_type
from irops.values.fact import Fact
from irops.values.shape import Shape

Loaded = tuple[Model, tuple[Diagnostic, ...]]
"""A model as far as it can be read, and everything that is wrong with its text and structure."""
Interface = Callable[[Model], Mapping[int, Fact]]
"""Gives what is inferred of the tensors of Parameters and Results, by layer id; called when a writer needs
it.
"""


class KnownOps(Protocol):
    """The part of the registry that a dialect uses."""

    def op(self, id: str) -> Op: ...
    def ids(self, dialect: str = "") -> tuple[str, ...]: ...
    def extensions(self) -> Mapping[str, Path]: ...
    def resolve(self, type: str, version: str) -> Op | NoOp: ...


@dataclass(frozen=True, slots=True)
class Listed:
    """A version of an op in a dialect's own list of its ops, and the opsets that hold it."""

    id: str
    category: str
    opsets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OtherFormat:
    """Why a text reader cannot read a file: it is of another format. rule: the name of the diagnostic
    rule.
    """

    rule: str
    message: str
    notes: tuple[str, ...] = ()


class Dialect:
    """One dialect of models. A sub-package of irops.dialects defines one and exposes it as DIALECT.

    What is here suits a dialect whose definitions lie in a folder schemas beside its package, or in
    schemas/<name> of irops, and whose layers have its name as their version. Functions that its ops do not
    share with ops of OpenVINO are in modules of its sub-package ops.
    """

    name: str
    """As Model.dialect has it, and what stands before the colon in ids of ops; the name of its package."""
    title: str
    """As sentences and pages have it."""
    base: str | None = None
    """The dialect that it extends: its models may hold layers of that dialect, too."""
    suffixes: tuple[str, ...] = ()
    """How names of files with its models end; none: it has no files of its own."""
    file_help: str = ""
    """Such a file, as the help of commands has it: an .xml file with its .bin next to it."""
    weights_beside: bool = False
    """Whether weights lie in a file beside the model's, which a caller may name."""
    declares_inputs: bool = True
    """Whether input ports of layers declare a type and a shape."""
    wide_constants: bool = False
    """Whether constants of narrow floating types are combined in f32, as OpenVINO does."""
    runtime_notes: bool = False
    """Whether notes on what OpenVINO does with a file apply to its models."""
    opsets: tuple[str, ...] = ()
    """The names of its opsets, the oldest first."""

    def __repr__(self) -> str:
        return f"<dialect {self.name}>"

    # layers

    def owns(self, version: str) -> bool:
        """Whether a layer of that version is of this dialect."""
        return version == self.name

    def layer_version(self, type: str, opset: int) -> str:
        """The version of a layer of a type, in a model of an opset."""
        return self.name

    def imports(self, opset: int) -> dict[str, int]:
        """Model.opsets of a model of an opset."""
        return {}

    def layer_kind(self, type: str) -> LayerKind:
        """The role of layers of a type in a graph."""
        return kind_of(type)

    def resolve(self, registry: KnownOps, type: str, version: str) -> Op | NoOp:
        """The op that a layer's type and version mean, or why they mean none."""
        found = next((known for known in self.ids() if parted(known)[1] == type), None)
        if found is not None:
            return registry.op(found)
        known = ", ".join(parted(known)[1] for known in self.ids())
        return NoOp.undefined(f"{self.title}'s {type}", f"; it has {known}", once=True)

    def refuses_attribute(self, name: str) -> bool:
        """Whether runtimes refuse a layer with an attribute of this name, if its op has none of this name."""
        return False

    def id_of(self, type: str, version: str) -> str | None:
        """The id of the op of a layer in a model of the dialect that this one extends; None where it has no
        such op. For dialects whose layers have versions that are not the dialect's own.
        """
        return None

    # types and shapes

    def element_type(self, text: str) -> ElementType:
        """The element type of a name. Raises: ValueError where the dialect has none of that name"""
        return element_type(text, foreign=True)

    def parse_shape(self, text: str) -> Shape:
        """The shape that a text spells. Raises: ValueError"""
        return Shape.parse(text, symbols=True)

    # definitions

    @property
    def package(self) -> str:
        return f"irops.dialects.{self.name}"

    @property
    def folder(self) -> Path:
        """Where its definitions are."""
        beside = Path(import_module(self.package).__path__[0], "schemas")
        return beside if beside.is_dir() else schemas_folder() / self.name

    @cached_property
    def paths(self) -> Mapping[str, Path]:
        """The files of its definitions, by id."""
        files = sorted(self.folder.glob("*.xml"))
        return {f"{self.name}:{path.stem}": path for path in files if path.stem != "opsets"}

    def ids(self) -> tuple[str, ...]:
        """The ids of all definitions; a file that holds several versions has the id of its oldest."""
        return tuple(self.paths)

    def versions(self, file_id: str) -> tuple[str, ...]:
        """The ids of all versions that a file holds, the oldest first."""
        return (file_id,)

    def newest(self, file_id: str) -> str:
        return self.versions(file_id)[-1]

    def find(self, id: str) -> tuple[Path, int | None] | None:
        """The file that holds an op, and the version to read it as; None where no file does."""
        return (self.paths[id], None) if id in self.paths else None

    def functions_module(self, definition: Definition) -> str | None:
        """The module with functions that an op does not share with OpenVINO's; None where there is none."""
        place = Path(import_module(self.package).__path__[0], "ops", f"{definition.module}.py")
        return f"{self.package}.ops.{definition.module}" if place.is_file() else None

    # its list of ops, which may be longer than the definitions

    def types(self) -> Iterable[str]:
        """The types of all ops that the dialect has, as far as that is known."""
        return ()

    def listed(self, opset: str | None = None) -> Iterator[Listed]:
        """The ops of an opset, or of the dialect's choice where none is named."""
        yield from ()

    def opsets_of(self, id: str) -> tuple[str, ...]:
        """The opsets that hold an op, or a version that the file of that id holds."""
        return ()

    def opset(self, text: str) -> str:
        """The name of an opset, which may be given by its number. Raises: ValueError where there is none"""
        return opset_named(text, self.title, self.opsets)

    # files

    def read(
        self, path: str, *, weights: str | None = None, text: bytes | None = None, limits: Limits
    ) -> Loaded:
        """The model in a file. text: what is read in place of the file's content.

        Raises:  ReadError where there is no model at all
        """
        raise NotImplementedError(f"{self.title} has no files of its own")

    def files_beside(self, path: StrPath, content: bytes) -> Iterator[Place]:
        """The places of further files that a model in a file consists of; they need not exist.

        content: of the file, or a part of it, which gives the files that it names
        """
        if self.weights_beside:
            yield Place.of(path).with_suffix(".bin")

    def write(self, model: Model, path: str, *, registry: KnownOps, interface: Interface) -> None:
        """Write a model of this dialect. Raises: DiagnosticError, OSError"""
        raise NotImplementedError(f"{self.title} has no files of its own")

    def recognise(self, start: bytes) -> OtherFormat | None:
        """The finding where another dialect's reader meets a file of this dialect, by how it starts."""
        return None
