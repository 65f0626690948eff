"""Retargeting: clips of one body played on another body."""
