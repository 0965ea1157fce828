"""Loops that stay in the program: their body is evaluated once, for any round."""
