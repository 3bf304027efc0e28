"""A case as files: the model with its weights, and the inputs."""

from __future__ import annotations

import os
from pathlib import Path

from irops.analysis.signature import Port, Signature
from irops.analysis.structure import ModelStructure
from irops.debugging.reduce.attempts import FILE as OUTCOMES
from irops.debugging.reduce.case import Case
from irops.debugging.reduce.reproduction import Program, Target
from irops.debugging.weights_in_place import weights_file, write_text
from irops.dialects import dialect_of
from irops.editing.writing import write
from irops.ir.pending import Pending
from irops.ir.targets import require_own_files
from irops.ir.tensor_files import save_all
from irops.registry import Registry
from irops.runtime.session import run

STEM, OTHER, PROGRAM, EXPECTED = "reduced", "other", "repro.py", "expected.npz"
INPUTS = "inputs.npz"
UNFINISHED = 'raise SystemExit("The files here were not written to the end; run irops reduce again.")\n'
"""repro.py while the other files are written, so that it never runs files of two reductions."""
LINKED = 64 << 20
"""A candidate does not copy more bytes of weights than this, where it can refer to the model's own file."""


def require_folder(folder: Path) -> None:
    """That the files of a reduction may be written to a folder. Raises: TargetRefused"""
    present = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    ours = {INPUTS, EXPECTED, PROGRAM}
    files = sorted(name for name in present if name in ours or Path(name).stem in (STEM, OTHER))
    require_own_files(folder, files, written_before=bool(present & {PROGRAM, OUTCOMES}))


def write_case(
    case: Case, folder: Path, registry: Registry | None = None, *, link: bool = False
) -> tuple[Path, Path]:
    """Write reduced.xml with reduced.bin (or a file of the model's format) and inputs.npz.

    link: make reduced.bin a link to the weights if they have more than LINKED bytes and need no change

    Returns: the paths of model and inputs

    The arrays of the inputs are in the order of the model's inputs, by the names of their layers.
    """
    suffixes = dialect_of(case.model).suffixes
    model, inputs = folder / f"{STEM}{suffixes[0] if suffixes else '.xml'}", folder / INPUTS
    stored = case.model.weights
    weights = weights_file(case.model) if link and stored is not None and stored.size > LINKED else None
    if weights is not None:
        write_text(case.model, model)
        model.with_suffix(".bin").symlink_to(weights)
    else:
        write(case.model, model, registry=registry)
    save_all(os.fspath(inputs), {port.name: case.inputs[port.name] for port in _inputs(case, registry)})
    return model, inputs


def write_reproduction(
    case: Case,
    folder: Path,
    title: str,
    target: Target | None,
    *,
    compared: bool,
    registry: Registry | None = None,
) -> tuple[str, ...]:
    """Write a case with a program that shows the fault; the names of the files.

    title: what the program says of itself; target: what it runs, None for the runtime of the dialect;
    compared: whether it compares the results with those of irops
    """
    folder.mkdir(parents=True, exist_ok=True)
    _write_program(folder, UNFINISHED)
    model, _ = write_case(case, folder, registry)
    files = [model.name, *([f"{STEM}.bin"] if model.suffix == ".xml" else []), INPUTS]
    expected = tuple(run(case.model, case.inputs, registry=registry).values()) if compared else None
    if expected is not None:
        save_all(os.fspath(folder / EXPECTED), {str(k): array for k, array in enumerate(expected)})
        files.append(EXPECTED)
    if case.other is not None:
        write(case.other.model, folder / f"{OTHER}{model.suffix}", registry=registry)
        files += [f"{OTHER}{model.suffix}", *([f"{OTHER}.bin"] if model.suffix == ".xml" else [])]
    runtime = target or Target.of_file(model)
    inputs = {port.name: case.inputs[port.name] for port in _inputs(case, registry)}
    _write_program(folder, Program(model, title, inputs, expected, runtime).text())
    return (*files, PROGRAM)


def _write_program(folder: Path, text: str) -> None:
    with Pending(folder / PROGRAM) as (file,):
        file.write(text.encode())


def _inputs(case: Case, registry: Registry | None) -> list[Port]:
    """The inputs that have values, in the order of the model."""
    ports = Signature(ModelStructure(case.model, registry)).inputs
    return [port for port in ports if port.name in case.inputs]
