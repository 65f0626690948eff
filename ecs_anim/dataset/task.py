"""One task of a data set: draw and label frames of a simulation with one seed.

The module writes the files of a moment before the record of the moment.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ecs_anim.dataset.behind import Digests, Files, written_behind
from ecs_anim.dataset.folder import Folder
from ecs_anim.dataset.labelling import label_of
from ecs_anim.dataset.movement import Before, positions_now
from ecs_anim.dataset.plan import Moment, Task
from ecs_anim.ecs.world import World
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.starting import skip_to
from ecs_anim.scenes.vary import drawn_values
from ecs_anim.systems.cameras import cameras
from ecs_anim.systems.capturing import capture
from ecs_anim.systems.rendering import forget_pictures
from ecs_anim.systems.sensing import remember_motion
from ecs_anim.view.capture import Capture
from ecs_anim.view.label_passes import PassName


def do_task(
    scene: SceneFile,
    folder: Folder,
    task: Task,
    *,
    threads: int | None = None,
    allow_code: bool = False,
    advance: Callable[[int], object] = lambda moments: None,
) -> None:
    """Write the missing files of a task. A task does not depend on other tasks, and can run on any machine.

    The function `advance` receives the number of newly finished moments. Raises InputError for disk errors, and for the
    errors of `load_scene` and `capture`.
    """
    missing = [moment for moment in task.moments if not folder.has(moment)]
    advance(len(task.moments) - len(missing))
    if not missing:
        return
    plan = folder.plan
    facts = {"seed": task.seed, "split": plan.split_of(task.seed), "drawn": drawn_values(scene, task.seed)}
    world = load_scene(scene, actors=plan.actors, seed=task.seed, threads=threads, allow_code=allow_code)
    with world, written_behind(folder.path) as write:
        drawn = None
        for moment in missing:
            if "flow" in plan.passes and moment.before not in (None, drawn):
                _captured(world, folder, moment.before, ("flow",), labelled=False)
            labels, files = _labelled(world, folder, facts, task.first_track, moment)
            drawn = moment.frame
            write(files, partial(_keep, folder, moment, labels, advance))


def _keep(
    folder: Folder, moment: Moment, labels: list[dict[str, Any]], advance: Callable[[int], object], digests: Digests
) -> None:
    """Write the record of a moment. The files of the moment are already written."""
    folder.keep(moment, {"labels": labels, "files": digests})
    advance(1)


def _captured(
    world: World, folder: Folder, frame: int, passes: tuple[PassName, ...], *, labelled: bool
) -> list[Capture]:
    """Advance the world to the frame `frame`. Return a capture from each camera.

    The world must be at the frame `frame` or at an earlier frame.
    """
    skip_to(world, frame)
    forget_pictures(world)  # otherwise, a picture would depend on the earlier pictures of the task
    plan = folder.plan
    chosen = plan.cameras if cameras(world) else None  # names of the scene's cameras; None = the default camera
    return capture(world, chosen, passes, keypoints=labelled, amodal=labelled, size=plan.size)


def _before(world: World, frame: int) -> Before | None:
    """Advance the world to the frame before `frame`, and return the positions of all actors in this earlier frame.

    If the world is already at the frame `frame`, return None.
    """
    if world.frame >= frame:
        return None
    skip_to(world, frame - 1)
    remember_motion(world)
    return positions_now(world)


def _labelled(
    world: World, folder: Folder, of_seed: Mapping[str, Any], first_track: int, moment: Moment
) -> tuple[list[dict[str, Any]], Files]:
    """Return the labels of a moment, one for each camera. Each label contains the facts `of_seed`.

    Also return a dictionary from the path of each file to the pass in the file.
    """
    plan = folder.plan
    passes: tuple[PassName, ...] = tuple(dict.fromkeys((*plan.passes, "ids")))
    before = _before(world, moment.frame)
    seen_by_all = _captured(world, folder, moment.frame, passes, labelled=True)
    folder.begin()
    labels, written = [], {}
    for camera, seen in zip(plan.cameras, seen_by_all, strict=True):
        files = {name: folder.picture(camera, name, moment.number) for name in plan.passes}
        facts = {"camera": camera, "number": moment.number, "frame": moment.frame, "files": files, **of_seed}
        labels.append(label_of(world, seen, facts, before=before, first_track=first_track, poses=plan.poses))
        written.update({path: (seen, name, plan.format_of(name)) for name, path in files.items()})
    return labels, written
