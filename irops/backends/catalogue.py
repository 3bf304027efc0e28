"""The available backends, by name, and the chains that a user may ask for.

Packages register backends in the entry point group irops.backends. A backend may have a method missing()
that returns what it lacks, or None if it is available.
"""

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from irops.backends.backend import Backend, Reference
from irops.backends.numba import WORTH_LOADING, Numba
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.diagnostics.suggestions import did_you_mean_word

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

ENTRY_POINTS = "irops.backends"
BUILT_IN = {
    "numba": ("irops.backends.numba", "Numba"),
    "openvino": ("irops.backends.openvino", "OpenVINO"),
    "onnxruntime": ("irops.backends.onnxruntime", "ONNXRuntime"),
}
"""The built-in backends besides the reference: name to module and class. They are imported by name on first
use, since some import heavy libraries, and kept together with the code that they compiled.
"""


def backend_names() -> tuple[str, ...]:
    """The names of all backends."""
    return (Reference.name, *BUILT_IN, *sorted(entry.name for entry in _registered()))


def chain(backends: Iterable[str | Backend] | None) -> tuple[Backend, ...]:
    """Resolve backends given by name or as objects. The first one with a kernel for an op computes it.

    None is the default: the fastest available backends, then the reference.

    Raises:  DiagnosticError (IR610) for an unknown name
    """
    if backends is None:
        return _default_chain()
    return tuple(backend_of(b) if isinstance(b, str) else b for b in backends)


@cache
def _default_chain() -> tuple[Backend, ...]:
    """The default backends, whose results are bit-identical to those of the reference."""
    fast = Numba(WORTH_LOADING)
    return (fast, Reference()) if missing(fast) is None else (Reference(),)


def missing(backend: Backend) -> str | None:
    """Why a backend is unavailable; None if it is available or has no method `missing`."""
    missing_of: Callable[[], str | None] | None = getattr(backend, "missing", None)
    return None if missing_of is None else missing_of()


def backend_of(name: str) -> Backend:
    """The backend with a name.

    Raises:  DiagnosticError (IR610) if there is none
    """
    if name == Reference.name:
        return Reference()
    if name in BUILT_IN:
        return _built_in(name)
    for entry in _registered():
        if entry.name == name:
            loaded_entry = entry.load()
            backend: Backend = loaded_entry() if isinstance(loaded_entry, type) else loaded_entry
            return backend
    names = backend_names()
    known = f"expected one of {', '.join(names)}{did_you_mean_word(name, names)}"
    message, place = f"unknown backend {name!r}; {known}", Location("<backends>")
    raise DiagnosticError([Diagnostic(rule("unknown-backend"), message, place)])


def _registered() -> "EntryPoints":
    """The backends of other packages."""
    from importlib.metadata import entry_points  # slow to import

    return entry_points(group=ENTRY_POINTS)


@cache
def _built_in(name: str) -> Backend:
    module, kind = BUILT_IN[name]
    backend: Backend = getattr(import_module(module), kind)()
    return backend
