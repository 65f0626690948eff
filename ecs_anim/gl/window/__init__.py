"""The window with its mouse control and its text overlay."""
