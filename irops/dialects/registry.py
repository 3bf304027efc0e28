"""The op registry: every definition with its functions, irops' own and those of plug-ins."""

import importlib
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from errno import ENOTDIR
from functools import cache
from pathlib import Path
from threading import RLock
from types import ModuleType

from irops.diagnostics.diagnostic import DefinitionError
from irops.diagnostics.printable import plural
from irops.dialects import dialect_named, dialect_of_id, dialect_of_version, dialects
from irops.dialects.dialect import Dialect
from irops.dialects.openvino.dialect import definition_files
from irops.environment import naming_arguments
from irops.ops import stock
from irops.spec.binding import BOUND, bound_to, definition_fault, functions_of
from irops.spec.definition import OPENVINO, Definition
from irops.spec.extension import module_of, plugin_folders
from irops.spec.load import load_definition
from irops.spec.op import NoOp, Op, meant_id, number_of, parted, similar_ids
from irops.spec.releases import opsets
from irops.spec.sharing import NotSharedError, shared, with_gradients

MAX_RESOLVED = 10_000
"""For how many types and versions of layers their ops are remembered."""


def _letters(name: str) -> str:
    """The letters and digits of a name, in lower case: those that its spellings have in common."""
    return "".join(character for character in name.lower() if character.isalnum())


def _is_called(name: str, words: Iterable[str]) -> bool:
    """Whether a name is one of some words, apart from the modules before them (conv2d for nn.Conv2d)."""
    return any(_letters(name) == _letters(word) or _last(name) == _last(word) for word in words)


def _last(name: str) -> str:
    return _letters(name.rpartition(".")[2])


