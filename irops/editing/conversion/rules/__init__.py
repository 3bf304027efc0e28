"""The rules of conversions, by kind of op; importing a module declares its steps."""

from irops.editing.conversion.rules import arrays, networks, simpler

MODULES = (
    simpler,
    simpler,
    simpler,
    simpler,
    networks,
    arrays,
    arrays,
    networks,
    networks,
    arrays,
    simpler,
    arrays,
    simpler,
    networks,
)
