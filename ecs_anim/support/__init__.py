"""General tools for errors, files, limits, memory, progress, timings and pictures."""
