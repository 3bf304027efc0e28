"""Checks the IR version."""

from __future__ import annotations

from irops.ir.faults import Faults
from irops.ir.model import Element
from irops.ir.numbers import integer

READ = (10, 11)
_PER_LAYER = "OpenVINO 2020.1 replaced IR 7 and older; export the model again from its original framework"


def version_of(root: Element, faults: Faults) -> int:
    """The IR version; 11 if it is missing or invalid.

    Raises:  ReadError if the root is not <net>, or the version is so old that layers have another format
    """
    if root.tag != "net":
        note = (
            ("its local name is net, but it is in a namespace; IR files use none",)
            if root.tag.endswith(":net")
            else ()
        )
        raise faults.stop(
            "wrong-root",
            f"the root element is <{root.tag}>, must be <net>",
            root.at,
            notes=note,
        )
    text = root.attributes.get("version")
    if text is None:
        faults.add(
            "unsupported-ir-version",
            "<net> has no version, must be 10 or 11",
            root.at,
            notes=('OpenVINO reports "Unable to read the model"',),
        )
        return max(READ)
    version, plain = integer(text)
    if version is not None and 0 < version < min(READ):
        raise faults.stop(
            "old-ir-version",
            f"the IR version is {version}, must be 10 or 11",
            root.at,
            notes=(_PER_LAYER,),
        )
    if version not in READ:
        faults.add(
            "unsupported-ir-version",
            f"the IR version is {text!r}, must be 10 or 11",
            root.at,
            attribute="version",
            notes=('OpenVINO reports "Unable to read the model"',),
        )
        return max(READ)
    if not plain:
        faults.add(
            "noncanonical-number",
            f"IR version {text!r} is not in canonical form, must be {version}",
            root.at,
            attribute="version",
            notes=("OpenVINO refuses the file",),
        )
    return version
