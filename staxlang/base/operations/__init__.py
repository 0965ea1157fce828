"""The table of operations: every scalar operation, declared once; the dtype rules and constant folding that follow from it."""

from staxlang.base.operations.arithmetic import ARITHMETIC_ROWS
from staxlang.base.operations.bits import BIT_ROWS
from staxlang.base.operations.comparison import COMPARISON_ROWS
from staxlang.base.operations.constants import evaluate_constant
from staxlang.base.operations.exponential import EXPONENTIAL_ROWS
from staxlang.base.operations.floating import FLOATING_ROWS
from staxlang.base.operations.operation import OPERAND_NAMES, Operation
from staxlang.base.operations.rules import loop_for, result_type
from staxlang.base.operations.special import SPECIAL_ROWS
from staxlang.base.operations.trigonometric import TRIGONOMETRIC_ROWS

OPERATION_ROWS: tuple[Operation, ...] = (
    *ARITHMETIC_ROWS, *EXPONENTIAL_ROWS, *TRIGONOMETRIC_ROWS, *COMPARISON_ROWS, *BIT_ROWS, *FLOATING_ROWS, *SPECIAL_ROWS,
)  # fmt: skip
OPERATIONS: dict[str, Operation] = {operation.name: operation for operation in OPERATION_ROWS}

__all__ = ["OPERAND_NAMES", "OPERATIONS", "OPERATION_ROWS", "Operation", "evaluate_constant", "loop_for", "result_type"]
