"""Walls: plans in several formats, the queries of movers, and the drawn surfaces."""
