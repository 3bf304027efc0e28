"""The exception for layers that are not representable in the target dialect."""

from __future__ import annotations

DIALECT_NAMES = {"onnx": "ONNX", "openvino": "OpenVINO"}
"""The names of dialects in messages."""


class RefusedError(Exception):
    """A layer is not representable. rule: the name of the diagnostic rule; the text is the reason."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(reason)
        self.rule = rule


def impossible(reason: str) -> RefusedError:
    """The target dialect cannot express the layer."""
    return RefusedError("untranslatable-op", reason)


def unknown(reason: str) -> RefusedError:
    """The conversion needs a value that is unknown."""
    return RefusedError("unknown-value-for-translation", reason)
