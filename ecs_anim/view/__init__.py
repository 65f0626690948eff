"""Who looks, and what light falls: cameras, frustums, passes, rows to draw."""
