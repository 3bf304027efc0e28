"""The table of what the CPU plug-in refuses: each entry fits the definition of its op."""

import pytest

from irops.dialects.registry import default_registry
from irops.spec.releases import RefusedTypes, cpu_plugin, releases

ENTRIES = [entry for op in sorted(cpu_plugin().ops) for entry in cpu_plugin().refused(op)]


def test_the_table_is_of_the_newest_release():
    assert cpu_plugin().release == releases().names[-1]


@pytest.mark.parametrize("op", sorted(cpu_plugin().ops))
def test_each_entry_fits_the_definition(op):
    definition = default_registry().op(op).definition
    ports = definition.inputs
    for entry in cpu_plugin().refused(op):
        accepted = {name for port in ports if entry.of in (port.type, port.name) for name in port.allowed}
        assert entry.types <= accepted, entry
        assert entry.when in ("", "static", "variable", "constant")
        names = {*definition.attributes, *(port.type for port in ports)}
        assert (entry.beside in names) is bool(entry.others)


def test_no_op_is_refused_for_the_types_that_the_plugin_computes_in():
    common = frozenset(("f32", "i32"))
    everything = [entry for entry in ENTRIES if common <= entry.types and not entry.beside]
    assert [entry for entry in everything if entry.op not in NO_KERNEL] == []


NO_KERNEL = ("GroupedMatMul-17",)
"""The ops that the plug-in does not compile with any type."""


def test_entries_are_looked_up_by_op():
    (entry,) = cpu_plugin().refused("ROIPooling-2")
    assert entry == RefusedTypes("ROIPooling-2", "T", frozenset(("f8e8m0", "f4e2m1")))
    assert cpu_plugin().refused("Reshape-9") == ()
