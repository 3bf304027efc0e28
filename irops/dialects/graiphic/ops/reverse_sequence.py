"""ReverseSequence as Graiphic has it: its gradient is attenuated."""

from irops.ops.movement.reverse_sequence import reverse_sequence
from irops.ops.unbroadcast import attenuated
from irops.spec.binding import gradient
from irops.values.element import Array


@gradient("graiphic:ReverseSequence")
def attenuated_gradient(
    d_Y: Array, sequence_lens: Array, *, batch_axis: int, time_axis: int, lda_coeff: float
) -> Array:
    return attenuated(
        reverse_sequence(d_Y, sequence_lens, batch_axis=batch_axis, seq_axis=time_axis), lda_coeff
    )
