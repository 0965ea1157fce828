"""The LLVM emitter: a Schedule in, the text of an LLVM module out (`program.emit`).

Nothing is imported here: a process that only loads stored code needs `entry_plan` and `support` of this package, not the emitter.
"""
