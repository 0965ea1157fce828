"""A Python kernel passes through here and comes out as the Tree of a .stx module: its helpers become definitions, NumPy's names words.

The law: printed, parsed and compiled, the module's kernel has the graph of the Python kernel. What .stx has no words for - captured numbers
and arrays, which a Python kernel reads again at each call, objects of the user's classes, functions of `math` - raises Unprintable.
"""

# Python objects are Any here: what isinstance narrows them to has parts that a type checker does not know.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import builtins
from collections.abc import Iterable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from staxlang.base.dtypes import DType, from_numpy
from staxlang.base.records import replace
from staxlang.parser import tree
from staxlang.parser.library import library_index
from staxlang.parser.literals import Unprintable
from staxlang.parser.source import function_source
from staxlang.typecheck import names
from staxlang.typecheck.frames import bound_names, children
from staxlang.typecheck.notation import size_of_dim
from staxlang.typecheck.restated_types import Types, typed
from staxlang.typecheck.signatures import scope_lookup
from staxlang.typecheck.surface.dtypes import DTypeMeaning
from staxlang.typecheck.surface.elementwise import UfuncMeaning
from staxlang.typecheck.surface.library import WORD_CONSTANTS
from staxlang.typecheck.surface.registry import SPELLINGS, FunctionMeaning, LibraryMeaning
from staxlang.typecheck.values import FunctionValue

_FIELDS = {
    kind: kind.__match_args__[1:]  # pyright: ignore[reportAttributeAccessIssue]
    for kind in vars(tree).values()
    if isinstance(kind, type) and issubclass(kind, tree.TreeNode)
}
_EXTREMES = {"np.max": "max", "np.amax": "max", "np.min": "min", "np.amin": "min"}
_EXTREME_PARAMETERS = ("a", "axis", "out", "keepdims", "initial", "where")
_GENERATORS = frozenset((builtins.sum, builtins.max, builtins.min, builtins.any, builtins.all))
"""Of these the words of .stx reduce arrays; with a generator for their argument they are Python's."""


def stx_module(function: FunctionType, name: str) -> tree.Module:
    """The module of a kernel's function: what it calls as private definitions, itself as `kernel`. Raises Unprintable.

    `name` is that of the module.
    """
    return _Restatement(function).module(name)


class _Restatement:
    """A kernel and all functions that it reaches, each with its name in the module."""

    def __init__(self, kernel: FunctionType) -> None:
        self.kernel = kernel
        self.imports: set[str] = set()
        self.reached: dict[FunctionType, str] = {}
        self.taken: set[str] = set()
        self.name_of(kernel)

    def module(self, name: str) -> tree.Module:
        made: dict[FunctionType, tree.Function] = {}
        while len(made) < len(self.reached):
            for function in [one for one in self.reached if one not in made]:
                made[function] = _Definition(self, function).restated()
        items: list[Any] = [tree.Import(made[self.kernel].span, module, ()) for module in sorted(self.imports)]
        items += [made[function] for function in reversed(made)]
        return tree.Module(made[self.kernel].span, name, None, tuple(items))

    def name_of(self, function: FunctionType) -> str:
        """The name of a definition: the function's own, unless that is a word or another definition's."""
        if function not in self.reached:
            first = function.__name__ if function.__name__.isidentifier() else "anonymous"
            self.reached[function] = _fresh(first, self.taken)
            self.taken.add(self.reached[function])
        return self.reached[function]


def _fresh(name: str, taken: Iterable[str]) -> str:
    """The name, or the first of `name_2`, `name_3`, .. that is no word and not taken."""
    number, found = 1, name
    while found in taken or is_word(found) or found in ("true", "false", "none"):
        number += 1
        found = f"{name}_{number}"
    return found


def is_word(name: str) -> bool:
    """Does a .stx file know the name without a definition of it?"""
    return names.word(name) is not None or name in library_index() or name in WORD_CONSTANTS or hasattr(builtins, name)


# ---- one definition ----


