"""In which opsets an op is, and which releases of OpenVINO read it."""

from __future__ import annotations

from irops.spec.definition import Definition
from irops.spec.opsets import opsets
from irops.spec.releases import UNRELEASED, releases


def release_of(definition: Definition) -> str | None:
    """The release of OpenVINO from which on the op version is read; None for ops that no release has."""
    if definition.dialect != "openvino":
        return None
    since = releases().of_op(definition.type, definition.version)
    return None if since == UNRELEASED else since


def availability(definition: Definition) -> str:
    """A sentence about opsets and releases; '' for ops of which nothing is known."""
    release = release_of(definition)
    version = next((one for one in opsets().all() if one.id == definition.id), None)
    if release is None or version is None:
        return ""
    runs = ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in version.runs)
    since = (
        f"Every release of OpenVINO from {release} on reads it"
        if release == releases().oldest
        else f"OpenVINO reads it from release {release} on"
    )
    return f"In {'opset' if runs.isdigit() else 'opsets'} {runs}. {since}."
