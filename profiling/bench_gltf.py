"""How long a character takes to load, against pygltflib's own parse of the same file.

python -m ecs_anim.profiling.bench_gltf MODEL [--rounds N]
"""

import argparse
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from ecs_anim.assets.rig import Rig
from ecs_anim.gltf.load import load_rig
from ecs_anim.support.errors import InputError


def measure(path: Path, rounds: int) -> tuple[list[float], list[float]]:
    """Seconds of `load_rig` and of `pygltflib.GLTF2().load`, in turns, after one unmeasured round of each."""
    import pygltflib

    def ours() -> None:
        check(load_rig(path))

    def theirs() -> None:
        if not pygltflib.GLTF2().load(path).nodes:
            raise ValueError("nothing was parsed")

    ours()  # once before counting, so that both find warm files and imports
    theirs()
    pairs = [(timed(ours), timed(theirs)) for _ in range(rounds)]
    return [ours for ours, _ in pairs], [theirs for _, theirs in pairs]


def timed(work: Callable[[], None]) -> float:
    """Wall time of one call [s]."""
    start = perf_counter()
    work()
    return perf_counter() - start


def check(rig: Rig) -> None:
    """A benchmark that loaded nothing measured nothing."""
    if not rig.skeleton.joint_count:
        raise ValueError(f"rig {rig.name!r} has no joints")


def report(path: Path, ours: list[float], theirs: list[float]) -> str:
    """Medians and their ratio."""
    mine, other = statistics.median(ours), statistics.median(theirs)
    return "\n".join(
        [
            f"{path.name}, median of {len(ours)} rounds",
            f"  load_rig           {mine * 1e3:9.1f} ms   (worst {max(ours) * 1e3:.1f})",
            f"  pygltflib's parse  {other * 1e3:9.1f} ms   (worst {max(theirs) * 1e3:.1f})",
            f"  ratio              {mine / other:9.3f}",
        ]
    )


def main(arguments: list[str] | None = None) -> int:
    """Print the figures; 2 where the model cannot be loaded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error(f"--rounds must be at least 1 (got {options.rounds})")
    try:
        print(report(options.model, *measure(options.model, options.rounds)))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
