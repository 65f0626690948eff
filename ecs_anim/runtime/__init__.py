"""Data for playing assets: clip tables, motions and state machines."""
