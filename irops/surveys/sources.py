"""The sources of values that the tasks of a survey may name."""

from __future__ import annotations

from collections.abc import Iterable

from irops.backends.catalogue import backend_names
from irops.debugging.sources.parse import source_of_text
from irops.debugging.sources.stored import SourceError
from irops.diagnostics.diagnostic import DiagnosticError
from irops.diagnostics.suggestions import did_you_mean_word
from irops.files.extras import missing_libraries
from irops.surveys.faults import SurveyError
from irops.surveys.tasks import DEVICE


def require_sources(texts: Iterable[str]) -> None:
    """Raises: SurveyError for a text that is no source of many models, or one that is not available"""
    for text in texts:
        _require_source(text)


def _require_source(text: str) -> None:
    if not text.startswith(DEVICE) and text not in backend_names():
        meant = did_you_mean_word(text, (*backend_names(), "openvino:CPU"))
        raise SurveyError(
            f"{text!r} is no source of a survey{f'{meant} A' if meant else '; a'} source is a backend"
            f" ({', '.join(backend_names())}) or openvino:DEVICE[,PROPERTY=VALUE…]"
        )
    try:
        source_of_text(text).close()
    except (SourceError, DiagnosticError) as error:
        raise SurveyError(str(error)) from None
    lacking = missing_libraries("openvino", "openvino") if text.startswith(DEVICE) else None
    if lacking is not None:
        raise SurveyError(f"the source {text} is not available: {lacking}")
