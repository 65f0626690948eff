"""Data that kernels need for the playback of characters: clip tables, motions and state machines."""
