"""Loading of glTF files as assets."""
