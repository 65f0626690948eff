"""The walking body: its feet and its gait, independent of the system that moves its root."""
