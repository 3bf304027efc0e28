"""schemas/cpu_plugin.xml against the CPU plug-in of the OpenVINO that is installed."""

from functools import partial
from importlib.metadata import PackageNotFoundError, version

import pytest
from compiling.probes import CONSTANT_ONLY, Name, all_probes
from compiling.processor import instructions, is_x86
from compiling.survey import ask
from compiling.table import condition, entries, is_refused, table
from libraries import needs

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


def test_answers_make_entries() -> None:
    answers = {
        "ReLU-1 T own folded": "",
        "ReLU-1 T f32 plain": "",
        "ReLU-1 T u2 plain": "compile: no kernel",
        "ReLU-1 T u2 plain?": "run: no kernel",
        "ReLU-1 T u2 folded": "",
        "ReLU-1 T nf4 plain": "read: not accepted",
        "Selu-1 T f32 plain": "compile: alpha is no constant",
        "Convert-1 nf4 i32 plain": "compile: no conversion",
        "Convert-1 nf4 i64 plain": "compile: no conversion",
        "Convert-1 nf4 f32 plain": "",
    }
    assert entries(answers) == {
        ("ReLU-1", "T", "variable", "", ""): {"u2"},
        ("Convert-1", "T", "", "destination_type", "i32 i64"): {"nf4"},
        ("ConvertLike-1", "T1", "", "T2", "i32 i64"): {"nf4"},
    }
    assert '<refused types="u2" of="T" when="variable">\n    ReLU-1\n' in table(answers, "2026.4", ["avx"])


@pytest.mark.parametrize(
    ("whys", "when"),
    [
        ({"plain": "compile: no", "plain?": "run: no", "folded": "compile: no"}, ""),
        ({"plain": "compile: no", "plain?": "", "folded": "compile: no"}, "static"),
        ({"plain": "compile: no", "plain?": "run: no", "folded": ""}, "variable"),
        ({"plain": "compile: no", "plain?": "", "folded": ""}, None),
        ({"plain": "compile: no", "mixed": ""}, None),
        ({"plain": ""}, None),
        ({"folded": "compile: no"}, "constant"),
        ({"folded": ""}, None),
    ],
)
def test_ways_that_are_refused_make_a_condition(whys: dict[str, str], when: str | None) -> None:
    assert condition(whys) == when
