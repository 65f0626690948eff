"""Walls: from plans of several formats to what movers ask and what is drawn."""
