"""Formulas of definitions as MathML: complete, well-formed, and set as their notation means."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from irops.dialects import others
from irops.document.formulas import FormulaError, FormulaParser, formula_html, html_of, statements
from irops.document.views import op_view
from irops.registry import default_registry

CODE = {"Loop-5", "onnx:Loop-1"}
"""Ops whose formula is pseudo-code."""
SET_BY_LAYOUT = {
    "sum",
    "product",
    "sqrt",
    "floor",
    "ceil",
    "over",
    "of",
    "all",
    "the",
    "else",
    "along",
    "integral",
}
"""Words that become signs or places."""


def definitions():
    registry = default_registry()
    ids = [*registry.ids(), *(op for dialect in others() for op in registry.ids(dialect.name))]
    return {registry.op(op).definition.file_id: registry.op(op).definition for op in ids}.values()


def parsed(html):
    return ElementTree.fromstring(f"<div>{html.replace('<wbr>', '')}</div>")


def squeezed(formula, **options):
    """The elements of MathML, without those that only group or space."""
    text = html_of(formula, **options)
    text = re.sub(r"</?(?:mrow|mspace|p|span|math|wbr)\b[^>]*>|\s[\w-]+=\"[^\"]*\"", "", text)
    return text.replace("<mo>⁡</mo>", "").replace("<mo>⁢</mo>", "")


def test_all_formulas_but_pseudo_code_are_set():
    with_formula = [d for d in definitions() if d.formula]
    assert len(with_formula) > 240
    assert {d.file_id for d in with_formula if not formula_html(d)} == CODE


@pytest.mark.parametrize(
    "definition", [d for d in definitions() if d.formula and d.file_id not in CODE], ids=lambda d: d.file_id
)
def test_a_set_formula_is_well_formed_and_has_every_word(definition):
    tree = parsed(formula_html(definition))
    shown = re.sub(r"[\s_\u2061\u2062]", "", "".join(tree.itertext()))
    words = set(re.findall(r"[A-Za-z_]\w*|\d+", definition.formula)) - SET_BY_LAYOUT
    lost = {word for word in words if word.replace("_", "") not in shown} - {"pi", "inf", "else"}
    assert not lost
    assert all(math.get("alttext") or math.get("display") for math in tree.iter("math"))


def test_quotients_are_fractions_and_powers_are_raised():
    assert squeezed("y = (a + 1) / b^2") == (
        "<mi>y</mi><mo>=</mo><mfrac><mi>a</mi><mo>+</mo><mn>1</mn><msup><mi>b</mi><mn>2</mn></msup></mfrac>"
    )


def test_roots_rounding_and_bars():
    assert "<msqrt><mi>x</mi></msqrt>" in squeezed("y = sqrt(x)")
    assert "<mo>⌊</mo><mi>x</mi><mo>⌋</mo>" in squeezed("y = floor(x)")
    assert "<mo>⌈</mo><mi>x</mi><mo>⌉</mo>" in squeezed("y = ceil(x)")
    assert "<mo>|</mo><mi>x</mi><mo>|</mo>" in squeezed("y = |x|")


def test_a_sum_has_its_range_below_the_sign():
    below = "<munder><mo>∑</mo><mi>j</mi></munder><mi>f</mi><mo>(</mo><mi>j</mi><mo>)</mo>"
    assert below in squeezed("y = sum over j of f(j)")
    assert below in squeezed("y = sum of f(j) over all j")


def test_short_indices_are_below_the_line_and_computed_ones_in_brackets():
    assert "<msub><mi>data</mi><mi>i</mi></msub>" in squeezed("y = data[i]")
    assert "<mi>data</mi><mo>[</mo><mi>i</mi><mo>+</mo><mn>1</mn><mo>]</mo>" in squeezed("y = data[i + 1]")


def test_conditions_are_cases():
    html = squeezed("y = data if k < n, else 0")
    assert html.count("<mtr>") == 2
    assert "otherwise" in html


def test_a_long_condition_stays_prose():
    assert "<mtable" not in html_of("y = 0 if the first of all dimensions has size 1 along the axis, else 1")


def test_prose_around_expressions_stays_prose():
    html = html_of("output = |data|, element by element", frozenset({"data", "output"}))
    assert html.endswith(",</span> element by element</p>")
    assert html.startswith('<p><span class="math"><math')
    assert 'alttext="output = |data|"' in html


def test_lines_may_break_before_the_signs_of_a_long_expression():
    html = html_of("output = first_summand + second_summand + third_summand")
    assert html.count("<wbr>") == 3
    assert 'role="math" aria-label="output = first_summand + second_summand + third_summand"' in html


def test_statements_are_lines_with_their_indented_ones():
    assert list(statements("a = b,\n  else c\nd = e; f = g")) == ["a = b, else c", "d = e", "f = g"]


@pytest.mark.parametrize(
    "formula",
    ["y = (x", "y = x)", "y = ", "y = x + ", "y = |x", "y = x § 2", "y = sum over of x", "", "prose alone"],
)
def test_what_is_no_formula_is_shown_as_code(formula):
    assert html_of(formula) == ""


def test_deep_and_long_formulas_are_shown_as_code():
    assert html_of("y = " + "(" * 500 + "x" + ")" * 500) == ""
    assert html_of("y = " + "-" * 3000 + "x") == ""
    for text in ("1 / " * 900, "2^" * 900, "sum over j of " * 200, "a * " * 900, "f" + "(j)" * 900):
        assert html_of(f"y = {text} + x") == ""
    assert html_of("y = x" + " + x" * 5000) == ""
    with pytest.raises(FormulaError, match="at most"):
        FormulaParser("x" * 5000, frozenset())


def test_signs_of_html_are_escaped():
    html = html_of("y = x if a < b & c, else d")
    assert "&lt;" in html
    assert parsed(html) is not None


def test_pages_show_formulas_as_math_and_markdown_as_text():
    registry = default_registry()
    view = op_view(registry, registry.op("SoftMax-8"))
    assert "<mfrac>" in view.formula
