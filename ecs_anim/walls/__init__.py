"""Walls: readers for plans in several formats, wall queries for actors, and the drawn surfaces of walls."""
