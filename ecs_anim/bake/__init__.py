"""Bakes: all clips of a rig in one atlas of rows, small enough for a GPU, kept in files that say what they hold."""
