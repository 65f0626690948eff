"""The window, its mouse and its overlay."""
