"""A plugin of mypy: follows the types of irops/diagnostics/printable.py through f-strings, joins and sums.

Without it, mypy refuses more: an f-string is then a plain str, which no sink takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from mypy.checker import TypeChecker
from mypy.maptype import map_instance_to_supertype
from mypy.nodes import (
    CallExpr,
    ConditionalExpr,
    Expression,
    FloatExpr,
    GeneratorExpr,
    IntExpr,
    ListComprehension,
    ListExpr,
    MemberExpr,
    MypyFile,
    OpExpr,
    StarExpr,
    StrExpr,
    TupleExpr,
    TypeInfo,
)
from mypy.plugin import (
    AttributeContext,
    FunctionContext,
    FunctionSigContext,
    MethodContext,
    MethodSigContext,
    Plugin,
)
from mypy.subtypes import is_subtype
from mypy.types import (
    AnyType,
    CallableType,
    Instance,
    LiteralType,
    NoneType,
    TupleType,
    Type,
    UninhabitedType,
    UnionType,
    get_proper_type,
)

HOME = "irops.diagnostics.printable"
NAMES = ("Printable", "Markup", "Markdown", "Cells", "Dot", "Json", "Commands", "Code")
MEDIA = frozenset(f"{HOME}.{name}" for name in NAMES)
PRINTABLE = f"{HOME}.Printable"
OWN = f"{HOME}.OwnText"
NOTHING: frozenset[str] = frozenset()
NUMBERS = ("builtins.int", "builtins.float", "builtins.bool", "builtins.complex")
OF_LINES = (
    *("ljust", "rjust", "center", "lower", "upper", "capitalize", "expandtabs", "__getitem__"),
    *("removeprefix", "removesuffix"),
)
"""Methods of str that keep what is printable; they may cut an escape of another medium in two."""
OF_ALL = ("rstrip", "lstrip", "strip", "__mul__", "__rmul__")
ESCAPES = {
    f"{HOME}.in_html": f"{HOME}.Markup",
    f"{HOME}.in_markdown": f"{HOME}.Markdown",
    f"{HOME}.in_dot": f"{HOME}.Dot",
    f"{HOME}.in_command": f"{HOME}.Commands",
}
"""Escapes that must not be applied twice, and what they return."""
RICH = {
    "rich.text.Text",
    "rich.text.Text.append",
    "rich.text.Text.assemble",
    "rich.table.Table",
    "rich.table.Table.add_row",
    "rich.table.Table.add_column",
    "rich.table.Table.title",
    "rich.table.Table.caption",
    "rich.tree.Tree",
    "rich.tree.Tree.add",
}
"""What puts text on a terminal: its parameters take printable text where they take str."""
TEXTS = ("text", "label", "header", "title", "caption")
"""Their parameters."""
MAKERS = {HOME, "irops.cli.streams"}
"""The modules that may call the types themselves, to make escaped text of a str."""


class EscapedText(Plugin):
    def get_additional_deps(self, file: MypyFile) -> list[tuple[int, str, int]]:
        return [(10, HOME, -1)] if file.fullname.partition(".")[0] == "irops" else []

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        if fullname in ESCAPES:
            return partial(_not_twice, ESCAPES[fullname])
        if fullname in MEDIA or fullname == OWN:
            return _made
        calls = {f"{HOME}.literal": _literal, "builtins.str": _str, "builtins.repr": _repr}
        return calls.get(fullname)

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        kind, _, method = fullname.rpartition(".")
        if kind != "builtins.str" and kind not in MEDIA and kind != OWN:
            return None
        calls = {"format": _format, "join": _join, "__add__": _sum, "replace": _replaced}
        if method in OF_LINES:
            return partial(_kept, media=frozenset({PRINTABLE}))
        return partial(_kept, media=MEDIA) if method in OF_ALL else calls.get(method)

    def get_function_signature_hook(
        self, fullname: str
    ) -> Callable[[FunctionSigContext], CallableType] | None:
        if fullname in RICH:
            return _taking_printable
        return _taking_literals if fullname.startswith("irops.") else None

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        return _printable_attribute if fullname in RICH else None

    def get_method_signature_hook(self, fullname: str) -> Callable[[MethodSigContext], CallableType] | None:
        if fullname in RICH:
            return _taking_printable
        return _taking_literals if fullname.startswith(("irops.", "builtins.list.")) else None


def plugin(version: str) -> type[Plugin]:
    return EscapedText


# What media an expression may be put into as it is.


def _media(expression: Expression, checker: TypeChecker) -> frozenset[str]:
    match expression:
        case StrExpr() | IntExpr() | FloatExpr():
            return MEDIA
        case ConditionalExpr():
            return _media(expression.if_expr, checker) & _media(expression.else_expr, checker)
        case OpExpr(op="or" | "and" | "+"):
            return _media(expression.left, checker) & _media(expression.right, checker)
        case OpExpr(op="*") if isinstance(expression.left, StrExpr):
            return MEDIA
        case CallExpr(callee=MemberExpr(name="format", expr=StrExpr()), args=args):  # in an f-string
            return _of_format(expression, args, checker)
        case CallExpr(callee=MemberExpr(name="join", expr=StrExpr()), args=[items]):
            return _of_items(items, checker)
        case StarExpr(expr=items):
            return _of_items(items, checker)
        case _:
            return _of_type(_type_of(expression, checker))


def _type_of(expression: Expression, checker: TypeChecker) -> Type:
    """The type that mypy has found; of an expression that it has not come to, what it finds now."""
    found = checker.lookup_type_or_none(expression)
    return _type_without_context(expression, checker) if found is None else found


def _type_without_context(expression: Expression, checker: TypeChecker) -> Type:
    with checker.msg.filter_errors(), checker.local_type_map:
        return checker.get_expression_type(expression)


def _of_all(expressions: list[Expression], checker: TypeChecker) -> frozenset[str]:
    media = MEDIA
    for expression in expressions:
        media &= _media(expression, checker)
    return media


def _of_type(kind: Type) -> frozenset[str]:
    proper = get_proper_type(kind)
    match proper:
        case UnionType():
            media = MEDIA
            for item in proper.items:
                media &= _of_type(item)
            return media
        case LiteralType() | NoneType() | UninhabitedType():
            return MEDIA
        case Instance():
            return _of_class(proper)
        case _:
            return NOTHING


def _of_class(kind: Instance) -> frozenset[str]:
    info = kind.type
    if info.fullname in NUMBERS or info.is_enum or kind.last_known_value is not None:
        return MEDIA
    media = frozenset(base.fullname for base in info.mro) & MEDIA
    if media or info.has_base("builtins.str"):
        return media
    spelled = info.get_method("__str__")
    if spelled is None or not isinstance(spelled.type, CallableType):
        return NOTHING
    return _of_type(spelled.type.ret_type)


def _of_format(call: CallExpr, args: list[Expression], checker: TypeChecker) -> frozenset[str]:
    """Of a literal.format(…). f-strings are made of them: '{:{}}'.format(value, spec), '{!r:{}}' for !r."""
    assert isinstance(call.callee, MemberExpr)
    assert isinstance(call.callee.expr, StrExpr)
    conversion = re.match(r"\{!([ra])", call.callee.expr.value)
    if conversion:
        return frozenset({PRINTABLE}) if _is_text(_type_of(args[0], checker)) else NOTHING
    return _of_all(args, checker)


def _is_text(kind: Type) -> bool:
    proper = get_proper_type(kind)
    if isinstance(proper, UnionType):
        return all(map(_is_text, proper.items))
    return isinstance(proper, (LiteralType, NoneType)) or (
        isinstance(proper, Instance)
        and (proper.type.has_base("builtins.str") or proper.type.fullname in NUMBERS)
    )


def _typed(media: frozenset[str], checker: TypeChecker, otherwise: Type) -> Type:
    """The type of text for some media: what the context asks for, where that is one of them."""
    if not media:
        return otherwise
    context = get_proper_type(checker.type_context[-1]) if checker.type_context else None
    for asked in context.items if isinstance(context, UnionType) else [context]:
        proper = get_proper_type(asked) if asked is not None else None
        if isinstance(proper, Instance) and (
            proper.type.fullname in media or (proper.type.fullname == OWN and media == MEDIA)
        ):
            return Instance(proper.type, [])
    if media == MEDIA:
        return otherwise
    return _of_home(next(iter(sorted(media - {PRINTABLE})), PRINTABLE), checker) or otherwise


def _of_home(fullname: str, checker: TypeChecker) -> Instance | None:
    """A type of irops/diagnostics/printable.py; None in modules of others, which are checked before it."""
    home = checker.modules.get(HOME)
    name = None if home is None else home.names.get(fullname.rpartition(".")[2])
    return Instance(name.node, []) if name is not None and isinstance(name.node, TypeInfo) else None


# Hooks


def _checker(
    context: FunctionContext | MethodContext | FunctionSigContext | MethodSigContext | AttributeContext,
) -> TypeChecker:
    assert isinstance(context.api, TypeChecker)
    return context.api


def _format(context: MethodContext) -> Type:
    call, checker = context.context, _checker(context)
    if not isinstance(call, CallExpr) or not isinstance(call.callee, MemberExpr):
        return context.default_return_type
    if isinstance(call.callee.expr, StrExpr):
        media = _of_format(call, call.args, checker)
    else:
        media = _media(call.callee.expr, checker) & _of_all(call.args, checker)
    return _typed(media, checker, context.default_return_type)


def _join(context: MethodContext) -> Type:
    call = context.context
    if not isinstance(call, CallExpr) or not isinstance(call.callee, MemberExpr) or len(call.args) != 1:
        return context.default_return_type
    separator = _media(call.callee.expr, _checker(context))
    items = _of_items(call.args[0], _checker(context))
    return _typed(separator & items, _checker(context), context.default_return_type)


def _of_items(expression: Expression, checker: TypeChecker) -> frozenset[str]:
    """Of the items of an iterable, whose type may be wider in its context: that of join, which takes str."""
    match expression:
        case ListExpr(items=items) | TupleExpr(items=items):
            return _of_all(items, checker)
        case GeneratorExpr(left_expr=item) | ListComprehension(generator=GeneratorExpr(left_expr=item)):
            return _media(item, checker)
        case _:
            stored = _of_items_of(_type_of(expression, checker), checker)
            return stored or _of_items_of(_type_without_context(expression, checker), checker)


def _of_items_of(kind: Type, checker: TypeChecker) -> frozenset[str]:
    proper = get_proper_type(kind)
    if isinstance(proper, TupleType):
        return _of_type(UnionType.make_union(proper.items))
    iterable = checker.named_generic_type("typing.Iterable", []).type
    if not isinstance(proper, Instance) or not proper.type.has_base(iterable.fullname):
        return NOTHING
    return _of_type(map_instance_to_supertype(proper, iterable).args[0])


def _sum(context: MethodContext) -> Type:
    [[right]] = context.args
    media = _receiver(context) & _media(right, _checker(context))
    return _typed(media, _checker(context), context.default_return_type)


def _replaced(context: MethodContext) -> Type:
    [[old], [new], *_] = context.args
    media = _receiver(context) & _of_all([old, new], _checker(context))
    in_source = _stands_in_source(old) and _stands_in_source(new)
    return _typed(media if in_source else media & {PRINTABLE}, _checker(context), context.default_return_type)


def _kept(context: MethodContext, media: frozenset[str]) -> Type:
    return _typed(_receiver(context) & media, _checker(context), context.default_return_type)


def _receiver(context: MethodContext) -> frozenset[str]:
    node = context.context
    match node:
        case CallExpr(callee=MemberExpr(expr=receiver)):
            return _media(receiver, _checker(context))
        case OpExpr(left=receiver):
            return _of_type(context.type) or _media(receiver, _checker(context))
        case _:
            return _of_type(context.type)


def _literal(context: FunctionContext) -> Type:
    [[argument]] = context.args
    if _media(argument, _checker(context)) != MEDIA:
        _checker(context).fail("literal() takes text that stands in the source", context.context)
    return context.default_return_type


def _made(context: FunctionContext) -> Type:
    if _checker(context).tree.fullname not in MAKERS:
        _checker(context).fail("only the escapes of a medium make its text", context.context)
    return context.default_return_type


def _str(context: FunctionContext) -> Type:
    if not context.args or len(context.args[0]) != 1:
        return context.default_return_type
    media = _media(context.args[0][0], _checker(context))
    return _typed(media, _checker(context), context.default_return_type)


def _repr(context: FunctionContext) -> Type:
    text = _is_text(context.arg_types[0][0])
    return _typed(frozenset({PRINTABLE} if text else ()), _checker(context), context.default_return_type)


def _not_twice(medium: str, context: FunctionContext) -> Type:
    proper = get_proper_type(context.arg_types[0][0])
    if isinstance(proper, Instance) and proper.type.fullname == medium:
        _checker(context).fail("this text is escaped already", context.context)
    return context.default_return_type


def _taking_literals(context: FunctionSigContext | MethodSigContext) -> CallableType:
    """The signature with str for parameters of escaped text to which a literal is passed."""
    signature, checker = context.default_signature, _checker(context)
    kinds = list(signature.arg_types)
    for place, expressions in enumerate(context.args):
        if not expressions or not _is_medium(kinds[place]):
            continue
        for expression in expressions:
            if isinstance(get_proper_type(_type_without_context(expression, checker)), AnyType):
                checker.fail("a value of type Any may be text of a file", expression)
        if any(map(_stands_in_source, expressions)) and all(
            _stands_in_source(one) or _fits(one, kinds[place], checker) for one in expressions
        ):
            kinds[place] = UnionType.make_union(
                [kinds[place], checker.named_generic_type("builtins.str", [])]
            )
    return signature.copy_modified(arg_types=kinds)


def _fits(expression: Expression, kind: Type, checker: TypeChecker) -> bool:
    """Whether an argument, or the items of one with a star, may be passed beside a literal."""
    media = _media(expression, checker) | _of_items_of(_type_of(expression, checker), checker)
    proper = get_proper_type(kind)
    wanted = map(_of_type, proper.items if isinstance(proper, UnionType) else [proper])
    return any(media & asked for asked in wanted) or is_subtype(_type_of(expression, checker), kind)


def _is_medium(kind: Type) -> bool:
    proper = get_proper_type(kind)
    if isinstance(proper, UnionType):
        return any(map(_is_medium, proper.items))
    return isinstance(proper, Instance) and proper.type.fullname in (*MEDIA, OWN)


def _stands_in_source(expression: Expression) -> bool:
    match expression:
        case StrExpr():
            return True
        case ConditionalExpr():
            return _stands_in_source(expression.if_expr) and _stands_in_source(expression.else_expr)
        case OpExpr(op="+" | "or"):
            return _stands_in_source(expression.left) and _stands_in_source(expression.right)
        case _:
            return False


def _taking_printable(context: FunctionSigContext | MethodSigContext) -> CallableType:
    """The signature of a function of rich with Printable in place of str."""
    signature = context.default_signature
    printable = _of_home(PRINTABLE, _checker(context))
    if printable is None:
        return signature
    kinds = [
        _with_printable(kind, printable) if name in TEXTS or how.is_star() else kind
        for kind, name, how in zip(signature.arg_types, signature.arg_names, signature.arg_kinds)
    ]
    return _taking_literals(context._replace(default_signature=signature.copy_modified(arg_types=kinds)))


def _printable_attribute(context: AttributeContext) -> Type:
    printable = _of_home(PRINTABLE, _checker(context))
    kind = context.default_attr_type
    return kind if printable is None else _with_printable(kind, printable)


def _with_printable(kind: Type, printable: Instance) -> Type:
    proper = get_proper_type(kind)
    match proper:
        case UnionType():
            return UnionType.make_union([_with_printable(item, printable) for item in proper.items])
        case TupleType():
            return proper.copy_modified(
                items=[_with_printable(proper.items[0], printable), *proper.items[1:]]
            )
        case Instance() if proper.type.fullname == "builtins.str":
            return printable
        case _:
            return kind
