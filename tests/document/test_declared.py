"""What pages show of definitions: the table that compares ReverseSequence in three dialects, elements as
text, and formulas.
"""

import numpy as np
import pytest
from libraries import needs

from irops.dialects.registry import default_registry
from irops.document.case_views import elements_text
from irops.document.declared import COMPARED, declared_rows
from irops.document.site import environment
from irops.document.views import op_view

DEFINITIONS = [default_registry().op(op).definition for op in COMPARED]


@pytest.fixture(scope="module")
def rows():
    return declared_rows(default_registry(), DEFINITIONS)


def test_defaults_ranges_and_switches_come_from_the_definitions(rows):
    attributes = {
        next(cell.name for cell in row.cells if cell is not None): row
        for row in rows
        if row.what == "attribute"
    }
    assert [cell.text for cell in attributes["seq_axis"].cells] == [
        "default 1; an axis of data",
        "default 0; an axis of input, 0 to 1",
        "default 0; an axis of input, 0 to 1",
    ]
    assert [cell.name for cell in attributes["seq_axis"].cells] == ["seq_axis", "time_axis", "time_axis"]
    assert attributes["seq_axis"].cells[2].detail == "enabled by use_it"
    assert attributes["lda coeff"].cells[:2] == (None, None)


def test_element_types_of_later_versions_are_listed(rows):
    types = next(row for row in rows if row.what == "types of input 0")
    assert types.cells[1].detail == "bf16 from opset 28 on"
    assert "bf16" not in types.cells[1].text.split()
    assert "complex64" in types.cells[1].text
    assert "complex64" not in types.cells[0].text


def test_every_constraint_of_every_dialect_has_a_row(rows):
    texts = {(index, cell.text) for row in rows for index, cell in enumerate(row.cells) if cell is not None}
    for index, definition in enumerate(DEFINITIONS):
        assert {(index, constraint.text) for constraint in definition.constraints.values()} <= texts


def test_elements_are_written_with_all_digits():
    assert elements_text(np.array([[5e-324, 1.0]])) == "[[5e-324, 1]]"
    assert elements_text(np.array(["a", "'"], object)) == "['a', \"'\"]"


@needs("jinja2")
@pytest.mark.parametrize("myst", [True, False], ids=["for Sphinx", "Markdown"])
@pytest.mark.parametrize("op", ["MVN-6", "SoftMax-8"])
def test_a_formula_is_shown_as_it_is_written(op, myst):
    view = op_view(default_registry(), default_registry().op(op))
    page = environment(myst=myst).get_template("op.md").render(view=view, has_others=True, conformance="")
    begin = "```{code-block} text\n:class: formula\n\n" if myst else "```text\n"
    assert f"{begin}{view.definition.formula}\n```" in page
