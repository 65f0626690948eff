"""The benchmarks, with one module per subject. Each module has a context manager `case` that yields a `Case`.

The keyword parameters of `case` become the options of the command.
"""
