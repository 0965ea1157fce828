"""EntryPlan: everything a native entry does, as data - how objects are reached and what they must be, what is computed, what is returned.

The same plan serves the emitter of the native entry (entry.py) and the runtime's own matching in Python. A size in it is an int,
a `SizeExpression`, or (in a plan that came from the disk cache) the text of a Python expression over the plan's symbols.

Steps (how an object is reached; `slot` numbers an object that the runtime puts into the entry's table):
    ("parameter", name)     what the call binds to a parameter; before an entry is written it becomes one of the next two
    ("argument", k)         the k-th object of the call's vector (keywords follow the positional ones)
    ("slot", s)             a fixed object: a default, a module
    ("cell", s)             what the closure cell holds
    ("global", d, n)        the value of name n in the globals dict d
    ("item", k)             element k of a tuple or list
    ("key", s)              the value of a dict under key s
    ("attribute", s)        the attribute of that name
    ("method", s)           the function of the bound method that is the attribute of that name
    ("default", f, n, k)    element k of the n defaults of the function in slot f (f < 0: of the parent)
    ("kwdefault", f, s)     likewise the default of the keyword-only parameter with that name

Checks (what it must be):
    ("array", dtype, shape, layout, written)     exactly numpy.ndarray, native, aligned; layout None: row-major, else element strides
    ("numpy scalar", dtype, s)                   exactly the NumPy scalar type in slot s
    ("int",) ("float",) ("bool",) ("complex",)   exactly that Python type; int within 64 bits
    ("frozen", kind, value)                      a Python number of that kind and value
    ("text", s)                                  a str equal to the one in slot s
    ("same", s)                                  that very object
    ("equal", s)                                 an object of the same type, equal to it (natively only the same one)
    ("function", s, c)                           that very function, its code still the one in slot c
    ("type", s)                                  an object of exactly that type
    ("tuple", n) ("list", n)                     exactly that type and length
    ("dict", slots)                              exactly dict, with these keys in this order
    ("alias", place)                             the same object as that place's
    ("any",)                                     anything
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from staxlang.base.records import NamedTuple

if TYPE_CHECKING:
    from staxlang.base.sizes import Size


class Place(NamedTuple):
    """An object that the entry looks at; `parent` is the place it is reached from (-1: none), `path` its name in the user's words.

    `asked` says who asked for the check: (line, reason), line 0 where there is none.
    """

    parent: int
    step: tuple[Any, ...]
    check: tuple[Any, ...]
    path: str
    asked: tuple[int, str] = (0, "")


class Output(NamedTuple):
    """An array that the program fills; `slot` holds its NumPy dtype object. Outputs of rank 0 are filled in place on the stack.

    `order` lists its axes as they lie in memory, innermost first; () is row-major.
    """

    dtype: str
    itemsize: int
    shape: tuple[Size, ...]
    slot: int
    order: tuple[int, ...] = ()


class EntryPlan(NamedTuple):
    """One version's call from Python objects to Python objects.

    `result` is a tree: ("array", k) output k; ("scalar", k) output k as a NumPy scalar; ("number", k, kind) output k as a Python number;
    ("object", place) that very object; ("view", place, dtype slot, shape, strides, offset, writable) of an input, in elements;
    ("part", k, dtype slot, shape, strides, offset, writable) of output k; ("size", size);
    ("static", slot); ("tuple", items); ("build", slot, items): what the callable in the slot makes of the items.
    `gate` is the dtype of the value that a guard replay computes (then `result` is not used). `above` has an item for each gate above,
    outermost first: the counted size that its value is, None where the value decides; `outcome` is the 64 bits that the innermost gate's
    value must have, None where it counts.
    """

    positional: int
    keywords: tuple[int, ...]
    places: tuple[Place, ...]
    symbols: tuple[tuple[str, int], ...]  # (symbol, place of an int): symbols that are bound by numbers, not by extents
    conditions: tuple[Any, ...]  # Conditions; in a plan with texts (relation, left, right, asked)
    arrays: tuple[int, ...]
    scalars: tuple[tuple[int, str], ...]
    sizes: tuple[str, ...]
    outputs: tuple[Output, ...]
    result: tuple[Any, ...]
    work: Size = 0
    arena: Size = 0
    gate: str | None = None
    outcome: int | None = None
    separate: bool = False  # the caller promises that written arrays do not overlap others
    slots: int = 0
    fail: int = -1  # slot of the callable that raises for a failed run-time check
    above: tuple[str | None, ...] = ()
    late: tuple[tuple[int, int], ...] = ()  # (place, place): the first array is read when the second has been written to


class HeaderLayout(NamedTuple):
    """Offsets in bytes from an object's start, of 64-bit CPython and NumPy 2. The runtime measures and tests them.

    `dict_tag` is 0 where dicts carry no version tag.
    """

    type: int = 8
    value: int = 16  # of float, complex, NumPy scalars, cells
    tuple_items: int = 24
    list_items: int = 24
    var_size: int = 16
    dict_size: int = 16
    dict_tag: int = 24
    array_data: int = 16
    array_rank: int = 24
    array_dims: int = 32
    array_strides: int = 40
    array_descr: int = 56
    array_flags: int = 64
    descr_word: int = 24
