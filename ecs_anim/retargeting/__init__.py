"""Retargeting: convert clips made for one body to clips for another body."""
