"""irops.read: a model from a file of any dialect."""

import os

from irops.diagnostics.diagnostic import Diagnostic, Location, ReadError
from irops.diagnostics.rules import rule
from irops.dialects import dialect_of_suffix, dialects
from irops.dialects.dialect import Loaded
from irops.files.limits import Limits
from irops.files.urls import Place, StrPath
from irops.ir.model import Model
from irops.ir.read import accepted, bytes_of

START_BYTES = 256
"""The number of bytes from which a file format is recognized."""


def read(path: StrPath, weights: StrPath | None = None, *, limits: Limits | None = None) -> Model:
    """The model in a file. The suffix of its name determines the dialect; a file with an
    unknown suffix is read as IR.

    path, weights: local files, or URLs of fsspec (s3://bucket/model.xml) with the extra irops[remote];
    weights: the .bin file of an IR; the one of the same name beside the .xml if not given
    Raises:  ReadError, with all findings, if layers or edges cannot be read, or a limit is exceeded
    """
    return accepted(*load(path, weights, limits=limits))


def load(
    path: StrPath, weights: StrPath | None = None, *, text: bytes | None = None, limits: Limits | None = None
) -> Loaded:
    """The model in a file as far as it can be read, and the errors in its text and structure.

    text: replaces the content of the file
    Raises:  ReadError if there is no model at all
    """
    limits = limits or Limits()
    place, dialect = Place.of(path), dialect_of_suffix(path)
    if weights is not None and not dialect.weights_beside:
        message = f"the weights are {Place.of(weights)}, must be omitted: the model has no .bin file"
        raise ReadError([Diagnostic(rule("unexpected-weights"), message, Location(str(place)))])
    try:
        beside = None if weights is None else os.fspath(weights)
        return dialect.read(os.fspath(place), weights=beside, text=text, limits=limits)
    except ReadError as error:
        if error.diagnostics[0].name == "not-xml":
            raise _of_another_format(bytes_of(place, limits) if text is None else text, error) from None
        raise


def _of_another_format(text: bytes, error: ReadError) -> ReadError:
    """The error that names the dialect of a file that is not XML; unchanged if no dialect recognizes it."""
    for dialect in dialects():
        other = dialect.recognise(text[:START_BYTES])
        if other is not None:
            place = error.diagnostics[0].location
            return ReadError([Diagnostic(rule(other.rule), other.message, place, notes=other.notes)])
    return error
