"""The state and the time of worlds: components with columns, snapshots and jumps. Nothing here depends on animation."""
