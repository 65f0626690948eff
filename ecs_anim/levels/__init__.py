"""Levels of detail: what is drawn of an actor far away, how wrong it is, and what holds the actor whatever it does."""
