"""The <pre-process> of a file of version 10: what it means must be there."""

import pytest

from irops.ir.read import loads

NET = (
    '<net version="10"><layers><layer id="0" name="x" type="{kind}" version="opset1"/></layers>'
    "<pre-process{head}>{channels}</pre-process></net>"
)


def findings(channels="", head="", kind="Parameter", weights=bytes(8)):
    text = NET.format(kind=kind, head=head, channels=channels)
    _, found = loads(text.encode(), weights)
    places = [d.location.column for d in found if d.name == "mean-outside-weights"]
    assert places in ([], [text.index("<pre") + 1])
    return [d.name for d in found]


@pytest.mark.parametrize(
    ("kind", "head", "names"),
    [
        ("Parameter", ' reference-layer-name="x"', []),
        ("parameter", ' reference-layer-name="x"', []),
        ("Parameter", "", []),
        ("Add", ' reference-layer-name="x"', ["unknown-reference-layer"]),
        ("Result", ' reference-layer-name="x"', ["unknown-reference-layer"]),
        ("Assign", ' reference-layer-name="x"', ["unknown-reference-layer"]),
        ("Parameter", ' reference-layer-name="y"', ["unknown-reference-layer"]),
        ("Parameter", ' reference-layer-name=""', []),
    ],
)
def test_the_layer_that_is_meant_is_a_parameter(kind, head, names):
    assert findings(head=head, kind=kind) == names


def test_a_layer_that_is_not_there_is_found_at_the_attribute():
    text = NET.format(kind="Add", head=' reference-layer-name="x"', channels="")
    _, (found,) = loads(text.encode())
    assert found.location.column == text.index("reference-layer-name") + 1
    assert found.notes == ("OpenVINO refuses the file",)


@pytest.mark.parametrize(
    ("mean", "inside"),
    [
        *((f'<mean offset="{at}" size="{size}"/>', True) for at, size in ((0, 8), (4, 4), (8, 0))),
        *((f'<mean offset="{at}" size="{size}"/>', False) for at, size in ((0, 9), (5, 4), (-1, 4), (4, -4))),
        *((f'<mean offset="{at}" size="{size}"/>', False) for at, size in (("x", 4), (0, "x"))),
        ('<mean offset="4"/>', False),
        ('<mean value="1.5"/>', True),
        ('<scale offset="99" size="1"/>', True),
    ],
)
def test_a_mean_image_lies_within_the_weights(mean, inside):
    assert findings(f'<channel id="0">{mean}</channel>') == ([] if inside else ["mean-outside-weights"])


def test_the_first_mean_image_that_is_outside_is_found_wherever_it_is():
    good, bad = '<mean offset="0" size="8"/>', '<mean offset="0" size="9"/>'
    for channels in (f"{good}{bad}{bad}</channel><channel>{bad}", f"{good}</channel><channel>{bad}"):
        assert findings(f"<channel>{channels}</channel>") == ["mean-outside-weights"]


def test_other_legacy_sections_have_no_mean_images():
    text = NET.format(kind="Parameter", head=' reference-layer-name="y"', channels="")
    assert loads(text.replace("pre-process", "meta_data").encode())[1] == ()
