"""NumPy's surface: what the names of NumPy, math and Python mean on abstract values, one module per subject."""
