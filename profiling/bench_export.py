"""How long an export takes, how large its file is, and how much more memory it has than its world.

python -m ecs_anim.profiling.bench_export [--actors N] [--frames N] [--scene NAME] [--ending usdc|glb]
"""

import argparse
import tempfile
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

from ecs_anim.exporting.export import export
from ecs_anim.profiling.bench_trajectories import peak_megabytes
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import read_scene
from ecs_anim.systems.queries import actor_count


def run(scene: str, actors: int | None, frames: int, path: Path) -> None:
    """Export a scene once, and print what it takes."""
    with load_scene(read_scene(scene), actors=actors) as world:
        world.step(0.0)  # kernels are compiled by now
        count, before, start = actor_count(world), peak_megabytes(), perf_counter()
        export(world, path, frames=frames)
        seconds = perf_counter() - start
    size = path.stat().st_size
    print(f"{scene}, {count:,} actors, {frames} frames: {size / 1e6:.1f} MB, {size / count / 1e3:.1f} kB an actor,")
    print(f"  {seconds:.1f} s, {peak_megabytes() - before:.0f} MB of memory more than {before:.0f} MB before")


def main() -> None:
    """Do one export, in a process of its own, whose memory nobody else has used."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--actors", type=int, help="default: the scene's")
    parser.add_argument("--frames", type=int, default=240)
    parser.add_argument("--scene", default="throng")
    parser.add_argument("--ending", choices=["usdc", "usda", "glb"], default="usdc")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        given = (options.scene, options.actors, options.frames, Path(folder) / f"x.{options.ending}")
        worker = get_context("spawn").Process(target=run, args=given)
        worker.start()
        worker.join()
    if worker.exitcode:
        raise SystemExit("nothing was exported")


if __name__ == "__main__":
    main()
