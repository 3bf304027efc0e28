"""Writes IR files, .xml and .bin."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import IO, NamedTuple

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.diagnostics.rules import rule
from irops.ir.model import Element, Layer, Model
from irops.ir.numbers import integer
from irops.ir.pending import Pending
from irops.ir.serialize import document
from irops.ir.storage import Weights, WeightsChanged
from irops.ir.targets import local_target
from irops.ir.weights import changed_weights, checked_region
from irops.limits import MAX_DEPTH, recursion_limit_for

_ONE_BYTE = Weights.of_bytes(b"\0")


def write(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to path, and the bytes of its constants to the .bin file of the same name.

    Files are replaced atomically; the file that the model was read from may be overwritten. Bytes of the
    weights that belong to no constant are dropped; equal constants share bytes. Weights in a file are copied
    in the kernel and not loaded.
    Raises:  DiagnosticError if bytes of a constant or a mean image are missing or changed; ValueError for
        text that XML cannot represent; OSError
    """
    xml = local_target(path, of_model=True)
    weights = local_target(xml.with_suffix(".bin"), of_model=True)
    if weights == xml:
        raise ValueError(f"the model path is {xml.name}, must end with .xml: .bin is for weights")
    with recursion_limit_for(MAX_DEPTH), Pending(weights, xml) as (weights_file, xml_file):
        pool = _Pool(model, weights_file)
        with_means = replace(model, legacy=[pool.legacy(element) for element in model.legacy])
        for piece in document(with_means, pool.data):
            xml_file.write(piece.encode())


class _Pool:
    """Writes the bytes of constants in the order of layers, each content once."""

    def __init__(self, model: Model, file: IO[bytes]) -> None:
        self.model = model
        self.weights = model.weights or Weights.of_bytes(b"")
        self._contents = Contents(file)
        self._places: dict[tuple[int, int], int] = {}

    def data(self, layer: Layer) -> Mapping[str, str]:
        """The <data> of a layer; that of a Const says where its bytes are now."""
        if not layer.is_constant:
            return layer.data
        region = checked_region(self.model, layer)
        if region.elements == 0 and (region.size == 0 or region.end > self.weights.size):
            # OpenVINO requires a byte for an empty tensor, and writes one
            offset, size = self._contents.append(_ONE_BYTE, 0, 1), 1
        else:
            offset, size = self._place(region.offset, region.size), region.size
        return {**layer.data, "offset": str(offset), "size": str(size)}

    def legacy(self, element: Element) -> Element:
        """The element with the new positions of the mean images in it."""
        children = [self.legacy(child) for child in element.children]
        attributes = element.attributes
        if element.tag == "mean" and "offset" in attributes:
            offset, size = (integer(attributes.get(name, ""))[0] for name in ("offset", "size"))
            if offset is None or size is None:
                raise self._outside(element)
            try:
                place = self._place(offset, size)
            except DiagnosticError:
                raise
            except ValueError:
                raise self._outside(element) from None
            attributes = {**attributes, "offset": str(place)}
        return replace(element, attributes=attributes, children=children)

    def _outside(self, mean: Element) -> DiagnosticError:
        shown = (mean.attributes.get(name, "missing") for name in ("offset", "size"))
        message = "a mean image has offset {} and size {}, must be within the weights to be written".format(
            *shown
        )
        place = self.model.location(at=mean.at)
        return DiagnosticError([Diagnostic(rule("mean-outside-weights"), message, place)])

    def _place(self, offset: int, size: int) -> int:
        """The position of bytes of the weights in the file, to which they are written once."""
        place = self._places.get((offset, size))
        if place is None:
            try:
                self.weights.keep_open()  # the model stays readable if it is written over its own file
                place = self._places[offset, size] = self._contents.append(self.weights, offset, size)
            except WeightsChanged as error:
                raise changed_weights(self.model, error) from None
        return place


# The bytes of constants in a file that is written: each content once, and none of them loaded as a whole.

_SMALL = 1 << 16
"""Bytes of a content that is read in any case. A larger one is read only if it may equal another one."""
_SAMPLE = 1 << 14
_STEP = 1 << 20


class _Large(NamedTuple):
    """A large content that is in the file. digested: whether its place is known by a digest of all bytes."""

    weights: Weights
    offset: int
    place: int
    digested: bool = False


class Contents:
    """Appends contents of weights to a file.

    Large contents are copied in the kernel. Those of one size and equal samples of their bytes are compared
    by digests of all bytes, which are read in steps.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._end = file, 0
        self._places: dict[tuple[int, bytes], int] = {}
        self._by_sample: dict[tuple[int, bytes], _Large] = {}

    def append(self, weights: Weights, offset: int, size: int) -> int:
        """The position of a content in the file, to whose end it is written unless it is there already.

        Raises:  ValueError if the bytes are outside the weights; WeightsChanged; OSError
        """
        return (self._small if size <= _SMALL else self._large)(weights, offset, size)

    def _small(self, weights: Weights, offset: int, size: int) -> int:
        content = weights.read(offset, size)
        key = size, _digest([content])
        if key not in self._places:
            self._places[key] = self._reserve(size)
            self._file.write(content)
        return self._places[key]

    def _large(self, weights: Weights, offset: int, size: int) -> int:
        middle = (size - _SAMPLE) // 2
        starts = (0, middle, size - _SAMPLE)
        sample = size, _digest(weights.read(offset + start, _SAMPLE) for start in starts)
        like = self._by_sample.get(sample)
        if like is None:
            place = self._copy(weights, offset, size)
            self._by_sample[sample] = _Large(weights, offset, place)
            return place
        if not like.digested:
            self._places[size, _digest_of_all(like.weights, like.offset, size)] = like.place
            self._by_sample[sample] = like._replace(digested=True)
        key = size, _digest_of_all(weights, offset, size)
        if key not in self._places:
            self._places[key] = self._copy(weights, offset, size)
        return self._places[key]

    def _copy(self, weights: Weights, offset: int, size: int) -> int:
        weights.copy_to(self._file, offset, size)
        return self._reserve(size)

    def _reserve(self, size: int) -> int:
        place, self._end = self._end, self._end + size
        return place


def _digest_of_all(weights: Weights, offset: int, size: int) -> bytes:
    starts = range(0, size, _STEP)
    return _digest(weights.read(offset + start, min(_STEP, size - start)) for start in starts)


def _digest(pieces: Iterable[memoryview]) -> bytes:
    from hashlib import blake2b  # slow to import, and most commands write no model

    digest = blake2b(digest_size=32)
    for piece in pieces:
        digest.update(piece)
    return digest.digest()
