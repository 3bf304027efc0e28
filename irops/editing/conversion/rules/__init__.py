"""The rules of conversions, by kind of op; importing a module declares its steps."""

from irops.editing.conversion.rules import arrays, simpler

MODULES = (arrays, simpler)
