"""Routing: the way to goals round walls, by fields of arrival times."""
