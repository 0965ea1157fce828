"""base: the vocabulary of all rooms - spans, diagnostics, dtypes, symbolic sizes, types, the table of operations."""
