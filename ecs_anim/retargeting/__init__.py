"""Clips of one body, played by another."""
