"""The commands `ecs-anim check` and `ecs-anim schema`."""

import sys
from collections.abc import Sequence

from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import read_scene
from ecs_anim.scenes.schema import SceneModel
from ecs_anim.scenes.user_code import find_modules, module_names, own_keys, without_code
from ecs_anim.support.errors import InputError
from ecs_anim.support.terminal import print_json, print_line, print_problems
from ecs_anim.systems.queries import actor_count


def check_scenes(scenes: Sequence[str], allow_code: bool = False) -> None:
    """Build and close the world of each scene. Print a line for each problem, and one line for each scene without a
    problem.

    The exit code is 2 if a scene has a problem.

    If `allow_code` is false, the function does not run the Python code that a scene names. The line for such a scene
    states that its code was not checked.
    """
    faulty = 0
    for scene in scenes:
        try:
            print_line(f"{scene}: {_check(scene, allow_code)}")
        except InputError as error:
            faulty += 1
            print_problems(*error.problems)
    if faulty:
        sys.exit(2)


def _check(name: str, allow_code: bool) -> str:
    scene, unchecked = read_scene(name), ""
    if find_modules(scene) and not allow_code:
        unchecked = (
            ". Its Python code was not checked, because this check needs --allow-code: "
            f"{', '.join(module_names(scene))}"
        )
        if keys := own_keys(scene):
            unchecked += f". The crowd keys that this code defines were not checked either: {', '.join(keys)}"
        scene = without_code(scene)
    with load_scene(scene, threads=1, allow_code=allow_code) as world:
        count = actor_count(world)
        return f"ok, {count} {'actor' if count == 1 else 'actors'}{unchecked}"


def print_schema() -> None:
    """Print the JSON Schema of scene files."""
    print_json(SceneModel.model_json_schema())
