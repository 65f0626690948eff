"""Steering: agents move towards their goals, and avoid each other and walls."""
