"""Texts of the report are legible in the light and in the dark scheme."""

import re

import pytest

from irops.pages.render import resource
from irops.surveys.store import STATUSES

SCHEMES = [resource(name).split("@media (prefers-color-scheme: dark)") for name in ("base.css", "survey.css")]
LIGHT, DARK = (" ".join(one.partition("\n}")[0] for one in of_scheme) for of_scheme in zip(*SCHEMES))
MIN_CONTRAST = 4.5


def colours(scheme):
    """The variables of a scheme as red, green, blue from 0 to 1."""
    entries = re.findall(r"--([a-z-]+):\s*#([0-9a-f]{3,6});", scheme)
    doubled = {name: value if len(value) == 6 else "".join(c * 2 for c in value) for name, value in entries}
    return {name: [int(v[k : k + 2], 16) / 255 for k in (0, 2, 4)] for name, v in doubled.items()}


def luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(one, other):
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_pair_of_colours_has_contrast(scheme):
    palette = colours(scheme)
    pairs = [(status, f"{status}-back") for status in STATUSES]
    pairs += [(front, back) for front in ("text", "soft", "link") for back in ("back", "head", "chosen")]
    pairs += [(front, "back") for front in ("pass", "fail")]  # texts of changes
    low = {pair: contrast(*map(palette.__getitem__, pair)) for pair in pairs}
    assert {pair: value for pair, value in low.items() if value < MIN_CONTRAST} == {}


def test_the_dark_scheme_replaces_every_colour():
    assert colours(DARK).keys() == colours(LIGHT).keys()
