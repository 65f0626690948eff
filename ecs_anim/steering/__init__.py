"""Steering: agents go where they want to, and keep clear of each other and of walls."""
