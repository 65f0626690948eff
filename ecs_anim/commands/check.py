"""`ecs-anim check` and `ecs-anim schema`."""

import json
import sys
from collections.abc import Sequence

import click

from ecs_anim.errors import InputError
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.schema import SceneModel
from ecs_anim.systems.queries import actor_count


def check_scenes(scenes: Sequence[str]) -> None:
    """Build each scene's world and drop it; every faulty scene gets its line, then exit code 2."""
    faulty = 0
    for scene in scenes:
        try:
            with load_scene(scene, threads=1) as world:
                click.echo(f"{scene}: ok, {actor_count(world)} actors")
        except InputError as error:
            faulty += 1
            click.echo(f"ecs-anim: {error}", err=True)
    if faulty:
        sys.exit(2)


def print_schema() -> None:
    """Print the scene files' JSON Schema."""
    click.echo(json.dumps(SceneModel.model_json_schema(), indent=2))
