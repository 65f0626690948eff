"""General tools: errors, files and their limits, memory, progress, timings, pictures."""
