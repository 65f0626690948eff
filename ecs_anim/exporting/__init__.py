"""Crowds as files of other programs: what happens is recorded once, and written as glTF or USD."""
