"""Routing: ways around walls to goals, computed from fields of arrival times."""
