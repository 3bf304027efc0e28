"""What pages show of definitions: elements as text, and formulas."""

from pathlib import Path

import numpy as np
import pytest
from libraries import needs

from irops.dialects.registry import default_registry
from irops.document.case_views import elements_text
from irops.document.site import environment, op_view


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


@needs("jinja2")
@pytest.mark.parametrize("kind", ["myst", "markdown"])
def test_the_page_of_an_op_is_the_one_that_was_read(kind):
    view = op_view(default_registry(), default_registry().op("ReverseSequence-1"))
    template = environment(myst=kind == "myst").get_template("op.md")
    shown = template.render(view=view, names={"onnx": "ONNX"}, has_others=True, conformance="c.md")
    assert shown.partition("\n## Source")[0] == Path(__file__).with_name(
        f"ReverseSequence-1.{kind}"
    ).read_text("utf-8")
