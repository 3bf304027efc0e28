"""Pictures show every layer, their lines connect boxes, and nothing in them overlaps."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from commands import python_process
from drawn_models import blocks, chain, detector, loop
from lxml import etree
from stored import assert_stored
from tables import table

import irops
from irops.drawing.arrange import places_by_library
from irops.drawing.boxes import ADVANCE, cells
from irops.drawing.drawing import details

SVG = "{http://www.w3.org/2000/svg}"


@dataclass
class Shape:
    """A box in the coordinates of the picture. inside: the box around it, if any"""

    kinds: tuple[str, ...]
    number: str
    path: str
    left: float
    top: float
    width: float
    height: float
    layer: int | None
    folded: tuple[int, ...]
    inside: Shape | None
    texts: list[tuple[str, float, float, str]] = field(default_factory=list)
    ports: list[tuple[float, float, float, float]] = field(default_factory=list)

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height


@dataclass
class Line:
    """A line: its ends, and the boxes that it says it connects."""

    start: tuple[float, float]
    end: tuple[float, float]
    source: Shape
    target: Shape


@dataclass
class Picture:
    root: etree._Element
    shapes: list[Shape] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(self.root.itertext())


def picture(svg: str) -> Picture:
    found = Picture(etree.fromstring(svg.encode()))
    for scene in found.root.findall(f"{SVG}g"):
        _read_scene(found, scene, 0.0, 0.0, None)
    return found


def _read_scene(found: Picture, scene, x: float, y: float, inside: Shape | None) -> None:
    dx, dy = _moved(scene)
    x, y = x + dx, y + dy
    numbers: dict[str, Shape] = {}
    for group in scene.findall(f"{SVG}g"):
        dx, dy = _moved(group)
        frame = group.find(f"{SVG}rect")
        layer = group.get("data-layer")
        names = tuple(group.get("class").split()), group.get("data-box"), scene.get("data-path")
        place = x + dx, y + dy, float(frame.get("width")), float(frame.get("height"))
        folded = tuple(map(int, group.get("data-folded", "").split()))
        shape = Shape(*names, *place, None if layer is None else int(layer), folded, inside)
        for text in group.findall(f"{SVG}text"):
            place = shape.left + float(text.get("x")), shape.top + float(text.get("y"))
            shape.texts.append((text.get("class"), *place, text.text or ""))
        for rect in group.findall(f"{SVG}rect")[1:]:
            if rect.get("class") == "port":
                left, top = shape.left + float(rect.get("x")), shape.top + float(rect.get("y"))
                shape.ports.append((left, top, float(rect.get("width")), float(rect.get("height"))))
        found.shapes.append(shape)
        numbers[shape.number] = shape
        for inner in group.findall(f"{SVG}g"):
            _read_scene(found, inner, shape.left, shape.top, shape)
    for path in scene.findall(f"{SVG}path"):
        way = path.get("d").replace("C", "L").split("L")
        start, end = (tuple(map(float, part.strip("M").split()[-2:])) for part in (way[0], way[-1]))
        ends = numbers[path.get("data-from")], numbers[path.get("data-to")]
        found.lines.append(Line((start[0] + x, start[1] + y), (end[0] + x, end[1] + y), *ends))


def _moved(element) -> tuple[float, float]:
    inside = element.get("transform").removeprefix("translate(").removesuffix(")")
    dx, dy = map(float, inside.split())
    return dx, dy


ROOT = Path(__file__).resolve().parents[2]
STORED = Path(__file__).parent / "pictures"
ODD = STORED / "odd.xml"
SIZES = {"op": 13, "line": 11, "caption": 11, "name": 10, "shape": 10}
MODELS = {
    "a detector": lambda: detector().model(),
    "equal blocks": lambda: blocks().model(),
    "a chain": lambda: chain(200),
    "a chain of blocks": lambda: chain(2500),
    "a TensorIterator": lambda: loop().model(),
    "an encoder": lambda: irops.read(ROOT / "examples/bidirectional_encoder/model.xml"),
    "a network": lambda: irops.read(ROOT / "examples/digit_classifier/model.xml"),
    "a loop in a file of a rule": lambda: irops.read(ROOT / "irops/diagnostics/rules/IR221.xml"),
}


@pytest.fixture(scope="module", params=[f"{name}{end}" for name in MODELS for end in ("", ", unfolded")])
def drawn_model(request):
    name, _, end = request.param.partition(", ")
    model = MODELS[name]()
    return model, picture(irops.draw(model, unfold=bool(end)).svg)


@pytest.fixture
def shown(drawn_model):
    return drawn_model[1]


def test_every_layer_is_drawn_or_belongs_to_a_box(drawn_model):
    model, shown = drawn_model
    drawn = {(shape.path, shape.layer) for shape in shown.shapes if shape.layer is not None}
    folded = {(shape.path, number) for shape in shown.shapes for number in shape.folded}
    assert {("/".join(path), layer.id) for path, layer in model.walk()} <= drawn | folded


def test_boxes_of_one_scene_do_not_overlap_and_lie_in_their_frame(shown):
    for number, a in enumerate(shown.shapes):
        if a.inside is not None:
            assert a.inside.left <= a.left
            assert a.right <= a.inside.right
            assert a.inside.top <= a.top
            assert a.bottom <= a.inside.bottom
        for b in shown.shapes[number + 1 :]:
            if b.inside is a.inside:
                assert not overlap(a, b), (a, b)


def test_pictures_are_as_small_and_their_lines_as_straight_as_before(shown, request):
    size = [float(shown.root.get(name)) for name in ("width", "height")]
    aside = sum(abs(line.start[0] - line.end[0]) for line in shown.lines)
    best = table(__file__, "costs")[request.node.callspec.params["drawn_model"]]
    assert [*size, aside] == pytest.approx(best, abs=0.2, rel=1e-3)


PICTURES = {
    "around": lambda: irops.draw(detector(), around="nms", hops=2),
    "blocks": lambda: irops.draw(blocks(3, "network/decode/block")),
    "loop": lambda: irops.draw(loop("the/totals/of/all/rows/before", "the/totals/with/row/added")),
    "odd": lambda: irops.draw(ODD),
    "odd_unfolded": lambda: irops.draw(ODD, unfold=True),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_the_one_that_is_stored(name):
    assert_stored(PICTURES[name]().svg, STORED / f"{name}.svg", within=0.15)  # of rounded places


def test_the_page_says_of_each_layer_what_is_stored():
    shown = irops.draw(ODD)
    about = details(shown.scene, shown.analysis, shown.scope)
    rows = [(path, *layer.values()) for path, layer in about["layers"].items()]
    rows += [
        (path, number, *layer) for path, some in about["folded"].items() for number, layer in some.items()
    ]
    rows += [(op, *one.values()) for op, one in about["definitions"].items() if op == "Split-1"]
    lines = (f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    assert_stored("".join(lines).replace(str(STORED), ""), STORED / "odd.txt")


def overlap(a: Shape, b: Shape) -> bool:
    a_bottom, b_bottom = (max([s.bottom, *(top + tall for _, top, _, tall in s.ports)]) for s in (a, b))
    return a.left < b.right and b.left < a.right and a.top < b_bottom and b.top < a_bottom


def test_lines_lead_from_an_output_to_the_top_of_a_box(shown):
    assert shown.lines
    for line in shown.lines:
        x, y = line.start
        ports = line.source.ports or [(line.source.left, line.source.bottom, line.source.width, 0.0)]
        assert any(
            left - 0.2 <= x <= left + wide + 0.2 and abs(top + tall - y) < 0.3
            for left, top, wide, tall in ports
        )
        x, y = line.end
        assert line.target.left - 0.2 <= x <= line.target.right + 0.2
        assert abs(y - line.target.top) < 0.3
        assert line.start[1] < line.end[1]


def test_texts_lie_in_their_boxes(shown):
    for shape in shown.shapes:
        for kind, x, y, text in shape.texts:
            right = x + cells(text) * SIZES[kind] * ADVANCE
            if kind == "shape":
                assert any(
                    left <= x and right <= left + wide + 0.2 and top < y < top + tall
                    for left, top, wide, tall in shape.ports
                )
            else:
                assert shape.left < x
                assert right <= shape.right + 0.2
                assert shape.top < y <= shape.bottom


def test_edges_are_those_of_the_model():
    model = detector().model()
    shown = picture(irops.draw(model, unfold=True).svg)
    drawn = {(line.source.layer, line.target.layer) for line in shown.lines}
    constants = {layer.id for layer in model.layers if layer.is_constant}
    assert drawn == {(e.from_layer, e.to_layer) for e in model.edges if e.from_layer not in constants}


def test_the_legend_names_the_groups_of_layers_in_bodies():
    assert 'class="swatch elementwise"' in irops.draw(loop()).svg  # an Add in the body alone


def test_repeated_blocks_are_drawn_once():
    folded, unfolded = irops.draw(blocks(5)), irops.draw(blocks(5), unfold=True)
    frames = [shape for shape in picture(folded.svg).shapes if "repeat" in shape.kinds]
    assert [frame.texts[0][3] for frame in frames] == ["5 × 5 layers"]
    assert len(frames[0].folded) == 28  # of 4 blocks: 5 layers, ShapeOf, weights
    assert folded.notes[-1] == "1 repeated block drawn once; --unfold draws all"
    assert len(unfolded) > len(folded) + 20
    assert not any("repeat" in shape.kinds for shape in picture(unfolded.svg).shapes)


def test_blocks_with_other_attributes_are_not_repeats(net):
    blocks = (f"a{k}: Tanh x{k}; b{k}: Exp a{k}; x{k + 1}: Clamp b{k} min=0 max={k + 1}" for k in range(6))
    drawing = irops.draw(net("x0: f32[4]", *blocks, "y: Result x6"))
    assert not any("repeat" in shape.kinds for shape in picture(drawing.svg).shapes)


@pytest.mark.slow("a large picture")
def test_a_graph_of_many_layers_is_drawn_as_blocks():
    drawing = irops.draw(chain(2500))
    assert len(drawing) <= 300
    expected = (f"2500 layers are drawn as {len(drawing)} blocks; --around LAYER draws some of them",)
    assert drawing.notes == expected


def test_a_path_draws_a_body():
    shown = picture(irops.draw(loop(), path=("loop", "body")).svg)
    assert {shape.path for shape in shown.shapes} == {"loop/body"}
    with pytest.raises(KeyError, match="its bodies are body; did you mean"):
        irops.draw(loop(), path=("loop", "bdoy"))


def test_names_are_escaped():
    g = irops.Graph("a <b> & c")
    g.result(g.ops.ReLU(g.parameter("<script>", "f32[1]"), name="a&b\n]]>"), "y")
    drawing = irops.draw(g)
    assert "a&b" in picture(drawing.svg).text
    assert '<script>"' not in drawing.html
    assert drawing.html.count("</script>") == 2


@pytest.mark.slow("starts processes")
def test_a_picture_is_the_same_in_every_process():
    code = (
        "import sys; sys.path.insert(0, 'tests/support'); import hashlib, irops; from drawn_models import *;"
        " d = [irops.draw(m) for m in (detector(), blocks())];"
        " print(hashlib.sha256(''.join(x.svg + x.html for x in d).encode()).hexdigest())"
    )
    seen = set()
    for seed in "12":
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = python_process("-c", code, check=True, cwd=ROOT, env=environment)
        seen.add(done.stdout)
    assert len(seen) == 1


def test_the_library_avoids_crossings():
    places = places_by_library(7, [(0, 3), (1, 2), (3, 4), (2, 5)])
    assert set(places) == set(range(7))
    assert (places[0] < places[1]) == (places[3] < places[2]) == (places[4] < places[5])


def test_without_a_library_for_the_layout_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "fast_sugiyama", None)
    with pytest.raises(ImportError, match=r"pip install 'irops\[draw\]'"):
        irops.draw(detector())


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("drawing_*.svg")), ids=lambda path: path.stem)
def test_the_pictures_of_the_page_are_small_and_show_layers(path):
    assert path.stat().st_size < 150_000
    assert len(picture(path.read_text("utf-8")).shapes) > 20


def test_models_with_findings_are_drawn():
    drawn = 0
    for path in sorted((ROOT / "irops/diagnostics/rules").glob("*.xml")):
        try:
            model = irops.read(path)
        except irops.DiagnosticError:
            continue
        assert {shape.path for shape in picture(irops.draw(model).svg).shapes} or not model.layers
        drawn += 1
    assert drawn > 50
