"""schemas/cpu_plugin.xml against the CPU plug-in of the OpenVINO that is installed."""

from collections.abc import Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from compiling.probes import CONSTANT_ONLY, Name, all_probes
from compiling.processor import instructions, is_x86
from libraries import needs
from releases.asking import CRASHED, refusals
from releases.probe import Probe

from irops.spec.releases import RefusedTypes, cpu_plugin

pytestmark = [pytest.mark.slow("OpenVINO compiles many models"), needs("openvino")]
COMPUTED = {"f32": frozenset(("avx2",)), "i32": cpu_plugin().instructions}
"""The types that the plug-in computes in, and the instructions that it needs for this: with AVX-512, it has
kernels for i32 that it has not without.
"""
DEPENDENT = ("bf16", "f16")
"""The types that the plug-in keeps or converts, depending on the processor."""


def _installed() -> str:
    try:
        return ".".join(version("openvino").split(".")[:2])
    except PackageNotFoundError:
        return "none"


measured = pytest.mark.skipif(
    _installed() != cpu_plugin().release or not is_x86(), reason="the table is of another release or machine"
)


REFUSED = ("compile", "run", CRASHED)
"""How the reasons begin that count; another one is about the file, not about the plug-in."""


def is_refused(why: str) -> bool:
    return why.startswith(REFUSED)


def ask(probes: Sequence[Probe]) -> dict[str, str]:
    """Why the plug-in refuses each probe, "" where it does not."""
    with TemporaryDirectory() as folder:
        files = {probe.write(Path(folder)): " ".join(probe.name) for probe in probes}
        return {files[file]: why for file, why in refusals(list(files), action="compile").items()}


def _entry(op: str, variable: str, kind: str) -> RefusedTypes | None:
    """The entry of the table for a type, apart from entries that depend on another type."""
    return next(
        (e for e in cpu_plugin().refused(op) if e.of == variable and kind in e.types and not e.beside), None
    )


def _is_listed(name: Name) -> bool:
    """Whether a probe is of the first refused type of an entry, in the way that is asked first."""
    op, variable, kind, way = name
    entry = _entry(op, variable, kind)
    usual = "folded" if kind in CONSTANT_ONLY else "plain"
    if entry is None or way != usual or op == "Convert-1":
        return False
    return kind == min(entry.types.difference(DEPENDENT), default="")


def _is_compiled(name: Name, kind: str) -> bool:
    """Whether a probe is of a type that is not refused, for an op for which the table has others."""
    op, variable, probed, way = name
    listed = any(entry.of == variable and not entry.beside for entry in cpu_plugin().refused(op))
    return listed and probed == kind and way == "plain" and _entry(op, variable, kind) is None


@measured
def test_the_plugin_refuses_what_the_table_lists() -> None:
    probes = [*all_probes(_is_listed)]
    assert len(probes) > 100
    assert [name for name, why in ask(probes).items() if not is_refused(why)] == []


@measured
@pytest.mark.parametrize("kind", COMPUTED)
def test_the_plugin_compiles_the_types_that_it_computes_in(kind: str) -> None:
    if not COMPUTED[kind].issubset(instructions()):
        pytest.skip("this processor may have fewer kernels")
    probes = [*all_probes(partial(_is_compiled, kind=kind))]
    assert len(probes) > 40
    assert [name for name, why in ask(probes).items() if is_refused(why)] == []


@measured
def test_the_plugin_converts_as_the_table_says() -> None:
    def asked(name: Name) -> bool:
        return name[0] == "Convert-1" and name[1] in ("nf4", "u2", "f8e4m3", "f32") and name[3] == "plain"

    listed = {
        (source, to)
        for entry in cpu_plugin().refused("Convert-1")
        for source in entry.types
        for to in entry.others
    }
    wrong = [
        name
        for name, why in ask([*all_probes(asked)]).items()
        if is_refused(why) is not (tuple(name.split()[1:3]) in listed)
    ]
    assert wrong == []
