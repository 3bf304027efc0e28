"""Python's operators as ops: each adds a node to the graph of its operand."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self


class Operators:
    """The operators of a Value. The other operand is a Value, an array or a number.

    A number takes the element type of the Value. On booleans, & | ^ ~ are logical, on integers bitwise.
    """

    __slots__ = ()

    @abstractmethod
    def _apply(self, type: str, *operands: Any) -> Self:
        """The output of a new node of a type."""

    @abstractmethod
    def _floor_divided(self, dividend: Any, divisor: Any) -> Self:
        """The quotient, rounded down."""

    @abstractmethod
    def _logical(self, name: str) -> str:
        """The op that And, Or, Xor or Not is for this value."""

    def __add__(self, other: Any) -> Self:
        return self._apply("Add", self, other)

    def __radd__(self, other: Any) -> Self:
        return self._apply("Add", other, self)

    def __sub__(self, other: Any) -> Self:
        return self._apply("Subtract", self, other)

    def __rsub__(self, other: Any) -> Self:
        return self._apply("Subtract", other, self)

    def __mul__(self, other: Any) -> Self:
        return self._apply("Multiply", self, other)

    def __rmul__(self, other: Any) -> Self:
        return self._apply("Multiply", other, self)

    def __truediv__(self, other: Any) -> Self:
        return self._apply("Divide", self, other)

    def __rtruediv__(self, other: Any) -> Self:
        return self._apply("Divide", other, self)

    def __floordiv__(self, other: Any) -> Self:
        return self._floor_divided(self, other)

    def __rfloordiv__(self, other: Any) -> Self:
        return self._floor_divided(other, self)

    def __mod__(self, other: Any) -> Self:
        return self._apply("FloorMod", self, other)

    def __rmod__(self, other: Any) -> Self:
        return self._apply("FloorMod", other, self)

    def __pow__(self, other: Any) -> Self:
        return self._apply("Power", self, other)

    def __rpow__(self, other: Any) -> Self:
        return self._apply("Power", other, self)

    def __matmul__(self, other: Any) -> Self:
        return self._apply("MatMul", self, other)

    def __rmatmul__(self, other: Any) -> Self:
        return self._apply("MatMul", other, self)

    def __neg__(self) -> Self:
        return self._apply("Negative", self)

    def __abs__(self) -> Self:
        return self._apply("Abs", self)

    def __eq__(self, other: object) -> Self:  # type: ignore[override]
        return self._apply("Equal", self, other)

    def __ne__(self, other: object) -> Self:  # type: ignore[override]
        return self._apply("NotEqual", self, other)

    def __lt__(self, other: Any) -> Self:
        return self._apply("Less", self, other)

    def __le__(self, other: Any) -> Self:
        return self._apply("LessEqual", self, other)

    def __gt__(self, other: Any) -> Self:
        return self._apply("Greater", self, other)

    def __ge__(self, other: Any) -> Self:
        return self._apply("GreaterEqual", self, other)

    def __and__(self, other: Any) -> Self:
        return self._apply(self._logical("And"), self, other)

    def __rand__(self, other: Any) -> Self:
        return self._apply(self._logical("And"), other, self)

    def __or__(self, other: Any) -> Self:
        return self._apply(self._logical("Or"), self, other)

    def __ror__(self, other: Any) -> Self:
        return self._apply(self._logical("Or"), other, self)

    def __xor__(self, other: Any) -> Self:
        return self._apply(self._logical("Xor"), self, other)

    def __rxor__(self, other: Any) -> Self:
        return self._apply(self._logical("Xor"), other, self)

    def __invert__(self) -> Self:
        return self._apply(self._logical("Not"), self)

    __hash__ = object.__hash__
    __array_ufunc__ = None
    """NumPy leaves operators between an array and a Value to the Value."""
