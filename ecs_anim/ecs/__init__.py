"""Worlds: their components, columns, time, snapshots and jumps.

The package `ecs_anim.ecs` contains no code about animation.
"""
