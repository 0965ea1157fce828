"""The catalogue of diagnostics: one row each for everything Stax can complain of, by subject."""

from staxlang.base.catalogue.ahead import AHEAD_ROWS
from staxlang.base.catalogue.api import API_ROWS
from staxlang.base.catalogue.calls import CALL_ROWS
from staxlang.base.catalogue.command import COMMAND_ROWS
from staxlang.base.catalogue.evaluation import EVALUATION_ROWS
from staxlang.base.catalogue.externs import EXTERN_ROWS
from staxlang.base.catalogue.index_notation import INDEX_ROWS
from staxlang.base.catalogue.kind import DiagnosticKind
from staxlang.base.catalogue.language import LANGUAGE_ROWS
from staxlang.base.catalogue.modules import MODULE_ROWS
from staxlang.base.catalogue.runtime import RUNTIME_ROWS
from staxlang.base.catalogue.sizes import SIZE_ROWS
from staxlang.base.catalogue.syntax import SYNTAX_ROWS
from staxlang.base.catalogue.values import VALUE_ROWS

SUBJECTS: dict[str, tuple[DiagnosticKind, ...]] = {
    "What the language does not hold": LANGUAGE_ROWS,
    "Syntax of .stx": SYNTAX_ROWS,
    "Modules of .stx": MODULE_ROWS,
    "Names and calls": CALL_ROWS,
    "Evaluation": EVALUATION_ROWS,
    "Shapes and sizes": SIZE_ROWS,
    "Index notation": INDEX_ROWS,
    "Dtypes and values": VALUE_ROWS,
    "The API": API_ROWS,
    "Compiling and running": RUNTIME_ROWS,
    "The command line": COMMAND_ROWS,
    "Building ahead of time": AHEAD_ROWS,
    "Extern operations": EXTERN_ROWS,
}
CATALOGUE: dict[str, DiagnosticKind] = {row.code: row for rows in SUBJECTS.values() for row in rows}

__all__ = ["CATALOGUE", "SUBJECTS", "DiagnosticKind"]
