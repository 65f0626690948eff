"""`ecs-anim run --pass`: what a camera sees, as numbers in files."""

from pathlib import Path
from typing import Any

from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.gl.context import open_headless
from ecs_anim.gl.renderer import Renderer
from ecs_anim.pass_files import PassFiles, camera_facts, check_actor_count, visible_actors
from ecs_anim.passes import Passes, PassName
from ecs_anim.progress import frames_with_progress
from ecs_anim.systems.actor_ids import first_ids
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.queries import actor_count, stage_of
from ecs_anim.terminal import print_note
from ecs_anim.world import World


def write_passes(world: World, name: PassName, path: Path, size: tuple[int, int], frames: int) -> None:
    """Step the world, and write a pass of the last frame or of all, as the path asks. Raises InputError."""
    check_actor_count(actor_count(world))
    dt = 1 / stage_of(world).frame_rate
    with (
        PassFiles(path, name) as files,
        open_headless() as context,
        Renderer(context) as renderer,
        renderer.pass_target(*size) as target,
    ):
        drawing = DrawWorld(renderer)
        for frame in frames_with_progress(frames, "drawing" if files.every_frame else "simulating"):
            world.step(dt)
            if files.every_frame or frame == frames - 1:
                drawing.draw_passes(world, target)
                passes = target.read()
                files.write(passes, frame_facts(world, name, passes))
    print_note(f"wrote {path}")


def frame_facts(world: World, name: PassName, passes: Passes) -> dict[str, Any]:
    """What the JSON beside a frame tells: time, camera, and for ids whose they are."""
    height, width = passes.ids.shape
    facts = {"time": world.time, "camera": camera_facts(stage_of(world).camera, width, height)}
    return facts | _whose(world, passes) if name == "id" else facts


def _whose(world: World, passes: Passes) -> dict[str, Any]:
    """Ids of all crowds, and of the actors that are seen, each with its crowd and its row there."""
    ids = first_ids(world)
    crowds = [
        {"name": crowd.name, "rig": character.rig.name, "first_id": ids[entity], "actor_count": crowd.actor_count}
        for entity, (crowd, character) in world.query(Crowd, Character)
    ]
    actors = visible_actors(passes.ids)
    for actor in actors:
        own = max((crowd for crowd in crowds if crowd["first_id"] <= actor["id"]), key=lambda crowd: crowd["first_id"])
        actor |= {"crowd": own["name"], "row": actor["id"] - own["first_id"]}
    return {"crowds": crowds, "actors": actors}
