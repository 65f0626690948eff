"""The walking body: its feet and its gait. A velocity, steering or a path can move the root of a body."""
