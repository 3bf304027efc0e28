"""The page of one op."""

from __future__ import annotations

import pytest
from libraries import needs

from irops.document.single_pages import op_page
from irops.registry import default_registry

pytestmark = needs("jinja2")


@pytest.mark.parametrize("myst", [True, False], ids=["for Sphinx", "Markdown"])
@pytest.mark.parametrize("op", ["MVN-6", "SoftMax-8"])
def test_a_formula_is_shown_as_it_is_written(op: str, myst: bool) -> None:
    registry = default_registry()
    formula = registry.op(op).definition.formula
    begin = "```{code-block} text\n:class: formula\n\n" if myst else "```text\n"
    assert f"{begin}{formula}\n```" in op_page(registry, registry.op(op), myst=myst)
