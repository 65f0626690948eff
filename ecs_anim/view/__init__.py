"""Views and lights: cameras, frustums, passes, rows to draw."""
