"""The text of a model: what is written, in which order, and what XML cannot hold."""

import pytest

from irops.ir.model import COMMENT, BackEdge, Body, Edge, Element, Layer, LayerGraph, Model, Port, PortMapping
from irops.ir.ports import names_of
from irops.ir.write import document, escaped, mapping_attributes, names_text


def text_of(model):
    return "".join(document(model, lambda layer: layer.data))


def test_a_model_without_anything_has_both_sections():
    assert text_of(Model("m")) == (
        '<?xml version="1.0"?>\n<net name="m" version="11">\n\t<layers />\n\t<edges />\n</net>\n'
    )


def test_all_of_a_model_is_written_in_the_layout_of_openvino():
    inner = LayerGraph([Layer(0, "p", "Parameter", "opset1", {"shape": "1"})], [Edge(0, 0, 0, 0)])
    maps = [PortMapping(0, 0, at=9)], [PortMapping(1, 0, at=5)], [BackEdge(0, 0)]
    more = {"rt_info": Element("rt_info"), "unknown": [Element("u")], "extra": {"e": "1"}}
    body = Body("body", inner, *maps, **more)
    then = Body("then_body", LayerGraph(), [PortMapping(0, 0)])
    other = Body("else_body", LayerGraph(), [], [PortMapping(0, 0)])
    layer = Layer(
        1,
        "n",
        "T",
        "opset1",
        {"a": "1"},
        [Port(0), Port(1, "FP32", (2, -1), ("x", "a,b"), Element("rt_info"), {"h": "1"}, (Element("w"),))],
        [Port(2, "I64", rt_info=Element("rt_info"))],
        {"body": body},
        ("r",),
        Element("rt_info", {}, [Element("attribute", {"name": "a"}, text="t")]),
        {"hue": "red"},
        [Element("zzz", text="<&>")],
        comments=(" c ",),
    )
    branch = Layer(2, "if", "If", "opset8", bodies={"then_body": then, "else_body": other})
    empty = Layer(3, "d", "T", "opset1", data_at=7)
    graph = LayerGraph([layer, branch, empty], [Edge(1, 2, 2, 0, {"z": "1"})], comments=(" among edges ",))
    inside = [Element("k", {"v": "1"}), Element(COMMENT, text=" in "), Element("x", {}, [Element("y")], "t")]
    rest = [Element("meta_data")], {"extra": "1"}, [Element("unknown")]
    model = Model("m", 10, graph, Element("rt_info", {}, inside), *rest, comments=(" top ",))
    assert (
        text_of(model)
        == """<?xml version="1.0"?>
<!-- top -->
<net name="m" version="10" extra="1">
	<layers>
		<!-- c -->
		<layer id="1" name="n" type="T" version="opset1" output_names="r" hue="red">
			<data a="1" />
			<rt_info>
				<attribute name="a">t</attribute>
			</rt_info>
			<port_map>
				<output external_port_id="1" internal_layer_id="0" />
				<input external_port_id="0" internal_layer_id="0" />
			</port_map>
			<back_edges>
				<edge from-layer="0" to-layer="0" />
			</back_edges>
			<input>
				<port id="0" />
				<port id="1" precision="FP32" names="x,a\\,b" h="1">
					<dim>2</dim>
					<dim>-1</dim>
					<rt_info />
					<w />
				</port>
			</input>
			<output>
				<port id="2" precision="I64">
					<rt_info />
				</port>
			</output>
			<body e="1">
				<layers>
					<layer id="0" name="p" type="Parameter" version="opset1">
						<data shape="1" />
					</layer>
				</layers>
				<edges>
					<edge from-layer="0" from-port="0" to-layer="0" to-port="0" />
				</edges>
				<rt_info />
				<u />
			</body>
			<zzz>&lt;&amp;&gt;</zzz>
		</layer>
		<layer id="2" name="if" type="If" version="opset8">
			<else_port_map>
				<output external_port_id="0" internal_layer_id="0" />
			</else_port_map>
			<then_port_map>
				<input external_port_id="0" internal_layer_id="0" />
			</then_port_map>
			<then_body>
				<layers />
				<edges />
			</then_body>
			<else_body>
				<layers />
				<edges />
			</else_body>
		</layer>
		<layer id="3" name="d" type="T" version="opset1">
			<data />
		</layer>
	</layers>
	<edges>
		<!-- among edges -->
		<edge from-layer="1" from-port="2" to-layer="2" to-port="0" z="1" />
	</edges>
	<rt_info>
		<k v="1" />
		<!-- in -->
		<x>t
			<y />
		</x>
	</rt_info>
	<meta_data />
	<unknown />
</net>
"""
    )


