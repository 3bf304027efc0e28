"""Why a layer cannot be said in another dialect."""

from __future__ import annotations

SPELLED = {"onnx": "ONNX", "openvino": "OpenVINO"}
"""The names of dialects, in sentences."""


class RefusedError(Exception):
    """A layer has no counterpart. rule: the name of the diagnostic rule; the text: the reason, which ends the
    sentence of the message.
    """

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(reason)
        self.rule = rule


def impossible(reason: str) -> RefusedError:
    """The other dialect's op does not know what the layer asks for."""
    return RefusedError("untranslatable-op", reason)


def unknown(reason: str) -> RefusedError:
    """Something is not known that must be."""
    return RefusedError("unknown-value-for-translation", reason)
