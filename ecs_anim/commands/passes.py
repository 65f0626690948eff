"""`ecs-anim run --pass` writes label passes of one camera to files."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.ecs.world import World
from ecs_anim.gl.device.context import open_headless
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.support.progress import frames_with_progress
from ecs_anim.support.terminal import print_note
from ecs_anim.systems.actor_ids import find_actors
from ecs_anim.systems.camera_drawing import CameraDrawer
from ecs_anim.systems.cameras import camera_of
from ecs_anim.systems.filming import Pace
from ecs_anim.systems.flow_memory import Earlier, flow_since, memory_of
from ecs_anim.systems.lidar import scan
from ecs_anim.systems.queries import actor_count, stage_of
from ecs_anim.view.camera_record import camera_facts
from ecs_anim.view.encoders import check_id
from ecs_anim.view.label_passes import BY_NAME, LabelPass
from ecs_anim.view.pass_files import PassFiles, visible_actors
from ecs_anim.view.passes import Passes
from ecs_anim.view.pinhole import pinhole_of


def write_passes(
    world: World, paths: Mapping[LabelPass, Path], size: tuple[int, int], pace: Pace, camera: str | None = None
) -> None:
    """Step the world, and write the images of label passes.

    If the path of a label pass is a folder, the function writes all frames into the folder. If the path is a file, the
    function writes only the last frame. Raises InputError if a file cannot be written.

    `camera` is the name of a scene camera. If `camera` is None, the function uses the default camera of the scene.
    """
    if BY_NAME["ids"] in paths:
        check_id(actor_count(world))
    with ExitStack() as stack:
        files = {kind.name: stack.enter_context(PassFiles(path, kind, pace.pictures)) for kind, path in paths.items()}
        context = stack.enter_context(open_headless())
        drawer = stack.enter_context(CameraDrawer(stack.enter_context(Renderer(context))))
        every_frame = any(file.every_frame for file in files.values())
        for number in frames_with_progress(pace.pictures, "drawing" if every_frame else "simulating"):
            pace.advance(world)
            left = pace.pictures - 1 - number
            if every_frame or not left:
                _write_frame(world, files, drawer, camera, size)
            elif "flow" in files and left == 1:  # the flow of the last frame starts here
                _look_back(world, camera, size)
    print_note(f"wrote {', '.join(map(str, paths.values()))}")


def _write_frame(
    world: World, files: dict[str, PassFiles], drawer: CameraDrawer, camera: str | None, size: tuple[int, int]
) -> None:
    seen = camera_of(world, camera)
    earlier = _look_back(world, camera, size) if "flow" in files else None
    passes = drawer.passes(world, seen, size, earlier.moment if earlier else None)
    images = dict(passes.images)
    if "rgb" in files:
        images["rgb"] = drawer.colors(world, seen, size)
    if "flow" in files:
        images["flow"] = flow_since(passes, pinhole_of(seen, size), earlier)
    if "lidar" in files:
        images["lidar"] = scan(world, drawer, pinhole_of(seen, size))
    shared = {"time": world.time, "camera": camera_facts(seen, *size)}
    own: dict[str, dict[str, Any]] = {"flow": {"since": earlier.time if earlier else None}}
    own["lidar"] = {"lidar": stage_of(world).lidar.facts(pinhole_of(seen, size))}
    if "ids" in files:
        own["ids"] = _whose(world, passes)
    for name, file in files.items():
        file.write(images[name], shared | own.get(name, {}))


def _look_back(world: World, camera: str | None, size: tuple[int, int]) -> Earlier | None:
    """Store the current state of the world. Return the state that the previous call stored (None in the first call)."""
    return memory_of(world).seen(world, camera or 0, pinhole_of(camera_of(world, camera), size))


def _whose(world: World, passes: Passes) -> dict[str, Any]:
    """Return facts for the JSON file of the pass ids: all crowds, and the crowd and the current row of each visible
    actor.
    """
    crowds = {
        entity: {"name": crowd.name, "rig": character.rig.name, "actor_count": crowd.actor_count}
        for entity, (crowd, character) in world.query(Crowd, Character)
    }
    actors = visible_actors(passes.ids)
    found = find_actors(world, np.array([actor["id"] for actor in actors], np.int64))
    for actor, own in zip(actors, found, strict=True):
        assert own is not None
        actor |= {"crowd": crowds[own.entity]["name"], "row": own.row}
    return {"crowds": list(crowds.values()), "actors": actors}
