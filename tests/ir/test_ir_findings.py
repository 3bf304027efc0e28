"""The collection of findings while a file is read: places, limits, order."""

from __future__ import annotations

import pytest

from irops.diagnostics.diagnostic import Edit, Fix, ReadError, Severity
from irops.files.limits import Clock, Limits
from irops.ir.locate import SourceText
from irops.ir.model import Layer, UniqueNames
from irops.ir.parse import CLOCK_MASK, Faults
from irops.ir.read import HARMLESS, load, loads, read

TEXT = b'<a x="1">\n<b/><c/><b y="2"/></a>'


def faults(limit: float = 1000, *, as_stored: bool = True) -> Faults:
    return Faults(SourceText("m.xml", TEXT, as_stored=as_stored), Limits(findings=limit))


def test_a_finding_is_at_an_element_its_attribute_or_its_child() -> None:
    found = faults()
    found.add("unknown-element", "m", 0)
    found.add("unknown-element", "m", 0, attribute="x")
    found.add("unknown-element", "m", 0, attribute="gone")
    found.add("unknown-element", "m", 0, child=("b", 1))
    found.add("unknown-element", "m", 0, child=("b", 2))
    found.add("unknown-element", "m", 0, child=("b", 1), attribute="y")
    assert [(d.location.line, d.location.column) for d in found.findings] == [
        (1, 1),
        (1, 4),
        (1, 1),
        (2, 9),
        (1, 1),
        (2, 12),
    ]


def test_a_finding_names_the_layer_and_the_path_that_are_read() -> None:
    found = faults()
    found.layer, found.path = Layer(3, "n", "T", "opset1"), ("loop", "body")
    found.add("unknown-element", "m", 0, notes=("n",), level=Severity.WARNING)
    (one,) = found.findings
    assert (one.location.layer_id, one.location.path, one.notes, one.severity) == (
        3,
        ("loop", "body"),
        ("n",),
        Severity.WARNING,
    )


def test_a_fix_is_for_the_bytes_of_the_file_only() -> None:
    fix = Fix("w", (Edit(0, 1, ""),))
    for stored in (True, False):
        found = faults(as_stored=stored)
        found.add("unknown-element", "m", 0, fix=fix)
        assert found.findings[0].fix == (fix if stored else None)


@pytest.mark.parametrize(("count", "reported", "more"), [(1, 1, 0), (2, 2, 0), (3, 2, 1), (5, 2, 3)])
def test_findings_beyond_the_limit_are_counted(count: int, reported: int, more: int) -> None:
    found = faults(2)
    for k in range(count):
        found.add("unknown-element", f"m{k}", 0)
    listed = found.in_order()
    assert [d.name for d in listed] == ["unknown-element"] * reported + ["too-many-findings"] * bool(more)
    if more:
        assert listed[-1].message.startswith(f"{more} more ")
        assert listed[-1].location.line == 2
        assert len(listed[-1].notes) == 1
    assert found.in_order() == listed


def test_the_error_that_ends_reading_comes_first() -> None:
    found = faults()
    found.add("unknown-element", "early", 0)
    error = found.stop("malformed-xml", "last", 10, notes=("n",))
    assert [d.name for d in error.diagnostics] == ["malformed-xml", "unknown-element"]
    assert error.diagnostics[0].notes == ("n",)


def test_an_error_of_the_file_as_a_whole_has_no_line() -> None:
    for error in (faults().stop("malformed-xml", "m"), faults().refuse("too-many-layers", "m")):
        where = error.diagnostics[0].location
        assert (where.file, where.line) == ("m.xml", None)


def test_the_error_of_a_limit_names_the_limit() -> None:
    (found,) = faults().refuse("too-many-layers", "there are 9", 0).diagnostics
    assert found.message == "there are 9; the limit is 1,000,000 (layers)"
    assert len(found.notes) == 1


def nested(depth: int) -> bytes:
    return (
        b'<net version="11"><layers/>' + b"<rt_info>" + b"<a>" * depth + b"</a>" * depth + b"</rt_info></net>"
    )


@pytest.mark.parametrize(
    ("text", "limit", "name"),
    [
        (nested(1), {"depth": 3}, None),
        (nested(2), {"depth": 3}, "nesting-too-deep"),
        (b'<net version="11"><layers/></net>', {"elements": 2}, None),
        (b'<net version="11"><layers/><edges/></net>', {"elements": 2}, "too-many-elements"),
        (b'<net version="11" name="n"><layers/></net>', {"attributes": 2}, None),
        (b'<net version="11" name="n" a="1"><layers/></net>', {"attributes": 2}, "too-many-attributes"),
        (b'<net version="11"><layers>' + b"<layer/>" * 2 + b"</layers></net>", {"layers": 2}, None),
        (
            b'<net version="11"><layers>' + b"<layer/>" * 3 + b"</layers></net>",
            {"layers": 2},
            "too-many-layers",
        ),
    ],
)
def test_what_meets_a_limit_is_read_and_what_exceeds_it_is_refused(
    text: bytes, limit: dict[str, float], name: str | None
) -> None:
    if name is None:
        loads(text, limits=Limits(**limit))
    else:
        with pytest.raises(ReadError) as error:
            loads(text, limits=Limits(**limit))
        first = error.value.diagnostics[0]
        assert first.name == name
        assert first.location.column is not None


