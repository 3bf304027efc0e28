"""The page of a drawing in Chromium: what the panel says of a layer fits into it."""

import pytest
from built_site.browser import CHROMIUM, result_of
from drawn_models import blocks, detector

import irops

pytestmark = [
    pytest.mark.slow("a browser"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no browser here"),
    pytest.mark.timeout(300),
]
LONG = "__module.m.model.encoder.layers.attention_without_any_place_to_break_a_line/"
PANELS = """
const faults = [];
let clicked = 0;
for (const width of [1400, 390]) {
  const page = (await frame("/drawing.html", width)).contentDocument, panel = page.getElementById("panel");
  for (const box of page.querySelectorAll(".box:not(.exit)")) {
    box.dispatchEvent(new MouseEvent("click", {bubbles: true}));
    clicked++;
    const {scrollWidth, clientWidth} = panel;
    if (scrollWidth > clientWidth || clientWidth < 300) faults.push([width, scrollWidth, clientWidth]);
    if (page.getElementById("view").clientHeight < 300) faults.push([width, "the panel covers the drawing"]);
    for (const cell of panel.querySelectorAll("td")) {
      const {right, height} = cell.getBoundingClientRect();
      if (right > width || height > 120) faults.push([width, cell.textContent, right, height]);
    }
  }
}
return {clicked, faults};
"""


@pytest.mark.parametrize("made", [detector, blocks], ids=["detector", "blocks"])
def test_the_panel_fits_a_desktop_and_a_phone(made, tmp_path):
    graph = irops.Graph(made().model())
    for node in list(graph):
        graph.rename(node, f"{LONG}{node.name}")
    (tmp_path / "drawing.html").write_text(irops.draw(graph).html, "utf-8")
    result = result_of(tmp_path, PANELS, tmp_path / "profile", 120)
    assert result["clicked"] > 10
    assert result["faults"] == []
