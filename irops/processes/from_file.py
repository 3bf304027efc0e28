"""Work that is in a file and not in a package, such as a script: workers import it by its path."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

from irops.processes.serving import Work


def from_file(path: str, prepare: str, *arguments: Any) -> Work:
    """The function that `prepare`, a function of the Python file at an absolute path, returns for arguments.

    Raises:  ImportError; AttributeError
    """
    name = f"irops_file_{path}"
    if name not in sys.modules:
        spec = spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} is not a Python file")
        sys.modules[name] = module = module_from_spec(spec)
        spec.loader.exec_module(module)
    work: Work = getattr(sys.modules[name], prepare)(*arguments)
    return work
