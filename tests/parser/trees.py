"""Trees drawn by hypothesis: every class of node, in every place where a text can put it."""

from __future__ import annotations

import keyword
from typing import Any

from hypothesis import strategies as st

from staxlang.base.spans import Source, Span
from staxlang.parser import tree
from staxlang.parser.docstrings import clean_docstring

AT = Span(Source("drawn", ""), 1, 0, 1, 0)
_WORDS = {*keyword.kwlist, "true", "false", "none", "raise", "class", "kernel"}

names = st.text("abcdefgxyzé_T0129", min_size=1, max_size=4).filter(lambda n: n.isidentifier() and n not in _WORDS)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ['"', "'", "\\", "\n", '"""', "''' \"", "{x}", "#", ""]
)
names_or_dotted = st.lists(names, min_size=1, max_size=2).map(".".join)


def make(kind: Any, *parts: Any) -> Any:
    return st.builds(kind, st.just(AT), *parts)


def tuples(strategy: Any, least: int = 0, most: int = 3) -> Any:
    return st.lists(strategy, min_size=least, max_size=most).map(tuple)


COMPARISONS = ["==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"]
floats = st.floats(min_value=0.0, allow_nan=False)
constants = make(
    tree.Constant,
    st.integers(0, 10**30)
    | floats
    | floats.map(lambda v: complex(0, v))
    | texts
    | st.binary(max_size=5)
    | st.sampled_from([True, False, None, ...]),
)
name_nodes = make(tree.Name, names)


def _plain_constant(value: Any) -> bool:
    """A constant that an f-string's field can hold in every Python: without a backslash, a quote or a `#`."""
    text = value.value
    return not isinstance(text, (str, bytes)) or (isinstance(text, str) and text.isalnum())


def _formatted(expressions: Any) -> Any:
    fields = st.tuples(
        make(tree.Name, names) | make(tree.Binary, st.sampled_from(["+", "**"]), name_nodes, constants.filter(_plain_constant))
        | make(tree.DictExpression, st.just(()))
        | make(tree.Compare, name_nodes, st.just(("!=",)), tuples(name_nodes, 1, 1))
        | make(tree.Conditional, name_nodes, name_nodes, name_nodes),
        st.sampled_from(["", "r", "s", "a"]),
        st.sampled_from(["", ">3", ".2f"])
        | make(tree.FormattedString, st.tuples(st.just(">"), st.tuples(name_nodes, st.just(""), st.just("")))),
    )  # fmt: skip
    literal = texts.filter(bool)
    return make(tree.FormattedString, st.lists(literal | fields, max_size=4).map(_join_texts))


def _join_texts(parts: list[Any]) -> tuple[Any, ...]:
    found: list[Any] = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        else:
            found.append(part)
    return tuple(found)


def _targets(expressions: Any) -> Any:
    single = name_nodes | make(tree.Attribute, expressions, names) | make(tree.Subscript, expressions, expressions)
    starred = make(tree.Starred, name_nodes)
    several = st.tuples(st.lists(single, min_size=1, max_size=3), st.none() | starred).map(
        lambda drawn: tuple(drawn[0]) if drawn[1] is None else (*drawn[0][:1], drawn[1], *drawn[0][1:])
    )
    return single | make(tree.TupleExpression, several) | make(tree.ListExpression, several)


def _parameters(annotated: bool) -> Any:
    simple = constants | name_nodes
    annotation = st.none() | simple if annotated else st.none()

    def build(drawn: tuple[Any, ...]) -> tuple[tree.Parameter, ...]:
        unique, only, optional, keywords, star, double, extras = drawn
        found: list[tree.Parameter] = []
        for place, (name, (note, default)) in enumerate(zip(unique, extras, strict=False)):
            kind = "positional-only" if place < only else "positional" if place < 3 else "keyword"
            has = place >= optional if place < 3 else place in keywords
            found.append(tree.Parameter(AT, name, note, default if has else None, kind))
        note = extras[0][0]
        if star:
            first = next((k for k, p in enumerate(found) if p.kind == "keyword"), len(found))
            found.insert(first, tree.Parameter(AT, "args_", note, None, "varargs"))
        return tuple([*found, tree.Parameter(AT, "kw_", note, None, "varkeywords")] if double else found)

    return st.tuples(
        st.lists(names, unique=True, max_size=5), st.integers(0, 3), st.integers(0, 4), st.sets(st.integers(3, 5)),
        st.booleans(), st.booleans(),
        st.lists(st.tuples(annotation, simple), min_size=5, max_size=5),
    ).map(build)  # fmt: skip


def _index(e: Any) -> Any:
    slices = make(tree.Slice, st.none() | e, st.none() | e, st.none() | e)
    return e | slices | make(tree.TupleExpression, tuples(e | slices | make(tree.Starred, e), 1))


