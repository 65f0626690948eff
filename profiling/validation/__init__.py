"""Checks, studies and plots that compare bodies and crowds with people, motions and other programs."""
