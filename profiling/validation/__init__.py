"""Comparisons of bodies and crowds with people, ground, motions and other programs: checks, studies and plots."""