class _Definition:
    """The names of a function's Tree: those that it binds stay, the others become words, constants and names of the module."""

    def __init__(self, whole: _Restatement, function: FunctionType) -> None:
        self.whole = whole
        self.function = function
        self.tree = function_source(function)
        self.lookup = scope_lookup(function)
        self.exported = function is whole.kernel
        self.types = typed(self.tree, function) if self.exported else Types()
        self.scopes: list[frozenset[str]] = []
        self.needed: set[str] = set()
        self.renamed: dict[str, str] = {}

    def restated(self) -> tree.Function:
        self._whole_function()  # to see which words it needs: names that it binds give way to them
        parameters = _parameter_names(self.tree)
        bound = _all_bound(self.tree)
        for name in sorted(bound & (self.needed | frozenset(tree.REDUCTION_KINDS))):
            if name in parameters and name in self.needed:
                raise Unprintable(f"the parameter `{name}` hides the word `{name}`, which the function needs: rename it")
            if name not in parameters:
                self.renamed[name] = _fresh(name, bound | self.needed)
        return self._whole_function()

    def _whole_function(self) -> tree.Function:
        node = self.tree
        self.scopes = [bound_names(FunctionValue(node, self, {}))]  # pyright: ignore[reportArgumentType]  (its scope is not asked)
        body = self.block(node.body)
        self.scopes = []
        return replace(
            node, name=self.whole.name_of(self.function), body=body, parameters=tuple(map(self._own_parameter, node.parameters)),
            returns=self.types.returns, type_parameters=self.types.type_parameters, facts=self.types.facts, exported=self.exported,
            decorators=(),
        )  # fmt: skip

    def _own_parameter(self, node: tree.Parameter) -> tree.Parameter:
        """A parameter with its type, and the value that its default has."""
        default = None
        given = _default(self.function, node.name)
        if given:
            (value,) = given
            if not self.exported and type(value) in (int, float, complex):
                raise Unprintable(f"the default of `{node.name}` in `{self.function.__name__}` is a number, which is read at each call")
            default = _literal(value, node, f"the default of `{node.name}`")
        return replace(node, annotation=self.types.parameters.get(node.name), default=default)

    # ---- walking ----

    def mapped(self, node: Any) -> Any:
        if type(node) is tuple:
            return tuple([self.mapped(part) for part in node])
        row = _ROWS.get(type(node))
        return row(self, node) if row is not None else self.parts(node)

    def parts(self, node: Any) -> Any:
        fields = _FIELDS.get(type(node))
        return node if fields is None else type(node)(node.span, *[self.mapped(getattr(node, name)) for name in fields])

    def block(self, nodes: tuple[Any, ...]) -> tuple[Any, ...]:
        found: list[Any] = []
        for node in nodes:
            if not (type(node) is tree.AnnotatedAssign and node.value is None):
                found.append(self.mapped(node))
        return tuple(found)

    def if_(self, node: tree.If) -> Any:
        return tree.If(node.span, self.mapped(node.test), self._inner(node.then), self.block(node.otherwise))

    def for_(self, node: tree.For) -> Any:
        body, otherwise = self._inner(node.body), self.block(node.otherwise)
        return tree.For(node.span, self.mapped(node.target), self.mapped(node.iterable), body, otherwise)

    def while_(self, node: tree.While) -> Any:
        return tree.While(node.span, self.mapped(node.test), self._inner(node.body), self.block(node.otherwise))

    def _inner(self, nodes: tuple[Any, ...]) -> tuple[Any, ...]:
        return self.block(nodes) or (tree.Pass(nodes[0].span),)

    def annotated(self, node: tree.AnnotatedAssign) -> Any:
        """Types of local names say nothing to the evaluator."""
        return tree.Assign(node.span, (self.mapped(node.target),), self.mapped(node.value))

    def import_(self, node: tree.Import) -> Any:
        raise Unprintable("an import inside a function has no form in .stx")

    def inner_function(self, node: tree.Function) -> Any:
        if node.decorators:
            raise Unprintable(f"the decorators of `{node.name}` have no form in .stx")
        plain = [replace(one, annotation=None, default=self.mapped(one.default)) for one in node.parameters]
        self.scopes.append(bound_names(FunctionValue(node, self, {})))  # pyright: ignore[reportArgumentType]
        body = self._inner(node.body) if node.body else ()
        self.scopes.pop()
        return replace(node, name=self._own(node.name), parameters=tuple(plain), body=body, returns=None, type_parameters=(), facts=())

    def lambda_(self, node: tree.Lambda) -> Any:
        return tree.Lambda(node.span, replace(self.inner_function(node.function), name=node.function.name))

    def comprehension(self, node: tree.Comprehension) -> Any:
        first = self.mapped(node.clauses[0].iterable)
        self.scopes.append(frozenset().union(*[_target_names(clause.target) for clause in node.clauses]))
        clauses = self.mapped(node.clauses)
        found = tree.Comprehension(
            node.span, node.kind, self.mapped(node.key), self.mapped(node.element), (replace(clauses[0], iterable=first), *clauses[1:])
        )
        self.scopes.pop()
        return found

    # ---- names ----

    def _own(self, name: str) -> str:
        return self.renamed.get(name, name)

    def is_bound(self, name: str) -> bool:
        return any(name in scope for scope in self.scopes)

    def name(self, node: tree.Name) -> Any:
        return tree.Name(node.span, self._own(node.id)) if self.is_bound(node.id) else self._outside(node)

    def attribute(self, node: tree.Attribute) -> Any:
        root: Any = node
        while type(root) is tree.Attribute:
            root = root.value
        if type(root) is tree.Name and not self.is_bound(root.id) and self._object(node.value, ModuleType) is not None:
            return self._outside(node)
        if self._object(node.value) is not None:
            raise Unprintable(f"`{_path(node)}` is an attribute of a Python object, of which .stx knows nothing")
        return tree.Attribute(node.span, self.mapped(node.value), node.name)

    def _object(self, node: Any, kind: type = object) -> Any:
        """The Python object that a name outside the function, or a path through modules, is bound to; None where it is no `kind`."""
        found: Any = None
        if type(node) is tree.Name and not self.is_bound(node.id):
            try:
                found = self.lookup(node.id)
            except NameError:
                raise Unprintable(f"the name `{node.id}` is not defined") from None
        elif type(node) is tree.Attribute:
            owner = self._object(node.value, ModuleType)
            found = getattr(owner, node.name, None)
        return found if isinstance(found, kind) else None

    def call(self, node: tree.Call) -> Any:
        function = node.function
        target = self._object(function) if type(function) in (tree.Name, tree.Attribute) else None
        if target is not None and _hashable(target) in _GENERATORS and _is_generator(node):
            return tree.Call(node.span, tree.Name(function.span, self._word(target.__name__)), self.mapped(node.arguments))
        meaning = names.resolve(target) if target is not None else None
        if meaning is not None and _EXTREMES.get(meaning.name) and type(meaning) is FunctionMeaning:
            return self._extreme(node, _EXTREMES[meaning.name])
        return self.parts(node)

    def _extreme(self, node: tree.Call, word: str) -> Any:
        """`np.max(x, 1)`: the word `max` takes the axis by its name."""
        given = node.arguments
        if not given or any(type(one) is tree.Starred for one in given) or len(given) > len(_EXTREME_PARAMETERS):
            raise Unprintable(f"`{word}` of .stx takes its options by name")
        named = [tree.Keyword(one.span, name, one) for name, one in zip(_EXTREME_PARAMETERS[1:], given[1:], strict=False)]
        if any(one.name in ("out", "a", None) for one in (*named, *node.keywords)):
            raise Unprintable(f"`{word}` of .stx has no `out`: assign to the elements of an array")
        function = tree.Name(node.function.span, self._word(word))
        return tree.Call(node.span, function, self.mapped(given[:1]), self.mapped((*named, *node.keywords)))

    def _word(self, word: str) -> str:
        self.needed.add(word)
        return word

    def _outside(self, node: Any) -> Any:
        value = self._object(node)
        if value is None and type(node) is tree.Attribute and not hasattr(self._object(node.value), node.name):
            raise Unprintable(f"there is no `{_path(node)}`")
        if isinstance(value, FunctionType) or isinstance(getattr(value, "__wrapped__", None), FunctionType):
            return self._function(node, value)
        word = word_of(value)
        if word is not None:
            module, _, last = word.rpartition(".")
            if not module:
                return tree.Name(node.span, self._word(word))
            self.whole.imports.add(self._word(module))
            return tree.Attribute(node.span, tree.Name(node.span, module), last)
        if type(node) is tree.Name and type(value) in (int, float, complex):
            raise Unprintable(f"`{node.id}` is a number of the Python module, read again at each call: make it a parameter")
        if isinstance(value, np.ndarray):
            raise Unprintable(f"`{_path(node)}` is an array of the Python module: make it a parameter")
        if callable(value) and not isinstance(value, DType) and size_of_dim(value) is None:
            raise Unprintable(f"`{_path(node)}` has no word in .stx")
        return self._size(node, value) or _literal(value, node, f"`{_path(node)}`")

    def _size(self, node: Any, value: Any) -> Any:
        size = size_of_dim(value)
        if size is None:
            return None
        if str(size) not in self.types.sizes:
            raise Unprintable(f"`{size}` stands in no type of the kernel's parameters")
        return tree.Name(node.span, self._word(str(size)))

    def _function(self, node: Any, value: Any) -> Any:
        known = word_of(value)
        if known is not None:
            return tree.Name(node.span, self._word(known))
        function: Any = value if isinstance(value, FunctionType) else value.__wrapped__
        if function is not value and type(value).__module__.partition(".")[0] != "staxlang":
            raise Unprintable(f"`{_path(node)}` is wrapped by {type(value).__name__}")
        if "__stx__" in function.__dict__:
            raise Unprintable(f"`{_path(node)}` is a definition of a .stx file already")
        if names.resolve(value) is not None:
            raise Unprintable(f"`{_path(node)}` has no word in .stx")
        return tree.Name(node.span, self._word(self.whole.name_of(function)))


