"""All programs, by name."""

from tests.programs import (
    algorithms,
    checksums,
    dense,
    experiments,
    flows,
    idioms,
    masks,
    particles,
    pictures,
    recurrences,
    sparse,
    statistics,
    stencils,
    weather,
)
from tests.programs.table import Program

FAMILIES = (
    weather,
    stencils,
    flows,
    dense,
    recurrences,
    masks,
    sparse,
    pictures,
    checksums,
    particles,
    statistics,
    idioms,
    experiments,
    algorithms,
)
PROGRAMS: list[Program] = [row for family in FAMILIES for row in family.ROWS]
