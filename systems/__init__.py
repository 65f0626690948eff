"""Behaviour: one file a system, and `schedule`, the one place where their order is written."""