class Registry:
    """Ops by type and version. Only what is asked for is loaded. Threads may share a registry.

    folders: further definitions (*.xml, searched in depth), their functions in a module of the same folder,
    named as the definition says; modules: names of further modules to import, for functions that lie
    elsewhere. Packages that register under the entry point group irops.ops are found by themselves.
    """

    @naming_arguments
    def __init__(
        self,
        folders: str | Path | Iterable[str | Path] = (),
        modules: Iterable[str] = (),
        *,
        plugins: bool = True,
    ) -> None:
        self._own = dict(dialect_named(OPENVINO).paths)
        self._folders = [
            Path(folder) for folder in ((folders,) if isinstance(folders, (str, Path)) else folders)
        ]
        for folder in self._folders:
            if not folder.is_dir():
                raise NotADirectoryError(ENOTDIR, "there is no such folder of definitions", str(folder))
        self.modules = tuple(modules)
        self.folders = tuple(map(str, self._folders))
        self._plugins = plugins
        self._extensions: dict[str, Path] | None = None
        self._lock = RLock()
        self._ops: dict[str, Op] = {}
        self._named: dict[str, str] = {}
        self._resolved: dict[tuple[str, str], Op | NoOp] = {}

    def __repr__(self) -> str:
        folders = f", {plural(len(self._folders), 'folder')} of definitions" if self._folders else ""
        return f"<Registry: {len(self._own)} ops of OpenVINO{folders}>"

    def resolve(self, type: str, version: str) -> Op | NoOp:
        """The op that a layer's type and version mean, or why they mean none."""
        key = (type, version)
        found = self._resolved.get(key)
        if found is None:
            found = dialect_of_version(version).resolve(self, type, version)
            if len(self._resolved) >= MAX_RESOLVED:  # a file may name any number of ops that do not exist
                self._resolved.clear()
            self._resolved[key] = found
        return found

    def op(self, id: str) -> Op:
        """The op of an id such as ReverseSequence-1, loaded when first asked for.

        Raises:  KeyError where no definition has the id; DefinitionError where it is faulty
        """
        found = self._ops.get(id)
        if found is None:
            with self._lock:  # all threads get the same op
                if id not in self._ops:
                    made = self._op_of_another_dialect(id) if parted(id)[0] else self._native_op(id)
                    _check_shape_rules(made)
                    self._ops[id] = made
                found = self._ops[id]
        return found

    def _native_op(self, id: str) -> Op:
        own = id in self._own
        path = self._own[id] if own else self.extensions().get(id)
        if path is None:
            raise self._unknown(id)
        definition = load_definition(path)
        module = _import_own(definition) if own else self._import_extension(definition)
        functions = functions_of(definition, (module.__name__, *(_own_modules() if own else self.modules)))
        return Op(definition, functions, module.__name__)

    def _op_of_another_dialect(self, id: str) -> Op:
        try:
            dialect = dialect_of_id(id)
        except KeyError:
            raise self._unknown(id) from None
        found = dialect.find(id)
        if found is None:
            raise self._unknown(id)
        definition = load_definition(found[0], version=found[1])
        apart = dialect.functions_module(definition)
        module = None if apart is None else importlib.import_module(apart).__name__
        if definition.same_as is not None:
            return self._sharing_op(definition, self.op(definition.same_as), module)
        if module is None and definition.library:  # its shapes follow from the definition alone
            return Op(definition, functions_of(definition, ()), dialect.package)
        module = module or _import_own(definition).__name__
        return Op(definition, functions_of(definition, (module, *_own_modules())), module)

    def _sharing_op(self, definition: Definition, base: Op, module: str | None) -> Op:
        """An op whose functions are another's, but for those in a module of its own dialect."""
        module = module or base.module
        own = bound_to(definition, (module,))
        try:
            functions = functions_of(
                definition, (module,), shared(definition, base.definition, base.functions, *own)
            )
        except NotSharedError as error:
            message = f"{definition.id} {error}"
            raise DefinitionError(
                [definition_fault("mismatched-function", message, definition.path)]
            ) from None
        if not definition.gradients:  # of its own: the op is the same, what is sent back is not
            with suppress(NotSharedError):  # it has functions of its own, since something cannot be shared
                definition = with_gradients(definition, base.definition, base.functions, functions)
        return Op(definition, functions, module)

    def definition(self, id: str) -> Definition:
        """The definition of an op, by any name that named takes; KeyError if none."""
        return self.named(id).definition

    def named(self, name: str) -> Op:
        """The op of an id, an id in another case, or a type or another name of which the newest version is
        meant.

        Raises:  KeyError, with a suggestion, where there is none; DefinitionError where the op is faulty
        """
        if name not in self._named:
            meant = meant_id(name, self.versions(parted(name)[0]), opsets().classes) or self.alias(name)
            if meant is None:
                raise self._unknown(name, self.called(name)[:3])
            self._named[name] = meant
        return self.op(self._named[name])

    def _unknown(self, name: str, called: Iterable[str] = ()) -> KeyError:
        words = " or ".join(called) or " or ".join(self.similar(name)[:1])
        return KeyError(f"no op is called {name!r}{f'; did you mean {words}?' if words else ''}")

    def alias(self, name: str) -> str | None:
        """The id of the op of OpenVINO that another name means, such as NMS, conv2d or reduce_mean, in its
        newest version. Where several types have the name as a keyword, the type that lists it first is meant.
        """
        called = self.called(name)
        first = [op for op in called if _is_called(name, self.op(op).definition.keywords[:1])]
        meant = called if len(called) == 1 else first
        return meant[0] if len(meant) == 1 else None

    def called(self, name: str) -> list[str]:
        """The ids of the ops of OpenVINO that NMS, conv2d or "layer norm" may mean, since they have it as a
        keyword: of each type the newest version, first the type that has most of them.
        """
        found: dict[str, list[str]] = {}
        for op in self.ids() if _letters(name) else ():
            kind = op.rpartition("-")[0]
            if _is_called(name, (kind, *self.op(op).definition.keywords)):
                found.setdefault(kind, []).append(op)
        return [ids[-1] for ids in sorted(found.values(), key=len, reverse=True)]

    def similar(self, name: str) -> list[str]:
        """The ids of up to two ops with a similar id, of the newest version where the type is similar."""
        prefix = name.rpartition(":")[0]
        dialect = _dialect(prefix)
        known = (
            self.versions(prefix) if dialect else [i for one in dialects() for i in self.versions(one.name)]
        )
        return similar_ids(name, prefix if dialect else "", known)

    def ids(self, dialect: str = "") -> tuple[str, ...]:
        """The ids of OpenVINO's ops and of extensions; or of another dialect, each the oldest of its file."""
        asked = _dialect(dialect)
        if asked is None:
            return ()
        found = (*self._own, *self.extensions()) if asked.name == OPENVINO else asked.ids()
        return tuple(sorted(found, key=lambda i: (i.rsplit("-", 1)[0].lower(), number_of(i))))

    def versions(self, dialect: str = "") -> tuple[str, ...]:
        """The ids of all ops in all versions."""
        asked = _dialect(dialect)
        return () if asked is None else tuple(i for file in self.ids(dialect) for i in asked.versions(file))

    def newest(self, id: str) -> str:
        """The newest version that the file of an id holds."""
        return dialect_of_id(id).newest(id)

    def extensions(self) -> dict[str, Path]:
        """Definitions from outside irops: id to file."""
        if self._extensions is None:
            with self._lock:
                if self._extensions is None:
                    self._extensions = self._found_extensions()
        return self._extensions

    def _found_extensions(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for folder in (*self._folders, *(plugin_folders() if self._plugins else ())):
            for name, path in definition_files(folder).items():
                if ":" in name:
                    message = f"the file is called {path.name}, must be called TYPE-VERSION.xml"
                    raise DefinitionError([definition_fault("unreadable-definition", message, str(path))])
                before = self._own.get(name) or found.get(name)
                if before is not None:
                    message = f"{name} is defined already, in {before}"
                    raise DefinitionError([definition_fault("duplicate-op", message, str(path))])
                found[name] = path
        for module in self.modules:
            importlib.import_module(module)
        return found

    def _import_extension(self, definition: Definition) -> ModuleType:
        path = Path(definition.path)
        file = path.parent / f"{definition.module}.py"
        if file.is_file():
            return module_of(file)
        if self.modules:
            return sys.modules[self.modules[0]]
        message = f"{definition.id} has no module {file.name} beside its definition"
        raise DefinitionError([definition_fault("missing-function", message, definition.path)])


def _dialect(name: str) -> Dialect | None:
    """The dialect of a name; None where there is none."""
    return next((dialect for dialect in dialects() if dialect.name == (name or OPENVINO)), None)


def _import_own(definition: Definition) -> ModuleType:
    name = f"irops.ops.{definition.category}.{definition.module}"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
        message = f"{definition.id} has no module {name}"
        raise DefinitionError([definition_fault("missing-function", message, definition.path)]) from None


def _check_shape_rules(op: Op) -> None:
    """Raises:  DefinitionError where nothing says which shape an output has"""
    for port in () if op.functions.shape is not None else op.definition.outputs:
        if port.shape and port.shape[0] in stock.RULES:
            continue
        message = f"output {port.name} of {op.id} has no shape function, and names no shape rule"
        if port.shape:
            named = f"output {port.name} of {op.id} names the shape rule {port.shape[0]}"
            message = f"{named}, must be one of {', '.join(stock.RULES)}"
        name = "unknown-shape-rule" if port.shape else "missing-function"
        raise DefinitionError([definition_fault(name, message, op.definition.path)])


def _own_modules() -> list[str]:
    """Modules of irops.ops that bind something: an op may take a function of another one's module."""
    return [module for module in BOUND if module.startswith("irops.ops.")]


@cache
def default_registry() -> Registry:
    """The registry of irops' own ops and of installed plug-ins."""
    return Registry()


def registry_with(folders: Sequence[str], modules: Sequence[str]) -> Registry:
    """The ops of irops with those of some folders and modules."""
    return Registry(folders, modules) if folders or modules else default_registry()


def definition(id: str) -> Definition:
    """The definition of an op: "ReverseSequence-1", or a type alone for its newest version.

    Raises:  KeyError where there is none
    """
    return default_registry().definition(id)


def definitions() -> tuple[Definition, ...]:
    """All definitions, by name and version: OpenVINO's ops and custom ops, then those of other dialects."""
    registry = default_registry()
    return tuple(
        registry.op(op).definition for dialect in dialects() for op in registry.versions(dialect.name)
    )
