"""Checks, studies and plots that compare bodies and crowds with recorded people, motion clips and other programs."""
