"""General tools: errors, files, limits, memory, progress, timings and pictures."""
