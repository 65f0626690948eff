"""Benchmarks: one harness, and a module of `subjects` for each subject. Run `python -m ecs_anim.profiling.bench`."""
