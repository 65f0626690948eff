"""The walking body: its feet and its gait. A velocity, steering or a path moves the root of a body."""
