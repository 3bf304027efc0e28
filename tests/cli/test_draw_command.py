"""irops draw."""

import re
import sys
from ctypes.util import find_library

import pytest
from drawn_models import blocks, detector, loop

from irops import environment
from irops.analysis.writing import write
from irops.drawing.drawing import draw, plain


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.xml"
    write(detector().model(), path)
    return path


@pytest.mark.parametrize(("suffix", "start"), [(".svg", "<svg"), (".html", "<!doctype html>")])
def test_draw_writes_the_format_of_the_suffix(irops, model, suffix, start):
    out = model.with_suffix(suffix)
    result = irops("draw", model, "-o", out)
    assert result.status == 0
    assert out.read_text().startswith(start)
    assert result.out.endswith(f"model{suffix}: 46 layers in 27 boxes\n")
    assert result.err.startswith("note: 19 layers of constants")


def test_a_page_needs_no_network_and_holds_definitions_and_places(irops, model):
    out = model.with_suffix(".html")
    assert irops("draw", model, "-o", out, "-q").out == ""
    page = out.read_text()
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    assert "model.xml:" in page
    assert "NonMaxSuppression-9" in page
    assert '"constraints"' in page


def test_unfold_draws_all_blocks(irops, tmp_path):
    write(blocks(4).model(), tmp_path / "blocks.xml")
    folded = irops("draw", tmp_path / "blocks.xml", "-o", tmp_path / "a.svg")
    unfolded = irops("draw", tmp_path / "blocks.xml", "-o", tmp_path / "b.svg", "--unfold")
    assert "repeated block drawn once" in folded.err
    assert "repeated block" not in unfolded.err
    assert (tmp_path / "a.svg").stat().st_size < (tmp_path / "b.svg").stat().st_size


def test_around_draws_a_part(irops, model):
    result = irops("draw", model, "-o", model.with_suffix(".svg"), "--around", "nms", "--hops", "1")
    assert result.status == 0
    assert "1 edge around nms" in model.with_suffix(".svg").read_text()


@pytest.mark.parametrize("command", [("draw", "x.svg"), ("extract", "x.xml", "--to", "next")])
def test_names_of_layers_in_a_path_may_contain_slashes(irops, tmp_path, command):
    graph = loop()
    graph.rename(graph["loop"], "model/aten::loop/Loop")
    write(graph.model(), tmp_path / "m.xml")
    verb, out, *more = command
    path = ("--path", "model/aten::loop/Loop/body")
    result = irops(verb, tmp_path / "m.xml", "-o", tmp_path / out, *path, *more)
    assert result.status == 0, result.err
    assert (tmp_path / out).exists()


def test_a_picture_has_the_name_of_the_model_where_none_is_given(irops, model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert irops("draw", model).out.startswith("model.svg: ")
    assert irops("draw", model, "-o", ".html", "-q").status == 0
    assert {path.name for path in tmp_path.glob("model.*")} == {f"model.{end}" for end in BESIDE}


BESIDE = ("xml", "bin", "svg", "html")


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_a_picture_is_drawn_in_pixels_and_on_paper(irops, model, suffix, start):
    if find_library("cairo") is None:  # which pip does not install
        pytest.skip("the library cairo is not installed")
    pytest.importorskip("cairosvg")
    out = model.with_suffix(suffix)
    assert irops("draw", model, "-o", out).status == 0
    assert out.read_bytes().startswith(start)


def test_what_pictures_in_pixels_need_is_said(irops, model, monkeypatch):
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    monkeypatch.setattr("irops.environment.find_spec", lambda name: None if name == "cairosvg" else name)
    environment._is_installed.cache_clear()
    result = irops("draw", model, "-o", model.with_suffix(".png"))
    environment._is_installed.cache_clear()
    assert (result.status, result.out) == (2, "")
    assert "cairosvg is not installed; pip install 'irops[png]' installs it" in result.err


def test_what_cairo_reads_has_no_variables_and_only_light_colours():
    svg = plain(draw(loop()).svg)
    assert re.search(r"var\(|@media|ui-monospace", svg) is None
    assert ".irops-drawing .page{fill:#ffffff}" in svg
