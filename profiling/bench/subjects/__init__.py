"""The subjects of the benchmarks. Each module has a context manager `case` that yields a `Case`.

The keyword parameters of `case` are the options of the subject's command.
"""
