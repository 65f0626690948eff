"""Benchmarks: one harness, and one module in `subjects` per subject. Run `python -m ecs_anim.profiling.bench`."""
