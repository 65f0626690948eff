"""Worlds: their components, columns, time, snapshots and jumps. This package does not depend on animation."""
