"""Data that kernels need to play assets: clip tables, motions and state machines."""
