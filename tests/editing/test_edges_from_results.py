"""Models in which an edge starts at a Result, which IR214 warns of, are translated."""

from hostile_models import layer, net, parameter, relu, result

import irops


def test_a_result_passes_on_what_feeds_it(tmp_path):
    path = tmp_path / "m.xml"
    middle = [layer(1, "r", "Result", "", (0,), (1,)), relu(2), result(3)]
    path.write_text(net([parameter(), *middle], [(0, 0, 1, 0), (1, 1, 2, 0), (2, 1, 3, 0)]))
    model = irops.translate(path, to="onnx")
    relus = [one for one in model.layers if one.type == "Relu"]
    (edge,) = (one for one in model.edges if one.to_layer == relus[0].id)
    assert model.layer(edge.from_layer).type == "Parameter"
