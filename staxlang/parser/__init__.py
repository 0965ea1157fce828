"""Text in, Tree out: Python's subset and .stx, and both back again."""
