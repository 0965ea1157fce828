"""Rewriting of graphs: tables of named rules keyed by operation, driven to a fixed point (see pipeline.py)."""
