"""Elements of small arrays as text, with all significant digits."""

from __future__ import annotations

from irops.values.element import STRING, Array, element_type_of


def tensor_text(array: Array) -> str:
    """f32[2,3]"""
    return f"{element_type_of(array)}[{','.join(map(str, array.shape))}]"


def elements_text(array: Array) -> str:
    """[[1, 0, 2], [5, 4, 3]]: numbers with as many digits as their type needs."""
    if array.ndim:
        return f"[{', '.join(elements_text(array[k, ...]) for k in range(len(array)))}]"
    return repr(array.item()) if element_type_of(array) is STRING else str(array[()]).removesuffix(".0")
