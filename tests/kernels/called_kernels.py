"""Print, for each scene, the kernel modules that it declares and those that it calls.

Run `python -m tests.kernels.called_kernels SCENE...`.
"""

import json
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

from ecs_anim import kernels

CALLED: set[str] = set()
_kernel = kernels.kernel


def _told(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """A kernel that says when it is called."""

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        own = _kernel(signature)(function)

        @wraps(function)
        def called(*arguments: Any) -> Any:
            CALLED.add(function.__module__.rpartition(".")[2])
            return own(*arguments)

        called.compiled = lambda: called  # stages keep their arguments through it
        return called

    return decorated


def modules_of(scene: str) -> tuple[list[str], list[str]]:
    """Step and draw a few actors. Return the declared and the called modules."""
    import ecs_anim as ea  # not before all kernels are told
    from ecs_anim.scenes.kernels import needed_kernels
    from ecs_anim.scenes.loader import read_scene

    CALLED.clear()
    with ea.load_scene(scene, actors=24, threads=1) as world:
        world.step(1 / 60)
        ea.render(world, (160, 90))
        for _ in range(300):
            world.step(1 / 30)
    return list(needed_kernels(read_scene(scene).model)), sorted(CALLED)


if __name__ == "__main__":
    kernels.kernel = _told
    json.dump({scene: modules_of(scene) for scene in sys.argv[1:]}, sys.stdout)
