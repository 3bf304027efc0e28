"""Expressions of sizes: named numbers combined by +, -, *, //, min, max and broadcast."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from irops.values.dim import GENERATED_PREFIX, Dim, Symbol

GENERATED = re.compile(rf"{GENERATED_PREFIX}(\d+)")
"""A name that inference generates; in an expression it is n and the number: n7 for #7."""
SUM, PRODUCT, ATOM = 1, 2, 3
MIN_PART = 7
"""Repeated parts of fewer characters get no letter."""


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


def lettered(
    expressions: Sequence[Expression | None],
) -> tuple[list[Expression | None], dict[str, Expression]]:
    """The expressions with a letter for each part that occurs more than once in them, and the part that each
    letter stands for, which may contain letters before it.
    """
    trees = [None if one is None else one._tree() for one in expressions]
    used = {name for one in expressions if one is not None for name in one.names}
    letters = (letter for letter in ascii_lowercase if letter not in used)
    parts: dict[str, str] = {}
    while (text := _most_repeated([tree for tree in trees if tree is not None])) is not None:
        letter = next(letters, None)
        if letter is None:
            break
        parts[text] = letter
        trees = [None if tree is None else _Lettering(text, letter).visit(tree) for tree in trees]
    short = [None if tree is None else Expression(_written(tree)) for tree in trees]
    return short, {letter: Expression(text) for text, letter in parts.items()}


def _most_repeated(trees: Sequence[ast.expr]) -> str | None:
    """The part that takes most characters where it occurs again."""
    counts = Counter(
        _written(node)
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp | ast.Call | ast.UnaryOp)
    )
    saved = {text: (count - 1) * len(text) for text, count in counts.items()}
    repeated = [text for text, count in counts.items() if count > 1 and len(text) >= MIN_PART]
    return max(repeated, key=lambda text: (saved[text], len(text), text), default=None)


class _Lettering(ast.NodeTransformer):
    def __init__(self, text: str, letter: str) -> None:
        self._text, self._letter = text, letter

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.BinOp | ast.Call | ast.UnaryOp) and _written(node) == self._text:
            return ast.Name(self._letter)
        return super().generic_visit(node)


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
