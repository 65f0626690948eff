"""Bodies and crowds against people, ground, motions and other programs: checks, studies and their plots."""
