"""Expressions of sizes: named numbers combined by +, -, *, //, min, max and broadcast."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from irops.values.dim import GENERATED_PREFIX, Dim
from irops.values.symbol import Symbol

GENERATED = re.compile(rf"{GENERATED_PREFIX}(\d+)")
"""A name that inference generates; in an expression it is n and the number: n7 for #7."""
SUM, PRODUCT, ATOM = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Expression:
    """A size as a function of named sizes. str() gives it in Python's syntax: 2*N + 1.

    broadcast(a, b) is the size of an axis after broadcasting: that of a and b which is not 1.
    """

    text: str

    @classmethod
    def of(cls, size: Dim | Symbol) -> Expression | None:
        """The expression of a size; None where the size has no symbol and is not one number."""
        if isinstance(size, Dim) and size.known:
            return cls(str(size))
        symbol = size if isinstance(size, Symbol) else size.symbol
        if symbol is None:
            return None
        return cls.parsed(GENERATED.sub(r"n\1", str(symbol)))

    @classmethod
    def parsed(cls, text: str) -> Expression:
        return cls(_written(ast.parse(text, mode="eval").body))

    @property
    def names(self) -> tuple[str, ...]:
        """The named sizes, in the order in which they occur."""
        nodes = tuple(ast.walk(self._tree()))
        functions = [node.func for node in nodes if isinstance(node, ast.Call)]
        names = [node for node in nodes if isinstance(node, ast.Name) and node not in functions]
        return tuple(dict.fromkeys(node.id for node in sorted(names, key=lambda node: node.col_offset)))

    def evaluate(self, sizes: Mapping[str, int]) -> int:
        """The number for these sizes by name.

        Raises:  KeyError for a name without a size; ValueError where sizes do not broadcast;
            ZeroDivisionError
        """
        return _evaluated(self._tree(), sizes)

    def with_names(self, replacements: Mapping[str, Expression]) -> Expression:
        """The expression with names replaced by other expressions."""
        if not replacements.keys() & set(self.names):
            return self
        return Expression(_written(_Replacement(replacements).visit(self._tree())))

    def _tree(self) -> ast.expr:
        return ast.parse(self.text, mode="eval").body

    def __str__(self) -> str:
        return self.text


class _Replacement(ast.NodeTransformer):
    def __init__(self, replacements: Mapping[str, Expression]) -> None:
        self._replacements = replacements

    def visit_Name(self, node: ast.Name) -> ast.expr:
        replacement = self._replacements.get(node.id)
        return node if replacement is None else replacement._tree()


def broadcast_size(*sizes: int) -> int:
    """The size of an axis after broadcasting. Raises: ValueError where two sizes differ and none is 1"""
    others = {size for size in sizes if size != 1}
    if len(others) > 1:
        raise ValueError(f"the sizes {', '.join(map(str, sizes))} do not broadcast")
    return others.pop() if others else 1


FUNCTIONS: Mapping[str, Callable[..., int]] = {"min": min, "max": max, "broadcast": broadcast_size}


def _evaluated(node: ast.expr, sizes: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name):
            return sizes[name]
        case ast.UnaryOp(operand=operand):
            return -_evaluated(operand, sizes)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return FUNCTIONS[name](*(_evaluated(argument, sizes) for argument in arguments))
        case ast.BinOp(left=left, op=operator, right=right):
            return _combined(operator, _evaluated(left, sizes), _evaluated(right, sizes))
    raise ValueError(f"{ast.dump(node)} is no part of an expression of sizes")


def _combined(operator: ast.operator, left: int, right: int) -> int:
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.FloorDiv():
            return left // right
    raise ValueError(f"{type(operator).__name__} is no operation on sizes")


def _written(node: ast.expr, outer: int = 0) -> str:
    """The text of a tree, in parentheses where it binds less strongly than its surroundings require."""
    match node:
        case ast.UnaryOp(operand=operand):
            text, strength = f"-{_factor(operand)}", PRODUCT
        case ast.Call(func=ast.Name(id=name), args=arguments):
            text, strength = f"{name}({', '.join(map(_written, arguments))})", ATOM
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            text, strength = f"{_written(left, SUM)} + {_written(right, SUM)}", SUM
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            text, strength = f"{_written(left, SUM)} - {_written(right, PRODUCT)}", SUM
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            text, strength = f"{_factor(left)}*{_factor(right)}", PRODUCT
        case ast.BinOp(left=left, right=right):
            text, strength = f"{_factor(left)}//{_written(right, ATOM)}", PRODUCT
        case _:
            return ast.unparse(node)
    return f"({text})" if strength < outer else text


def _factor(node: ast.expr) -> str:
    """A factor: a quotient is put in parentheses, since the order of // and * matters."""
    is_quotient = isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv)
    return _written(node, ATOM if is_quotient else PRODUCT)