def test_a_graph_of_comments_only_has_an_open_section_of_edges():
    text = text_of(Model("m", graph=LayerGraph(comments=(" c ",))))
    assert "\t<edges>\n\t\t<!-- c -->\n\t</edges>\n" in text


@pytest.mark.parametrize(
    ("mapping", "names"),
    [
        (PortMapping(0, 0), "external_port_id internal_layer_id"),
        (PortMapping(0, 0, start=0, end=-1), "external_port_id internal_layer_id"),
        (PortMapping(0, 0, end=-2), "external_port_id internal_layer_id end"),
        (PortMapping(0, 0, axis=0), "axis external_port_id internal_layer_id start end stride part_size"),
        (PortMapping(0, 0, axis=0, written=("axis",)), "axis external_port_id internal_layer_id"),
        (
            PortMapping(0, 0, axis=1, stride=-1, written=("start",)),
            "axis external_port_id internal_layer_id start stride",
        ),
        (PortMapping(-1, 0, purpose="execution_condition"), "external_port_id internal_layer_id purpose"),
        (PortMapping(0, 0, extra={"hue": "red"}), "external_port_id internal_layer_id hue"),
    ],
)
def test_a_mapping_is_written_as_far_as_it_differs_from_the_default(mapping, names):
    assert list(mapping_attributes(mapping)) == names.split()


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", "plain"),
        ("<a & \"b\" > 'c'", "&lt;a &amp; &quot;b&quot; > 'c'"),
        ("a\tb\nc\rd", "a&#09;b&#10;c&#13;d"),
        ("é\U0001f600", "é\U0001f600"),
        ("\x7f\x85\ue000\ufffd", "\x7f\x85\ue000\ufffd"),
    ],
)
def test_special_characters_are_escaped(text, written):
    assert escaped(text) == written


@pytest.mark.parametrize(
    "character", ["\x00", "\x08", "\x0b", "\x0c", "\x0e", "\x1f", "\ud800", "\ufffe", "\uffff"]
)
def test_characters_that_xml_does_not_have_are_refused(character):
    with pytest.raises(ValueError, match="a character that XML does not allow"):
        escaped(f"a{character}b")


@pytest.mark.parametrize("comment", ["a -- b", "a-", "--", "\x00"])
def test_what_cannot_be_a_comment_is_refused(comment):
    with pytest.raises(ValueError, match="cannot be a comment"):
        text_of(Model(comments=(comment,)))


@pytest.mark.parametrize("comment", ["a - b", "-a", "", "<a>&"])
def test_a_comment_is_written_as_it_is(comment):
    assert f"<!--{comment}-->" in text_of(Model(comments=(comment,)))


@pytest.mark.parametrize("name", ["a", "_a", ":a", "é", "a-b.c1", "x\u00b7"])
def test_a_name_of_xml_is_written(name):
    assert f" {name}=" in text_of(Model(extra={name: "1"}))


@pytest.mark.parametrize("name", ["", "1a", "-a", ".a", "a b", "a<", "a\n", "\u00d7"])
def test_what_is_no_name_of_xml_is_refused(name):
    with pytest.raises(ValueError, match="cannot be the name"):
        text_of(Model(extra={name: "1"}))


@pytest.mark.parametrize("names", [("a",), ("a", "b"), ("a,b", "c"), (",", ",,"), ("a b",)])
def test_names_of_tensors_are_read_as_they_are_written(names):
    assert names_of(names_text(names)) == names