def test_the_place_of_a_limit_is_the_element_that_exceeds_it() -> None:
    with pytest.raises(ReadError) as error:
        loads(b'<net version="11"><layers/>\n <edges/></net>', limits=Limits(elements=2))
    where = error.value.diagnostics[0].location
    assert (where.line, where.column) == (2, 2)


@pytest.mark.parametrize(("dims", "fits"), [(3, True), (4, False)])
def test_a_port_has_as_many_dims_as_the_limit_says(dims: int, fits: bool) -> None:
    text = (
        '<net version="11"><layers><layer id="0" name="n" type="T" version="opset1"><input>\n<port id="0">'
        + "<dim>1</dim>" * dims
        + "</port></input></layer></layers></net>"
    ).encode()
    if fits:
        assert loads(text, limits=Limits(dims=3))[1] == ()
    else:
        with pytest.raises(ReadError) as error:
            loads(text, limits=Limits(dims=3))
        where = error.value.diagnostics[0].location
        assert (error.value.diagnostics[0].name, where.line, where.column) == ("too-many-dimensions", 2, 1)


def test_the_clock_is_looked_at_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    monkeypatch.setattr(Clock, "expired", property(lambda self: bool(looks.append(1))))
    loads(b'<net version="11"><layers/>' + b"<a/>" * 2 * CLOCK_MASK + b"</net>")
    assert len(looks) == 2


def test_of_a_dim_so_much_is_kept_as_says_what_is_wrong() -> None:
    text = (
        '<net version="11"><layers><layer id="0" name="n" type="T" version="opset1"><input><port id="0">'
        "<dim>{}</dim></port></input></layer></layers></net>"
    )
    for length in (256, 257):
        (found,) = loads(text.format("x" * length).encode())[1]
        assert "x" * 256 in found.message
        assert "x" * 257 not in found.message


def test_text_around_elements_is_kept_without_layout() -> None:
    model, _ = loads(
        b'<net version="11"><layers/><rt_info> <a> one <b/> two </a><c> x </c>'
        b"<d>a&amp;<!-- n -->b</d></rt_info></net>"
    )
    assert model.rt_info is not None
    a, c, d = model.rt_info.children
    assert (a.text, c.text, d.text) == ("one  two", " x ", "a&b")


def test_comments_before_a_layer_are_its_own_and_others_are_the_graphs() -> None:
    layer = '<layer id="{0}" name="n{0}" type="T" version="opset1"/>'
    text = (
        '<!-- a --><net version="11"><!-- b --><layers><!-- c --><!-- d -->'
        + layer.format(0)
        + layer.format(1)
        + "<x/><!-- e -->"
        + layer.format(2)
        + "<!-- f --></layers><edges><!-- g --></edges></net><!-- h -->"
    )
    model, _ = loads(text.encode())
    assert [x.comments for x in model.layers] == [(" c ", " d "), (), (" e ",)]
    assert model.comments == (" a ", " h ", " b ")
    assert model.graph.comments == (" f ", " g ")


def test_a_model_is_read_although_findings_are_harmless_and_not_otherwise(tmp_path) -> None:
    assert "unknown-element" in HARMLESS
    assert "malformed-number" not in HARMLESS
    (tmp_path / "m.xml").write_text('<net version="11"><layers/><q/></net>')
    assert read(tmp_path / "m.xml").version == 11


def test_the_error_of_reading_has_errors_before_warnings(tmp_path) -> None:
    (tmp_path / "m.xml").write_text('<net version="011" a="1"><layers><layer/></layers></net>')
    with pytest.raises(ReadError) as error:
        read(tmp_path / "m.xml")
    levels = [d.severity for d in error.value.diagnostics]
    assert levels == sorted(levels)
    assert {"error", "warning"} == set(levels)


def test_a_text_may_have_as_many_bytes_as_the_limit_says(tmp_path) -> None:
    text = b'<net version="11"><layers/></net>'
    (tmp_path / "m.xml").write_bytes(text)
    for fits, size in ((True, len(text)), (False, len(text) - 1)):
        for attempt in (
            lambda size=size: loads(text, limits=Limits(xml_bytes=size)),
            lambda size=size: load(tmp_path / "m.xml", limits=Limits(xml_bytes=size)),
        ):
            if fits:
                assert attempt()[1] == ()
            else:
                with pytest.raises(ReadError) as error:
                    attempt()
                (found,) = error.value.diagnostics
                assert (found.name, found.location.line) == ("oversized-file", None)
                assert f"{len(text)} bytes" in found.message


@pytest.mark.parametrize("size", [4095, 4096, 4097, 9000])
def test_a_file_of_any_size_is_read_whole(tmp_path, size: int) -> None:
    text = '<net version="11"><layers/>{}</net>'
    text = text.format("<!--" + "x" * (size - len(text) + 2 - 7) + "-->")
    assert len(text) == size
    (tmp_path / "m.xml").write_text(text)
    model, found = load(tmp_path / "m.xml")
    assert found == ()
    assert model.source is not None
    assert len(model.source.data) == size


def test_no_two_names_are_the_same() -> None:
    names = UniqueNames(["a", "a#1"])
    assert [names.unique(name) for name in "aabb"] == ["a#2", "a#3", "b", "b#1"]
    assert "a#3" in names
    assert "c" not in names
