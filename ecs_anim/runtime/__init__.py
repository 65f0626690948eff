"""Assets made ready to play: clip tables, motions, state machines."""
