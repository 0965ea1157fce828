"""The catalogue of diagnostics: one row each for everything Stax can complain of, by subject."""

from staxlang.base.catalogue.api import API_ROWS
from staxlang.base.catalogue.calls import CALL_ROWS
from staxlang.base.catalogue.evaluation import EVALUATION_ROWS
from staxlang.base.catalogue.kind import DiagnosticKind
from staxlang.base.catalogue.language import LANGUAGE_ROWS
from staxlang.base.catalogue.runtime import RUNTIME_ROWS
from staxlang.base.catalogue.sizes import SIZE_ROWS
from staxlang.base.catalogue.syntax import SYNTAX_ROWS
from staxlang.base.catalogue.values import VALUE_ROWS

_SUBJECTS = (LANGUAGE_ROWS, SYNTAX_ROWS, CALL_ROWS, EVALUATION_ROWS, SIZE_ROWS, VALUE_ROWS, API_ROWS, RUNTIME_ROWS)
CATALOGUE: dict[str, DiagnosticKind] = {row.code: row for rows in _SUBJECTS for row in rows}

__all__ = ["CATALOGUE", "DiagnosticKind"]
