"""State and time, nothing of bodies: worlds, columns, snapshots, jumps."""
