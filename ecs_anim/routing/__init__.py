"""Routing: computation of ways around walls to goals, from fields of arrival times."""