def _extend(e: Any) -> Any:
    clauses = tuples(make(tree.Clause, _targets(e), e, tuples(e, 0, 2)), 1, 2)
    keywords = tuples(make(tree.Keyword, names, e), 0, 2).filter(lambda ks: len({k.name for k in ks}) == len(ks))
    items = e | make(tree.Starred, e)
    return (
        _formatted(e)
        | make(tree.Attribute, e, names)
        | make(tree.Subscript, e, _index(e))
        | make(tree.TupleExpression, tuples(items))
        | make(tree.ListExpression, tuples(items))
        | make(tree.SetExpression, tuples(items, 1))
        | make(tree.DictExpression, tuples(st.tuples(st.none() | e, e)))
        | make(tree.Unary, st.sampled_from(["-", "+", "~", "not"]), e)
        | make(tree.Binary, st.sampled_from("+ - * / // % ** @ & | ^ << >>".split()), e, e)
        | st.tuples(e, st.lists(st.tuples(st.sampled_from(COMPARISONS), e), min_size=1, max_size=2)).map(
            lambda drawn: tree.Compare(AT, drawn[0], tuple(op for op, _ in drawn[1]), tuple(right for _, right in drawn[1]))
        )
        | make(tree.Logical, st.sampled_from(["and", "or"]), tuples(e, 2))
        | make(tree.Conditional, e, e, e)
        | st.tuples(e, tuples(items), keywords, st.booleans(), e).map(
            lambda d: tree.Call(AT, d[0], d[1], (*d[2], tree.Keyword(AT, None, d[4])) if d[3] else d[2])
        )
        | st.tuples(_parameters(False), e).map(lambda d: tree.Lambda(AT, tree.Function(AT, "<lambda>", d[0], (tree.Return(AT, d[1]),))))
        | st.tuples(st.sampled_from(["list", "set", "generator", "dict"]), e, e, clauses).map(
            lambda d: tree.Comprehension(AT, d[0], d[1] if d[0] == "dict" else None, d[2], d[3])
        )
        | make(tree.NamedExpression, name_nodes, e)
    )


expressions = st.recursive(constants | name_nodes, _extend, max_leaves=6)
docs = st.none() | st.text(st.sampled_from("ab \"\\\n\t'{é"), max_size=30).map(clean_docstring)


def _statements(e: Any, functions: Any) -> Any:
    several = make(tree.TupleExpression, tuples(e | make(tree.Starred, e), 1))
    value = e | several
    simple = (
        make(tree.Assign, tuples(_targets(e), 1, 2), value)
        | make(
            tree.AugmentedAssign,
            name_nodes | make(tree.Subscript, e, _index(e)),
            st.sampled_from("+ - * / // % ** @ & | ^ << >>".split()),
            value,
        )
        | make(tree.AnnotatedAssign, name_nodes, e, st.none() | value)
        | make(tree.Return, st.none() | value)
        | make(tree.Assert, e, st.none() | e)
        | make(tree.ExpressionStatement, value).filter(lambda s: not _is_text(s))
        | st.sampled_from([tree.Break(AT), tree.Continue(AT), tree.Pass(AT)])
    )

    def compound(inner: Any) -> Any:
        body, rest = tuples(inner, 1, 2), tuples(inner, 0, 2)
        found = (
            make(tree.If, e, body, rest)
            | make(tree.For, _targets(e), value, body, rest)
            | make(tree.While, e, body, rest)
            | make(tree.With, tuples(st.tuples(e, st.none() | _targets(e)), 1, 2), body)
        )
        return found | _functions(e, body, False) if functions else found

    return st.recursive(simple, compound, max_leaves=4)


def _is_text(statement: Any) -> bool:
    return isinstance(statement.value, tree.Constant) and isinstance(statement.value.value, str)


def _functions(e: Any, body: Any, exported: Any) -> Any:
    return st.builds(
        lambda name, parameters, body, returns, doc, out: tree.Function(AT, name, parameters, body, returns, doc, (), (), out),
        names, _parameters(True), body, st.none() | e, docs, st.just(False) if exported is False else exported,
    )  # fmt: skip


statements = _statements(expressions, True)
functions = _functions(expressions, tuples(statements, 1, 3), False)
kernels = _functions(expressions, tuples(statements, 1, 3), st.booleans())
facts = tuples(
    make(tree.Compare, expressions, st.just(("<=",)), tuples(expressions, 1, 1))
    | st.tuples(names, names).map(lambda pair: tree.Compare(AT, tree.Name(AT, pair[0]), ("in",), (tree.Name(AT, pair[1]),))),
    0, 2,
)  # fmt: skip
imports = make(tree.Import, names_or_dotted, st.just(()), st.none() | names) | make(
    tree.Import, names_or_dotted | names_or_dotted.map(".".__add__), tuples(st.tuples(names, st.none() | names), 1, 2), st.none()
)
