"""The runtimes listed as RUNTIMES in the modules by_* of this folder. Each one imports its library when it is
first used, in a separate process.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from irops.conformance import odd_inputs
from irops.conformance.odd_inputs.runtime import Runtime


def _runtimes() -> dict[str, Runtime]:
    names = [name for _, name, _ in iter_modules(odd_inputs.__path__) if name.startswith("by_")]
    modules = [import_module(f"{odd_inputs.__name__}.{name}") for name in names]
    return {runtime.name: runtime for module in modules for runtime in module.RUNTIMES}


RUNTIMES = _runtimes()
"""By name in columns."""
