"""Profiler with timers, reports and plots.

`bench` contains benchmarks, and `validation` contains checks and studies.
"""
