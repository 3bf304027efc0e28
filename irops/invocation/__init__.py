"""An op applied to inputs: binding, validation, inference, computation and gradients in one object."""

from irops.invocation.invocation import (
    NO_EXTRAS,
    Extras,
    Invocation,
    OpFault,
    Texts,
    fault_of,
    fault_of_limit,
    input_spec,
    named_inputs,
    out_of_memory,
    positional,
)

__all__ = [
    "NO_EXTRAS",
    "Extras",
    "Invocation",
    "OpFault",
    "Texts",
    "fault_of",
    "fault_of_limit",
    "input_spec",
    "named_inputs",
    "out_of_memory",
    "positional",
]
