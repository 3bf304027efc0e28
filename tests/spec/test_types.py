"""Sets of element types by name, the table of opsets, the pages of OpenVINO's documentation that specify ops,
and the table of what the CPU plug-in refuses.
"""

import re

import pytest
from tables import table

from irops.dialects.registry import default_registry
from irops.spec.definition import FOREIGN_GROUPS, GROUPS, allowed_types, type_text
from irops.spec.releases import SPECIFICATIONS, OpVersion, RefusedTypes, cpu_plugin, opsets, releases
from irops.values.element import element_types


@pytest.mark.parametrize(
    ("expression", "names"), table(__file__, "an_expression_adds_and_takes_away_in_order")
)
def test_an_expression_adds_and_takes_away_in_order(expression, names):
    assert allowed_types(expression) == set(names.split())


def test_groups_are_made_of_groups():
    assert GROUPS["integer"] == GROUPS["signed"] | GROUPS["unsigned"]
    assert GROUPS["numeric"] == GROUPS["integer"] | GROUPS["float"] | {"nf4"}
    assert GROUPS["any"] == {t.name for t in element_types()} - {"dynamic"}
    assert len(FOREIGN_GROUPS["tensor"]) == 15
    foreign = {"complex64", "complex128", "f8e4m3fnuz", "f8e5m2fnuz", "i2"}
    assert FOREIGN_GROUPS["any"] - GROUPS["any"] == foreign


@pytest.mark.parametrize(
    ("expression", "dialect", "part"), table(__file__, "what_is_no_set_of_types_is_refused")
)
def test_what_is_no_set_of_types_is_refused(expression, dialect, part):
    with pytest.raises(ValueError, match="^" + part):
        allowed_types(expression, dialect)


@pytest.mark.parametrize(
    ("opset", "names"), [(None, "f32 bf16 i4"), (12, "f32"), (13, "f32 bf16"), (14, "f32 bf16 i4")]
)
def test_a_word_holds_from_its_opset_on(opset, names):
    assert allowed_types("f32 bf16@13 i4@14", "onnx", opset) == set(names.split())


@pytest.mark.parametrize(
    ("expression", "dialect", "text"), table(__file__, "people_are_shown_types_in_one_order")
)
def test_people_are_shown_types_in_one_order(expression, dialect, text):
    assert type_text(expression, dialect) == text


def version(*numbers, since="opset1"):
    return OpVersion("T", since, frozenset(f"opset{n}" for n in numbers), "c", "p")


@pytest.mark.parametrize(("numbers", "runs"), table(__file__, "opsets_are_shown_as_runs"))
def test_opsets_are_shown_as_runs(numbers, runs):
    assert version(*numbers).runs == tuple(map(tuple, runs))


def test_the_opsets_are_those_from_1_to_the_newest_that_has_an_op():
    names = opsets().names
    assert tuple(f"opset{n}" for n in range(1, len(names) + 1)) == names
    assert "opset17" in names
    assert opsets() is opsets()


@pytest.mark.parametrize(
    ("kind", "version", "meant"),
    [
        ("Add", "OPSET1", "opset1"),
        ("Add", "opset 1", "opset1"),
        ("Add", "opset-01", "opset1"),
        ("Add", "opset_12", "opset12"),
        ("Add", " opset1 ", "opset1"),
        ("Add", "opset99", "opset1"),
        ("TopK", "opset99", None),
        ("TopK", "opset011", "opset11"),
        ("Add", "extension", None),
        ("Add", "opset", "opset1"),
        ("Nothing", "opset1", None),
        ("TopK", "opset0", None),
        ("TopK", "opset111", None),
    ],
)
def test_a_version_that_is_misspelled_means_an_opset_where_only_one_is_possible(kind, version, meant):
    assert opsets().meant(kind, version) == meant


SHARED = {"sequence/lstm-cell-1": {"LSTMCell-1", "LSTMCell-4"}}
"""The page that specifies two versions."""


def test_every_version_with_a_specification_links_to_its_page():
    versions = opsets().all()
    assert {v.id for v in versions if not v.file} == {v.id for v in versions if not v.page} == {"Xor-1"}
    assert next(v for v in versions if v.id == "Xor-1").specification == ""
    reverse = next(v for v in versions if v.id == "ReverseSequence-1")
    assert reverse.specification == f"{SPECIFICATIONS}/movement/reverse-sequence-1.html"


def test_a_page_specifies_the_version_that_it_is_named_after():
    pages = {}
    for version in opsets().all():
        if version.file:
            assert re.fullmatch(r"[a-z]+/[a-z0-9-]+", version.file)
            pages.setdefault(version.file, set()).add(version.id)
            number = re.search(r"-(\d+)$", version.file)
            assert number is None or number[1] == version.page.rpartition("-")[2]
    assert {file: ids for file, ids in pages.items() if len(ids) > 1} == SHARED


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
