"""Which IR versions are read, and what is said of others."""

from __future__ import annotations

from irops.ir.faults import Faults
from irops.ir.model import Element
from irops.ir.numbers import integer

READ = (10, 11)
_PER_LAYER = (
    "IR 7 and older ended with OpenVINO 2020.1; export the model anew from the framework that it came from"
)


def version_of(root: Element, faults: Faults) -> int:
    """The IR version, 11 where it cannot be told.

    Raises:  ReadError where the root is no <net>, or one of a version so old that its layers mean something
        else
    """
    if root.tag != "net":
        note = (
            ("its local name is net, but in a namespace; IR files use none",)
            if root.tag.endswith(":net")
            else ()
        )
        raise faults.stop(
            "wrong-root",
            f"the root element is <{root.tag}>; that of an IR file is <net>",
            root.at,
            notes=note,
        )
    text = root.attributes.get("version")
    if text is None:
        faults.add(
            "unsupported-ir-version",
            "<net> has no version; it must be 10 or 11",
            root.at,
            notes=('OpenVINO says "Unable to read the model"',),
        )
        return READ[-1]
    version, plain = integer(text)
    if version is not None and 0 < version < READ[0]:
        raise faults.stop(
            "old-ir-version",
            f"this is IR version {version}; versions 10 and 11 are read",
            root.at,
            notes=(_PER_LAYER,),
        )
    if version not in READ:
        faults.add(
            "unsupported-ir-version",
            f"IR version {text!r} is not one that is read; it must be 10 or 11",
            root.at,
            attribute="version",
            notes=('OpenVINO says "Unable to read the model"',),
        )
        return READ[-1]
    if not plain:
        faults.add(
            "noncanonical-number",
            f"IR version {text!r} is not written plainly; it is read as {version}",
            root.at,
            attribute="version",
            notes=("OpenVINO refuses the file",),
        )
    return version
