"""Files for tests, written by code that shares nothing with the readers."""
