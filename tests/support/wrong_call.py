"""Backends that are wrong in one layer, to test what finds them."""

from __future__ import annotations

import numpy as np

from irops.values.element import element_type_of


class Planted:
    """The reference, but for one call of one op, and later ones with the same inputs.

    op: its id; call: which of its calls in a run is wrong.

    changed: whether the call came, and changed the result.
    """

    name = "planted"

    def __init__(self, op, call, fault):
        self.op, self.call, self.fault = op, call, fault
        self.calls, self.changed, self.inputs = 0, False, None

    def kernel(self, op):
        kernel = op.functions.kernel
        if kernel is None or op.definition.bodies or op.definition.stateful or op.id != self.op:
            return kernel if kernel is not None and not op.definition.bodies else None

        def compute(*inputs, **attributes):
            result = kernel(*inputs, **attributes)
            self.calls += 1
            if self.calls - 1 == self.call:
                self.inputs = list(map(_key, inputs))
            if self.inputs != list(map(_key, inputs)):
                return result
            outputs = result if isinstance(result, tuple) else (result,)
            wrong = np.asarray(self.fault(np.array(outputs[0])))
            changed = matters(np.asarray(outputs[0]), wrong)
            self.changed = self.changed or changed
            if not changed:
                return result
            return (wrong, *outputs[1:]) if isinstance(result, tuple) else wrong

        return compute


def _key(array):
    """The shape and the bytes of an array."""
    return None if array is None else (np.shape(array), np.asarray(array).tobytes())


def matters(right, wrong):
    """Whether a change is beyond all rounding: a thousandth of the greatest element, NaN or infinity."""
    if right.shape != wrong.shape or right.dtype.kind not in "fV":
        return right.shape != wrong.shape or bool((right != wrong).any())
    a, b = right.astype(np.float64), wrong.astype(np.float64)
    if (np.isnan(a) != np.isnan(b)).any() or (np.isinf(a) | np.isinf(b))[~np.equal(a, b)].any():
        return True
    finite = np.isfinite(a) & np.isfinite(b)
    if not finite.any():
        return False
    return bool(np.abs(a - b)[finite].max() > 1e-3 * np.abs(a[finite]).max())


def sign(array):
    """The opposite of every number, the complement of every truth value."""
    return ~array if array.dtype == bool else (-array).astype(array.dtype)


def last_row(array):
    """Zeros in the last row."""
    if array.ndim:
        array[..., -1:, :] = 0 if array.ndim > 1 else array[..., -1:]
        if array.ndim == 1:
            array[-1:] = 0
    return array


def off_by_one(array):
    """Every element at the place of the one before it."""
    return np.roll(array, 1, axis=-1) if array.ndim else array


def one_nan(array):
    """NaN in one element; the extreme of a type without NaN."""
    if array.size:
        flat = array.reshape(-1)
        kind = element_type_of(array)
        flat[flat.size // 2] = np.nan if kind.floating else 1
    return array


def one_infinity(array):
    """Infinity in one element; the extreme of a type without it."""
    if array.size:
        flat = array.reshape(-1)
        kind = element_type_of(array)
        flat[flat.size // 2] = np.inf if kind.floating else 1
    return array


def unmasked(array):
    """A number in place of every infinity and NaN."""
    if element_type_of(array).floating:
        array[~np.isfinite(array)] = 5
    return array


def exchanged(array):
    """The other infinity in place of each."""
    return np.where(np.isinf(array), -array, array) if element_type_of(array).floating else array


def one_percent(array):
    """One percent more."""
    return (array.astype(np.float64) * 1.01).astype(array.dtype)


def transposed(array):
    """The last two axes swapped, in the same shape."""
    if array.ndim < 2:
        return array
    return np.ascontiguousarray(array.swapaxes(-1, -2)).reshape(array.shape)


def odd_sizes(array):
    """Zeros in the elements behind the last multiple of 4, where there are any."""
    if array.ndim and array.shape[-1] % 4:
        array[..., array.shape[-1] // 4 * 4 :] = 0
    return array


FAULTS = (sign, last_row, off_by_one, one_nan, one_infinity, one_percent, transposed, odd_sizes)
INFINITE_FAULTS = (unmasked, exchanged)
"""Faults in results that have infinities."""
