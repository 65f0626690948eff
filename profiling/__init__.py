"""The profiler: timers, reports, sweeps, plots. Benchmarks are in `bench`, checks and studies in `validation`."""
