"""Timers, reports, sweeps and benchmarks."""
