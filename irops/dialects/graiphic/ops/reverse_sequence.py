"""ReverseSequence as Graiphic has it: its gradient is attenuated."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.ops.movement.reverse_sequence import reverse_sequence
from irops.spec.binding import gradient
from irops.values.element import Array, element_type_of


def attenuated(gradient: Array, coefficient: float) -> Array:
    """The gradient times the coefficient, in the type of the gradient; with coefficient 1 the same array.

    Follows IEEE 754, so that 0 times infinity is NaN. f16 and bf16 are multiplied in f32. The real and the
    imaginary parts of complex numbers are multiplied separately.
    """
    if coefficient == 1:
        return gradient
    if gradient.dtype.kind == "c":
        parts = np.ascontiguousarray(gradient).view(gradient.real.dtype)
        return np.asarray(parts * parts.dtype.type(coefficient)).view(gradient.dtype)
    numbers = as_numbers(gradient)
    return converted(numbers * numbers.dtype.type(coefficient), element_type_of(gradient))


@gradient("graiphic:ReverseSequence")
def attenuated_gradient(
    d_Y: Array, sequence_lens: Array, *, batch_axis: int, time_axis: int, lda_coeff: float
) -> Array:
    return attenuated(
        reverse_sequence(d_Y, sequence_lens, batch_axis=batch_axis, seq_axis=time_axis), lda_coeff
    )
