"""The subjects. Each module has a context manager `case`. Its keyword parameters are options. It yields a `Case`."""
