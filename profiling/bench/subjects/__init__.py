"""The benchmarks, one module per subject. Each module has a context manager `case` that yields a `Case`.

The keyword parameters of `case` are the options of the subject's command.
"""
