"""The profiler: timers, reports, sweeps and plots. `bench` has the benchmarks, `validation` the checks and studies."""