_ROWS: dict[type, Any] = {
    tree.Name: _Definition.name, tree.Attribute: _Definition.attribute, tree.Call: _Definition.call, tree.Lambda: _Definition.lambda_,
    tree.Comprehension: _Definition.comprehension, tree.Function: _Definition.inner_function, tree.If: _Definition.if_,
    tree.For: _Definition.for_, tree.While: _Definition.while_, tree.AnnotatedAssign: _Definition.annotated,
    tree.Import: _Definition.import_,
}  # fmt: skip


# ---- words and literals ----


def word_of(value: Any) -> str | None:
    """The name that a .stx file has for a Python object: an operation, a dtype, a function of the library, one of Python's own."""
    meaning = names.resolve(value) if value is not None else None
    if isinstance(meaning, UfuncMeaning):
        found = names.word(meaning.row)
        return meaning.row if isinstance(found, UfuncMeaning) and found.row == meaning.row else None
    if isinstance(meaning, DTypeMeaning):
        return "bool_" if meaning.dtype.name == "bool" else meaning.dtype.name
    if isinstance(meaning, LibraryMeaning):
        return meaning.function if names.word(meaning.function) is None else None
    if isinstance(meaning, FunctionMeaning):
        if meaning is SPELLINGS["np.where"] or meaning is SPELLINGS["stax.where"]:
            return "where"
        spelled = [key[5:] for key, one in SPELLINGS.items() if key.startswith("word.") and isinstance(one, FunctionMeaning)
                   and one.function is meaning.function]  # fmt: skip
        return spelled[0] if spelled else None
    constant = next((name for name, one in WORD_CONSTANTS.items() if one is value and isinstance(one, type)), None)
    if constant is not None:
        return constant
    name = getattr(value, "__name__", "") if callable(value) else ""
    own = name and getattr(builtins, name, None) is value
    return name if own and names.word(name) is None and name not in library_index() else None


