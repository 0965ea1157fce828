"""Diagnostics: the exact text, its limits, exceptions of two kinds, advice."""

from __future__ import annotations

import pickle

import pytest

from staxlang.base.catalogue import CATALOGUE
from staxlang.base.diagnostics import MAX_LINES, Diagnostic, Note, StaxError, diagnose, error_of, raise_diagnostics
from staxlang.base.spans import Source, Span

MODEL = Source("model.py", "def project(\n    x,\n    w,\n):\n    return x @ w\n", first_line=10)


def check_text(diagnostic: Diagnostic, text: str) -> None:
    assert diagnostic.render() == text.strip("\n")


def test_the_text_with_its_place_and_the_origin_of_each_size() -> None:
    check_text(
        diagnose(
            "size-mismatch",
            Span(MODEL, 14, 11, 14, 16),
            [
                Note(Span(MODEL, 11, 4, 11, 5), "x: f32[N, D]   D is the last axis of parameter x"),
                Note(Span(MODEL, 12, 4, 12, 5), "w: f32[K, D]   K is the first axis of parameter w"),
            ],
            help="did you mean `x @ w.T`?",
            operation="@",
            left="D",
            right="K",
        ),
        """
error[size-mismatch]: the contracted axes of `@` differ: D and K
  --> model.py:14:12
   |
14 |     return x @ w
   |            ^^^^^
   | x: f32[N, D]   D is the last axis of parameter x (line 11)
   | w: f32[K, D]   K is the first axis of parameter w (line 12)
   = help: did you mean `x @ w.T`?
""",
    )


def test_without_a_place() -> None:
    check_text(
        diagnose("unknown-option", operation="stax.kernel", name="fastmath", notes=["options are fast_math, checked"]),
        """
error[unknown-option]: `stax.kernel` has no option `fastmath`
   | options are fast_math, checked
""",
    )


def test_a_note_in_another_file_names_it() -> None:
    other = Source("lib.py", "k = 1\n")
    text = diagnose("unknown-name", Span(MODEL, 14, 11, 14, 12), [Note(Span(other, 1, 0, 1, 1), "used here")], name="x").render()
    assert "   | used here (lib.py:1)" in text


@pytest.mark.parametrize("count", [0, 1, 5, 6, 7, 40])
@pytest.mark.parametrize("help", ["", "try it"])
@pytest.mark.parametrize("place", [None, Span(MODEL, 14, 11, 14, 16)])
def test_never_more_than_twelve_lines(count: int, help: str, place: Span | None) -> None:
    diagnostic = diagnose("unknown-name", place, [f"note {k}" for k in range(count)], help=help, name="x")
    lines = diagnostic.render().splitlines()
    assert len(lines) <= MAX_LINES == 12
    shown = sum("note " in line for line in lines)
    if shown < count:
        assert f"... and {count - shown} more" in lines[-1 - bool(help)]
    assert ("= help: try it" in lines[-1]) == bool(help)


@pytest.mark.parametrize(
    "text, columns, carets",
    [
        ("x = yy + 1", (4, 6), "    ^^"),
        ("\tx = y", (1, 2), " ^"),
        ("名 = y", (0, 1), "^^"),
        ("名前 = y", (5, 6), "       ^"),
        ("e\u0301 = y", (0, 2), "^"),
        ("x", (1, 1), " ^"),
        ("", (0, 0), "^"),
    ],
)
def test_carets_stand_below_what_they_mean(text: str, columns: tuple[int, int], carets: str) -> None:
    source = Source("a.py", text)
    lines = diagnose("unknown-name", Span(source, 1, columns[0], 1, columns[1]), name="x", help="").render().splitlines()
    assert lines[3] == f"1 | {text.replace(chr(9), ' ')}".rstrip()
    assert lines[4] == f"  | {carets}"


def test_a_span_over_several_lines_shows_the_first() -> None:
    lines = diagnose("unknown-name", Span(MODEL, 10, 4, 13, 2), name="x", help="").render().splitlines()
    assert lines[3] == "10 | def project(" and lines[4] == "   |     ^^^^^^^^ ..."


def test_a_long_line_is_cut_around_the_caret() -> None:
    text = "value = " + " + ".join(f"item{k:03}" for k in range(100))
    column = text.index("item060")
    lines = diagnose("unknown-name", Span(Source("a.py", text), 1, column, 1, column + 7), name="x").render().splitlines()
    assert all(len(line) <= 120 for line in lines[3:5])
    assert lines[3][lines[4].index("^") : lines[4].rindex("^") + 1] == "item060"
    assert lines[3].startswith("1 | ... ") and lines[3].endswith(" ...")


def test_a_message_of_several_lines_becomes_one() -> None:
    assert "\n" not in diagnose("static-error", error="a\nb", help="").render()


def test_exceptions_are_of_both_kinds() -> None:
    with pytest.raises(ValueError, match=r"size-mismatch") as caught:
        raise_diagnostics([diagnose("size-mismatch", operation="@", left="D", right="K")])
    assert isinstance(caught.value, StaxError)
    assert caught.value.code == "size-mismatch" and len(caught.value.diagnostics) == 1
    for code, kind in (("unknown-name", NameError), ("index-out-of-range", IndexError), ("missing-key", KeyError)):
        fields = dict.fromkeys(CATALOGUE[code].fields, "x")
        error = error_of([diagnose(code, **fields)])
        assert isinstance(error, kind) and isinstance(error, StaxError)
        assert str(error).startswith(f"error[{code}]: ")


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_row_can_be_made_and_raised(code: str) -> None:
    kind = CATALOGUE[code]
    diagnostic = diagnose(code, Span(MODEL, 14, 11, 14, 16), **dict.fromkeys(kind.fields, "thing"))
    assert len(diagnostic.render().splitlines()) <= MAX_LINES
    assert "{" not in diagnostic.message.replace("`{`", "")
    error = error_of([diagnostic])
    assert isinstance(error, kind.raises)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and again.diagnostics == error.diagnostics and str(again) == str(error)


def test_errors_come_before_warnings_and_all_are_told() -> None:
    warning = diagnose("fallback-numpy", kernel="f", reason="it must")
    mistake = diagnose("unknown-name", name="x")
    error = error_of([warning, mistake])
    assert isinstance(error, NameError) and error.diagnostics == (mistake, warning)
    assert str(error).count("[") == 2


def test_slips_in_reporting_are_found() -> None:
    with pytest.raises(LookupError, match="no diagnostic"):
        diagnose("no-such-code")
    with pytest.raises(LookupError, match="needs the field 'name'"):
        diagnose("unknown-name")
    with pytest.raises(ValueError, match="needs a diagnostic"):
        error_of([])
