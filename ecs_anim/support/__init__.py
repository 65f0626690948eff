"""What every program needs: errors, files and their limits, memory, progress, timings, pictures."""
