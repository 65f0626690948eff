"""Benchmarks. Each module in `subjects` measures one subject. Run `python -m ecs_anim.profiling.bench`."""
