"""An op applied to inputs: binding, validation, inference, computation and gradients in one object."""

from irops.invocation.faults import OpFault, fault_of, fault_of_limit, out_of_memory
from irops.invocation.inputs import input_spec, named_inputs, positional
from irops.invocation.invocation import NO_EXTRAS, Extras, Invocation, Texts

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
