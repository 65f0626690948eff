"""The walking body: its feet and its pace, independent of the system that moves its root."""
