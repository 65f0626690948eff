"""Loader that converts glTF 2.0 files and VRM files to rigs."""
