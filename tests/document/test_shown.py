"""What pages show of definitions: elements as text, and formulas."""

import re
from pathlib import Path

import numpy as np
import pytest
from libraries import needs
from stored import assert_stored

from irops.diagnostics.rules import rule
from irops.dialects.registry import Registry, default_registry
from irops.document import case_views
from irops.document.case_views import elements_text
from irops.document.coverage import op_row
from irops.document.site import (
    Site,
    call_text,
    declared_lines,
    delta,
    environment,
    index_entries,
    op_view,
    rule_example,
    rule_page,
    search_words,
)

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


def test_elements_are_written_with_all_digits():
    assert elements_text(np.array([[5e-324, 1.0]])) == "[[5e-324, 1]]"
    assert elements_text(np.array(["a", "'"], object)) == "['a', \"'\"]"


@needs("jinja2")
@pytest.mark.parametrize(
    ("op", "kind"),
    [
        ("ReverseSequence-1", "myst"),
        ("ReverseSequence-1", "markdown"),
        ("TopK-11", "myst"),
        ("If-8", "markdown"),
    ],
)
def test_the_page_of_an_op_is_the_one_that_was_read(op, kind):
    view = op_view(default_registry(), default_registry().op(op))
    template = environment(myst=kind == "myst").get_template("op.md")
    shown = template.render(view=view, names={"onnx": "ONNX"}, has_others=True, conformance="c.md")
    assert_stored(shown.partition("\n## Source")[0], HERE / f"{op}.{kind}")


@needs("jinja2")
def test_the_pages_of_custom_ops_and_of_rules_are_those_that_were_read():
    registry = Registry(folders=[EXAMPLES / "my_reverse"])
    pages = dict(Site(registry, "markdown", custom_only=True, more=[("more.md", "# More\n")]).pages())
    template = environment(myst=False).get_template("rule.md")
    for code in ("IR302", "IR406", "IR602"):
        shown = template.render(rule=rule(code), example=rule_example(rule(code)), constrained=())
        pages |= {code: shown, f"{code} in an editor": rule_page(rule(code), site="https://site.example")}
    text = "".join(f"===== {path}\n{text}\n" for path, text in pages.items())
    assert str(EXAMPLES.parent) not in text, "paths of the machine that wrote the pages"
    assert_stored(re.sub(r"(my_reverse\.py):\d+", r"\1", text), HERE / "pages.markdown")


def test_what_pages_say_of_definitions_is_what_was_read():
    ids = "TopK-1 TopK-3 TopK-11 GRUSequence-5 FakeQuantize-1 Proposal-4 onnx:MatMul-13 ReadValue-6"
    lines, older = [], None
    for op in map(default_registry().op, ids.split()):
        one = op.definition
        lines += [f"== {op.id}", case_views.availability(one), call_text(one), *declared_lines(one)]
        lines += [" ".join(search_words(one)), ", ".join(index_entries(one)), str(op_row(op).counterpart)]
        lines += [
            f"since {op_row(op).since}",
            *(delta(older, one).splitlines() if older and older.type == one.type else ()),
        ]
        older = one
    assert_stored("".join(f"{line}\n" for line in lines), HERE / "definitions.txt")
