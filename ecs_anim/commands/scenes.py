"""`ecs-anim scenes` lists the shipped scenes."""

from itertools import takewhile
from typing import Any

from ecs_anim.scenes.loader import read_scene
from ecs_anim.scenes.shipped import shipped_scenes, shipped_text
from ecs_anim.support.terminal import print_json, print_line


def list_scenes(as_json: bool) -> None:
    """Print a line for each shipped scene."""
    scenes = [describe_scene(name) for name in shipped_scenes()]
    if as_json:
        print_json({"scenes": scenes})
        return
    name_width = max(len(scene["name"]) for scene in scenes)
    for scene in scenes:
        print_line(f"{scene['name']:<{name_width}} {scene['actors']:>7,}  {scene['shows']}")


def describe_scene(name: str) -> dict[str, Any]:
    """Return a dictionary with the name, the initial number of actors and the description of a shipped scene.

    Raises InputError for an unknown name.
    """
    model = read_scene(name).model
    actors = sum(crowd.count for crowd in model.crowds if not (crowd.steering and crowd.steering.starts_empty))
    return {"name": name, "actors": actors, "shows": _first_sentence(shipped_text(name)) or model.title}


def _first_sentence(text: str) -> str:
    """Return the first sentence of the comment at the start of a scene file, or ""."""
    comment = takewhile(lambda line: line.startswith("#"), text.splitlines())
    return " ".join(line.lstrip("# ") for line in comment).partition(". ")[0].removesuffix(".")
