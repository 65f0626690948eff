"""The profiler: timers, reports, sweeps and plots. `bench` contains benchmarks, `validation` checks and studies."""
