"""State and time of worlds, independent of animation: columns, snapshots and jumps."""
