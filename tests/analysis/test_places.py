"""Where a broken constraint is reported."""

import pytest

import irops
from tests.conftest import net_text


@pytest.mark.parametrize(
    ("shape", "limits", "fault", "place"),
    [
        ("2", "min=7 max=6", "Clamp-1:C1", 'min="7" max="6"/>'),  # of an attribute
        ("2", "min=7", "missing-attribute", '<layer id="1"'),  # of an attribute that is not there
        (f"{2**62},4", "min=5 max=6", "overflowing-shape", "shape="),  # more elements than 64 bits count
    ],
)
def test_the_first_error_is_at_its_attribute_or_its_layer(shape, limits, fault, place):
    text = net_text(f"x: f32[{shape}]; clamp: Clamp x {limits}; y: Result clamp")
    error = irops.check("m.xml", text=text.encode()).errors[0]
    assert fault in (error.constraint, error.rule.name)
    assert text.splitlines()[error.location.line - 1][error.location.column - 1 :].startswith(place)
