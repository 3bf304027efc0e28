"""The rules of conversions, by kind of op; importing a module declares its steps."""

from irops.editing.conversion.rules import (
    activations,
    attention,
    bags,
    bitwise,
    detection,
    folding,
    moving,
    normalizing,
    pooling,
    scattering,
    searching,
    shapes,
    signals,
    versions,
)

MODULES = (
    activations,
    attention,
    bags,
    bitwise,
    detection,
    folding,
    moving,
    normalizing,
    pooling,
    scattering,
    searching,
    shapes,
    signals,
    versions,
)
