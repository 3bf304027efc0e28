"""The rules of conversions, by kind of op; importing a module declares its steps."""

from irops.editing.conversion.rules import (
    activations,
    attention,
    bags,
    bitwise,
    detection,
    moving,
    normalizing,
    pooling,
    searching,
    shapes,
    versions,
)

MODULES = (
    activations,
    attention,
    bags,
    bitwise,
    detection,
    moving,
    normalizing,
    pooling,
    searching,
    shapes,
    versions,
)
