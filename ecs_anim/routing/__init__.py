"""Routing: the module computes ways around walls to goals from fields of arrival times."""
