"""Cameras, view frustums, lights and label passes. The package `ecs_anim.view` does not use OpenGL."""
