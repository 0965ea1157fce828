"""Graph nodes to loop definitions: one module for each group of operations, each with a table of rows keyed by operation."""
