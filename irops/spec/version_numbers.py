"""The numbers of versions in definitions and in ids of ops."""

from __future__ import annotations

from typing import Any

from irops.spec.op_names import is_version_number
from irops.spec.types import OPENVINO


def wrong_version(root: Any) -> tuple[Any, str] | None:
    """The element of a definition whose version is not a number where it must be one, with a message."""
    version, dialect = root.get("version"), root.get("dialect", OPENVINO)
    if dialect != OPENVINO and version is not None and not is_version_number(version):
        return root, _message("the version", version, dialect)
    for element in root.iter("attribute", "example", "counterexample"):
        since = element.get("since", "0")
        if not is_version_number(since):
            return element, _message("since", since, dialect)
    return None


def _message(what: str, text: str, dialect: str) -> str:
    return f"{what} is {text[:60]!r}, must be a number: an opset of the dialect {dialect}"
