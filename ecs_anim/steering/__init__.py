"""Steering: agents move towards their goals, and avoid walls and other agents."""
