"""Storeys: levels, and the stairs and ramps that connect levels."""
