"""Sharing of worlds as one HTML file that plays a recording without a network."""