def _literal(value: Any, node: Any, what: str) -> Any:
    """A static value as it is written."""
    span = node.span
    if isinstance(value, DType) or isinstance(value, np.dtype):
        dtype = value if isinstance(value, DType) else from_numpy(value)
        if dtype is not None:
            return tree.Name(span, "bool_" if dtype.name == "bool" else dtype.name)
    if isinstance(value, np.generic) and from_numpy(value.dtype) is not None and value.dtype.kind in "iufb":
        name = tree.Name(span, word_of(type(value)) or "")
        return tree.Call(span, name, (_literal(value.item(), node, what),))
    if type(value) is tuple:
        return tree.TupleExpression(span, tuple([_literal(item, node, what) for item in value]))
    if isinstance(value, (int, float)) and (value < 0 or (value == 0 and str(value)[0] == "-")):
        return tree.Unary(span, "-", _literal(-value, node, what))
    if type(value) is float and value != value:
        return tree.Name(span, "nan")
    if type(value) in (int, float, str, bytes, bool) or value is None or value is Ellipsis:
        return tree.Constant(span, value)
    raise Unprintable(f"{what} is a Python object, of which .stx knows nothing ({type(value).__name__})")


def _default(function: FunctionType, name: str) -> tuple[Any, ...]:
    """The default that a parameter has now, as the only element; nothing where it has none."""
    keyword = function.__kwdefaults__ or {}
    if name in keyword:
        return (keyword[name],)
    code, defaults = function.__code__, function.__defaults__ or ()
    place = code.co_varnames.index(name) - (code.co_argcount - len(defaults))
    return defaults[place : place + 1] if 0 <= place < len(defaults) else ()


def _parameter_names(node: Any) -> frozenset[str]:
    """The names of the parameters of a function and of those inside it."""
    found = {one.name for one in node.parameters} if type(node) is tree.Function else set[str]()
    for child in children(node):
        found |= _parameter_names(child)
    return frozenset(found)


def _all_bound(node: Any) -> frozenset[str]:
    """The names that a function binds, with those of the functions and comprehensions inside it."""
    found: set[str] = set()
    if type(node) is tree.Function:
        found |= bound_names(FunctionValue(node, None, {}))  # pyright: ignore[reportArgumentType]
    if type(node) is tree.Clause:
        found |= _target_names(node.target)
    for child in children(node):
        found |= _all_bound(child)
    return frozenset(found)


def _target_names(target: Any) -> frozenset[str]:
    if type(target) is tree.Name:
        return frozenset((target.id,))
    return frozenset().union(*map(_target_names, children(target)))


def _is_generator(node: tree.Call) -> bool:
    argument = node.arguments[0] if len(node.arguments) == 1 and not node.keywords else None
    return type(argument) is tree.Comprehension and argument.kind == "generator"


def _hashable(value: Any) -> Any:
    return value if isinstance(value, type(len)) else None


def _path(node: Any) -> str:
    return node.id if type(node) is tree.Name else f"{_path(node.value)}.{node.name}"
